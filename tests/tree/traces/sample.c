#include "tests/tree/traces/sample.h"

#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

Sample sample_begin(void)
{
    XtfWriterOptions options = {.page_size = 4096, .origin = UINT64_MAX, .no_sync = true};
    Sample sample = {0};

    close(g_file_open_tmp("xtf-format-XXXXXX", &sample.path, NULL));
    sample.writer = xtf_writer_create(sample.path, &options, NULL);
    cr_assert(sample.writer);
    return sample;
}

void sample_open(Sample *sample)
{
    GError *error = NULL;

    cr_assert(xtf_writer_close(sample->writer, &error), "%s", error ? error->message : "");
    sample->trace = xtf_trace_open(sample->path, NULL, &error);
    cr_assert(sample->trace, "%s", error ? error->message : "");
    sample->tree = xtf_tree_new(sample->trace, NULL);
}

void sample_end(Sample *sample)
{
    xtf_tree_free(sample->tree);
    xtf_trace_unref(sample->trace);
    g_unlink(sample->path);
    g_free(sample->path);
}

char *sample_text(Sample *sample, const char *path)
{
    GError *error = NULL;
    g_autoptr(XtfNode) node = xtf_tree_resolve(sample->tree, path, &error);
    size_t length = 0;

    cr_assert(node, "%s", error ? error->message : "");
    char *text = g_malloc0(xtf_node_size(node) + 1);
    cr_assert(xtf_node_read(node, 0, text, xtf_node_size(node), &length, &error), "%s", error ? error->message : "");
    cr_assert_eq(length, xtf_node_size(node));
    return text;
}

char *sample_cell(Sample *sample, const char *directory, unsigned line, const char *column)
{
    g_autofree char *columns_path = g_strconcat(directory, "/columns", NULL),
                    *records_path = g_strconcat(directory, "/records", NULL);
    g_autofree char *columns = sample_text(sample, columns_path), *records = sample_text(sample, records_path);
    g_auto(GStrv) rows = g_strsplit(records, "\n", -1), defined = g_strsplit(columns, "\n", -1);

    for (char **one = defined + 1; **one; one++) {
        char name[64];
        unsigned from, to, width;
        cr_assert_eq(sscanf(*one, "%63s %u %u %u", name, &from, &to, &width), 4);
        cr_assert_eq(to - from + 1, width);
        if (!g_str_equal(name, column))
            continue;
        cr_assert_leq(to, strlen(rows[line]));
        cr_assert(to == strlen(rows[line]) || rows[line][to] == ' ', "a blank after each column");
        return g_strstrip(g_strndup(rows[line] + from - 1, width));
    }
    cr_assert_fail("no column %s", column);
    return NULL;
}

void sample_assert_cell(Sample *sample, const char *directory, unsigned line, const char *column, const char *expected)
{
    g_autofree char *text = sample_cell(sample, directory, line, column);
    cr_assert_str_eq(text, expected, "%s, line %u, %s: \"%s\", not \"%s\"", directory, line, column, text, expected);
}

XtfSchema *sample_define(Sample *sample, const char *name, XtfSchemaKind kind, const XtfFieldSpec *fields)
{
    XtfSchema *schema = xtf_schema_new(name, kind, fields, NULL);
    cr_assert(schema);
    cr_assert(xtf_writer_add_schema(sample->writer, schema, &schema->id, NULL));
    return schema;
}

void sample_append(Sample *sample, const XtfSchema *schema, uint64_t location, const uint64_t *values)
{
    uint8_t row[XTF_ROW_MAX];

    for (uint32_t i = 0; i < schema->n_fields; i++)
        xtf_field_set(&schema->fields[i], row, values[i]);
    if (schema->kind == XTF_SCHEMA_TABLE)
        cr_assert(xtf_table_writer_append(xtf_writer_table(sample->writer, schema->id, NULL), row, NULL, NULL));
    else
        cr_assert(xtf_array_writer_append(xtf_writer_array(sample->writer, location, schema->id, NULL), row, NULL));
}

uint64_t sample_string(Sample *sample, const char *text)
{
    uint32_t id = 0;
    cr_assert(xtf_writer_add_string(sample->writer, text, &id, NULL));
    return id;
}
