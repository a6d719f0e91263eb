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
    LENGTH_MAX = 1 << 20, /* bytes in FILE.csv or FILE.json */
};

bool xtf_node_rows(XtfNode *file, const XtfRowSink *sink, GError **error)
{
    const XtfNodeClass *class = file->class;
    g_auto(XtfTableOutput) output = {0};

    if (class->rows)
        return class->rows(file, sink, error);
    if (!class->table)
        return xtf_fail(error, XTF_ERROR_NOT_FOUND, "it is no table");
    xtf_table_output_init_rows(&output);
    return class->table(file, &output, error) && xtf_row_sink_begin(sink, &output.grid, error) &&
           sink->take(sink->data, &output.rows, 0, xtf_rows_n(&output.rows), error);
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

static bool keep(void *data, const char *bytes, size_t length, GError **error)
{
    GString *text = data;

    if (length > LENGTH_MAX - text->len)
        return xtf_fail(
            error, XTF_ERROR_NOT_FOUND,
            "it would be longer than %d bytes, the most that a mount makes at once: xtf cat --csv or --json "
            "writes it",
            LENGTH_MAX);
    g_string_append_len(text, bytes, (gssize)length);
    return true;
}

static XtfNode *make(XtfNode *directory, XtfNode *table, XtfRowFormat format, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);

    if (!xtf_node_write(table, format, keep, text, error))
        return NULL;
    return xtf_node_future(table) == XTF_NODE_FINAL ? xtf_node_new_text(directory, g_steal_pointer(&text))
                                                    : xtf_node_new_changing_text(directory, g_steal_pointer(&text));
}

/* Returns the file FILE.csv or FILE.json of a directory that has a table FILE. Takes ownership of `failed`, the error
 * of the lookup of `name` itself, and passes it to the caller if `name` is no such file. */
static XtfNode *find_file(XtfNode *directory, const char *name, GError *failed, GError **error)
{
    bool is_csv = g_str_has_suffix(name, ".csv"), is_json = g_str_has_suffix(name, ".json");

    if ((is_csv || is_json) && g_error_matches(failed, XTF_ERROR, XTF_ERROR_NOT_FOUND)) {
        g_autofree char *of = g_strndup(name, strlen(name) - strlen(is_csv ? ".csv" : ".json"));
        g_autoptr(XtfNode) table = directory->class->lookup(directory, of, NULL);
        if (table && is_table(table)) {
            g_clear_error(&failed);
            return make(directory, table, is_csv ? XTF_ROWS_CSV : XTF_ROWS_JSON, error);
        }
    }
    g_propagate_error(error, failed);
    return NULL;
}

XtfNode *xtf_node_lookup(XtfNode *directory, const char *name, GError **error)
{
    GError *failed = NULL;

    if (!directory->class->lookup)
        return xtf_no_such(name, error);
    if (strlen(name) > XTF_DIRECTORY_NAME_MAX)
        return xtf_not_found(error, "the name is longer than %d bytes", XTF_DIRECTORY_NAME_MAX);
    XtfNode *found = directory->class->lookup(directory, name, &failed);
    return found ? found : find_file(directory, name, failed, error);
}
