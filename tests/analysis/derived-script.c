/*
 * derived-script TRACE: adds rows of an analysis to a trace, as standard input gives them. The program does not check
 * that they make sense.
 *
 * A line is the name of a derived type, a location, and the values of all fields. For a table it is the name and the
 * values. `-` is an absent value, all bits set. Rows of an array are sorted by time. A line `roleless TYPE FIELD`
 * removes a field's role, as the file of another writer may lack it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libxtf/write/writer-private.h"
#include "libxtf/writer.h"
#include "src/model/schemas.h"

static const XtfSchema *find_schema(const char *name)
{
    for (unsigned tag = 0; tag < XTF_N_ALL_SCHEMAS; tag++) {
        const XtfSchema *schema = xtf_model_schema(tag);
        if (g_str_equal(schema->name, name))
            return schema;
    }
    return NULL;
}

static bool parse_row(const XtfSchema *schema, char **words, uint8_t *row, GError **error)
{
    if (g_strv_length(words) != schema->n_fields)
        return xtf_fail(error, XTF_ERROR_INVALID, "%s has %u fields", schema->name, schema->n_fields);
    for (uint32_t i = 0; i < schema->n_fields; i++)
        xtf_field_set(&schema->fields[i], row,
                      g_str_equal(words[i], "-") ? UINT64_MAX : g_ascii_strtoull(words[i], NULL, 10));
    return true;
}

static bool remove_role(XtfWriter *writer, const char *type, const char *name, GError **error)
{
    for (uint32_t i = 0; i < writer->catalog.n_schemas; i++) {
        XtfSchema *schema = writer->catalog.schemas[i];
        for (uint32_t f = 0; f < schema->n_fields; f++) {
            if (!g_str_equal(schema->name, type) || !g_str_equal(schema->fields[f].name, name))
                continue;
            schema->fields[f].role[0] = '\0';
            xtf_writer_encode_schemas(writer);
            return true;
        }
    }
    return xtf_fail(error, XTF_ERROR_INVALID, "%s has no field %s", type, name);
}

static bool add_line(XtfWriter *writer, char *line, GError **error)
{
    g_auto(GStrv) words = g_strsplit(g_strstrip(line), " ", -1);
    const XtfSchema *schema = find_schema(words[0]);
    uint8_t row[XTF_ROW_MAX];
    uint32_t id;

    if (g_strv_length(words) == 3 && g_str_equal(words[0], "roleless"))
        return remove_role(writer, words[1], words[2], error);
    if (!schema || !words[1])
        return xtf_fail(error, XTF_ERROR_INVALID, "not a row: %s", line);
    if (!xtf_writer_add_schema(writer, schema, &id, error))
        return false;
    if (schema->kind == XTF_SCHEMA_TABLE) {
        XtfTableWriter *table = xtf_writer_table(writer, id, error);
        return table && parse_row(schema, words + 1, row, error) && xtf_table_writer_append(table, row, NULL, error);
    }
    XtfArrayWriter *array = xtf_writer_array(writer, g_ascii_strtoull(words[1], NULL, 10), id, error);
    return array && parse_row(schema, words + 2, row, error) && xtf_array_writer_append(array, row, error);
}

static bool add_lines(XtfWriter *writer, GError **error)
{
    char *line = NULL;
    size_t capacity = 0;
    bool good = true;

    while (good && getline(&line, &capacity, stdin) > 0)
        good = add_line(writer, line, error);
    free(line);
    return good;
}

int main(int argc, char **argv)
{
    g_autoptr(GError) error = NULL;
    XtfWriter *writer = argc == 2 ? xtf_writer_open(argv[1], NULL, &error) : NULL;
    bool good = writer && add_lines(writer, &error);

    if (good)
        good = xtf_writer_close(writer, &error);
    else
        xtf_writer_abort(writer);
    if (!good)
        fprintf(stderr, "derived-script: %s\n", error ? error->message : "usage: derived-script TRACE");
    return good ? 0 : 1;
}
