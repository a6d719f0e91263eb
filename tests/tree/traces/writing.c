#include "tests/tree/traces/writing.h"

#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <unistd.h>

void writing_begin(Writing *writing)
{
    const XtfWriterOptions options = {.page_size = 4096, .no_sync = true};
    char *path;
    int fd = g_file_open_tmp("xtf-query-XXXXXX", &path, NULL);

    cr_assert(fd >= 0);
    close(fd);
    *writing = (Writing){.path = path, .writer = xtf_writer_create(path, &options, NULL)};
    cr_assert(writing->writer);
}

static uint32_t schema_id(Writing *writing, unsigned tag)
{
    if (!writing->declared[tag])
        cr_assert(xtf_writer_add_schema(writing->writer, xtf_model_schema(tag), &writing->ids[tag], NULL));
    writing->declared[tag] = true;
    return writing->ids[tag];
}

uint32_t writing_string(Writing *writing, const char *string)
{
    uint32_t id;
    cr_assert(xtf_writer_add_string(writing->writer, string, &id, NULL));
    return id;
}

void writing_define(Writing *writing, unsigned table, const void *row)
{
    XtfTableWriter *rows = xtf_writer_table(writing->writer, schema_id(writing, table), NULL);
    cr_assert(rows && xtf_table_writer_append(rows, row, NULL, NULL));
}

void writing_append(Writing *writing, uint64_t location, unsigned type, const void *row)
{
    XtfArrayWriter *array = xtf_writer_array(writing->writer, location, schema_id(writing, type), NULL);
    GError *error = NULL;
    cr_assert(array && xtf_array_writer_append(array, row, &error), "%s", error ? error->message : "");
}

void writing_end(Writing *writing, Written *written)
{
    GError *error = NULL;

    cr_assert(xtf_writer_close(writing->writer, NULL));
    written->path = writing->path;
    written->trace = xtf_trace_open(written->path, NULL, &error);
    cr_assert(written->trace, "%s", error ? error->message : "");
    written->tree = xtf_tree_new(written->trace, NULL);
}

void written_finish(Written *written)
{
    xtf_tree_free(written->tree);
    xtf_trace_unref(written->trace);
    g_unlink(written->path);
    g_free(written->path);
}

GString *written_read(const Written *written, const char *path)
{
    GError *error = NULL;
    g_autoptr(XtfNode) node = xtf_tree_resolve(written->tree, path, &error);
    GString *content = g_string_new(NULL);
    size_t length = 0;

    cr_assert(node, "%s: %s", path, error ? error->message : "");
    g_string_set_size(content, xtf_node_size(node));
    cr_assert(xtf_node_read(node, 0, content->str, content->len + 1, &length, &error), "%s: %s", path,
              error ? error->message : "");
    cr_assert_eq(length, content->len, "%s", path);
    return content;
}
