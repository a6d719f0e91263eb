/*
 * Values of a table's file as rows, CSV and JSON Lines, and the lookup of names.
 *
 * A table FILE also has FILE.csv and FILE.json, which no directory lists. A mount needs a file's size at lookup, so the
 * lookup makes their whole text. It fails if the text is longer than LENGTH_MAX; `xtf cat --csv` writes any length.
 */
#include "src/tree/node/node-class.h"

#include <string.h>

#include "libxtf/error.h"

enum {
    LENGTH_MAX = 1 << 20, /* most bytes of FILE.csv or FILE.json */
};

bool xtf_node_rows(XtfNode *file, const XtfRowSink *sink, GError **error)
{
    const XtfNodeClass *class = file->class;
    g_auto(XtfTableOutput) output = {0};

    if (class->rows)
        return class->rows(file, sink, error);
    if (!class->table)
        return xtf_fail(error, XTF_ERROR_NOT_FOUND, "the file is not a table");
    xtf_table_output_init_rows(&output);
    return class->table(file, &output, error) && xtf_row_sink_set_columns(sink, &output.grid, error) &&
           sink->add_rows(sink->data, &output.rows, 0, xtf_rows_n(&output.rows), error);
}

bool xtf_node_write(XtfNode *file, XtfRowFormat format, XtfWriteBytes write, void *data, GError **error)
{
    g_auto(XtfRowWriter) writer = {0};

    if (file->class->write)
        return file->class->write(file, format, write, data, error);
    xtf_row_writer_init(&writer, format, write, data);
    const XtfRowSink sink = xtf_row_writer_sink(&writer);
    return xtf_node_rows(file, &sink, error) && xtf_row_writer_flush(&writer, error);
}

/* ---- Files. */

static bool is_table(const XtfNode *node)
{
    return node->class->table || node->class->rows || node->class->write;
}

static bool append_text(void *data, const char *bytes, size_t length, GError **error)
{
    GString *text = data;

    if (length > LENGTH_MAX - text->len)
        return xtf_fail(error, XTF_ERROR_NOT_FOUND,
                        "the file would be longer than %d bytes, the limit of a mount: use xtf cat --csv or --json",
                        LENGTH_MAX);
    g_string_append_len(text, bytes, (gssize)length);
    return true;
}

static XtfNode *make_text_file(XtfNode *directory, XtfNode *table, XtfRowFormat format, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);

    if (!xtf_node_write(table, format, append_text, text, error))
        return NULL;
    return xtf_node_future(table) == XTF_NODE_FINAL ? xtf_node_new_text(directory, g_steal_pointer(&text))
                                                    : xtf_node_new_changing_text(directory, g_steal_pointer(&text));
}

/* Returns the file FILE.csv or FILE.json of a directory that has a table FILE. Takes ownership of
 * `lookup_error`, the error of the lookup of `name` itself. Returns it to the caller if `name` is no such file. */
static XtfNode *find_converted_file(XtfNode *directory, const char *name, GError *lookup_error, GError **error)
{
    bool is_csv = g_str_has_suffix(name, ".csv"), is_json = g_str_has_suffix(name, ".json");

    if ((is_csv || is_json) && g_error_matches(lookup_error, XTF_ERROR, XTF_ERROR_NOT_FOUND)) {
        g_autofree char *table_name = g_strndup(name, strlen(name) - strlen(is_csv ? ".csv" : ".json"));
        g_autoptr(XtfNode) table = directory->class->lookup(directory, table_name, NULL);
        if (table && is_table(table)) {
            g_clear_error(&lookup_error);
            return make_text_file(directory, table, is_csv ? XTF_ROWS_CSV : XTF_ROWS_JSON, error);
        }
    }
    g_propagate_error(error, lookup_error);
    return NULL;
}

XtfNode *xtf_node_lookup(XtfNode *directory, const char *name, GError **error)
{
    GError *lookup_error = NULL;

    if (!directory->class->lookup)
        return xtf_no_such(name, error);
    if (strlen(name) > XTF_DIRECTORY_NAME_MAX)
        return xtf_not_found(error, "the name is longer than %d bytes", XTF_DIRECTORY_NAME_MAX);
    XtfNode *found = directory->class->lookup(directory, name, &lookup_error);
    return found ? found : find_converted_file(directory, name, lookup_error, error);
}
