/* Files of a selection's directory. */
#include <inttypes.h>

#include "src/tables/views/info.h"
#include "src/trace/text/escape.h"
#include "src/tree/paths/entries.h"
#include "src/tree/records/record-values.h"

static GString *readme_text(XtfNode *file, GError **error)
{
    return g_string_new(xtf_readme);
}

static GString *count_text(XtfNode *file, GError **error)
{
    uint64_t count;

    if (!xtf_resolver_count(&file->tree->resolver, file->selection, &count, error))
        return NULL;
    GString *text = g_string_new(NULL);
    g_string_printf(text, "%" PRIu64 "\n", count);
    return text;
}

static bool columns_table(XtfNode *file, XtfTableOutput *output, GError **error)
{
    const XtfFormat *format = xtf_formats_of(&file->tree->formats, file->selection, error);
    return format && xtf_columns_table(format, &file->tree->context.scale, output, error);
}

/* Makes the names of the columns of `records`, with a blank between: the n-th word is the name of column n. */
static GString *header_text(XtfNode *file, GError **error)
{
    const XtfFormat *format = xtf_formats_of(&file->tree->formats, file->selection, error);

    if (!format)
        return NULL;
    GString *text = g_string_new(NULL);
    for (unsigned i = 0; i < format->columns->len; i++) {
        const char *name = g_array_index(format->columns, XtfRecordColumn, i).name;
        size_t width = xtf_text_width(name, true, SIZE_MAX), at = text->len + (i > 0);
        if (i > 0)
            g_string_append_c(text, ' ');
        g_string_set_size(text, at + width);
        xtf_text_put(text->str + at, width, name, true, i);
    }
    return g_string_append_c(text, '\n');
}

static bool records_size(XtfNode *file, uint64_t *size, GError **error)
{
    return xtf_records_size(&file->tree->records, file->selection, size, error);
}

static bool records_read(XtfNode *file, uint64_t offset, char *buffer, size_t length, GError **error)
{
    return xtf_records_read(&file->tree->records, file->selection, offset, buffer, length, error);
}

static bool records_write(XtfNode *file, XtfRowFormat format, XtfWriteBytes write, void *data, GError **error)
{
    return xtf_records_write(&file->tree->records, file->selection, format, write, data, error);
}

static bool view_size(XtfNode *file, uint64_t *size, GError **error)
{
    const XtfShownTable table = {file->view, file->selection, file->grouping};
    return xtf_view_size(&file->tree->views, &table, size, error);
}

static bool view_read(XtfNode *file, uint64_t offset, char *buffer, size_t length, GError **error)
{
    const XtfShownTable table = {file->view, file->selection, file->grouping};
    return xtf_view_read(&file->tree->views, &table, offset, buffer, length, error);
}

static bool view_rows(XtfNode *file, const XtfRowSink *sink, GError **error)
{
    const XtfShownTable table = {file->view, file->selection, file->grouping};
    return xtf_view_rows(&file->tree->views, &table, sink, error);
}

static bool picture_size(XtfNode *file, uint64_t *size, GError **error)
{
    return xtf_picture_size(&file->tree->pictures, file->picture, file->selection, file->depth - 1, size, error);
}

/* Reads a picture. Its links are relative to its directory. */
static bool picture_read(XtfNode *file, uint64_t offset, char *buffer, size_t length, GError **error)
{
    return xtf_picture_read(&file->tree->pictures, file->picture, file->selection, file->depth - 1, offset, buffer,
                            length, error);
}

static bool picture_rows(XtfNode *file, const XtfRowSink *sink, GError **error)
{
    g_auto(XtfTableOutput) output = {0};

    if (!file->picture->table)
        return xtf_fail(error, XTF_ERROR_NOT_FOUND, "the file is a picture, not a table");
    xtf_table_output_init_rows(&output);
    return file->picture->table(&file->tree->views, file->selection, &output, error) &&
           xtf_row_sink_set_columns(sink, &output.grid, error) &&
           sink->add_rows(sink->data, &output.rows, 0, xtf_rows_n(&output.rows), error);
}

static bool view_is_final_in_window(const XtfNode *file)
{
    return xtf_view_is_final_in_window(file->view);
}

const XtfNodeClass xtf_readme_file = {.kind = XTF_NODE_FILE, .text = readme_text};
const XtfNodeClass xtf_count_file = {.kind = XTF_NODE_FILE, .text = count_text};
const XtfNodeClass xtf_columns_file = {.kind = XTF_NODE_FILE, .table = columns_table};
const XtfNodeClass xtf_header_file = {.kind = XTF_NODE_FILE, .text = header_text};
const XtfNodeClass xtf_records_file = {
    .kind = XTF_NODE_FILE, .size = records_size, .read = records_read, .write = records_write, .grows = true};
/* Pictures change as the trace grows: they link to the whole trace, and their colours depend on it. */
const XtfNodeClass xtf_picture_file = {.kind = XTF_NODE_FILE,
                                       .size = picture_size,
                                       .read = picture_read,
                                       .rows = picture_rows,
                                       .same_by_size_if_final = xtf_node_never_same_by_size};
/* A call that is open at the end of a commit lasts longer in the next one, so its lines may change. */
const XtfNodeClass xtf_calls_file = {.kind = XTF_NODE_FILE,
                                     .size = records_size,
                                     .read = records_read,
                                     .write = records_write,
                                     .same_by_size_if_final = xtf_node_never_same_by_size};
/* The widths and lines of a view are computed for the whole trace, and never shrink. */
const XtfNodeClass xtf_view_file = {.kind = XTF_NODE_FILE,
                                    .size = view_size,
                                    .read = view_read,
                                    .rows = view_rows,
                                    .same_by_size_if_final = view_is_final_in_window};
