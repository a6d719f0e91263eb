#include "src/tree/entries/side-entries.h"

#include <inttypes.h>

#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/trace/text/escape.h"
#include "src/tree/records/record-values.h"

enum {
    SIDE_ROWS_MAX = 65536, /* most rows of one record in a file of text */
    SIDE_BYTES_MAX = 8 << 20,
};

bool xtf_side_rows(const XtfNode *node, const XtfFoundRecord *record, const XtfSchema *schema, XtfSpan *span,
                   GError **error)
{
    XtfArray *array = &span->array;
    bool found;

    *span = (XtfSpan){.tag = record->span.tag};
    if (!xtf_trace_find_array(node->tree->trace, record->span.array.location, schema->id, array, &found, error))
        return false;
    if (!found || record->t < array->first || record->t > array->last)
        return true;
    if (!xtf_array_rank(array, record->t, &span->lo, error))
        return false;
    span->hi = array->n_rows;
    if (record->t < array->last &&
        !xtf_array_rank_within(array, record->t + 1, span->lo, array->n_rows, &span->hi, error))
        return false;
    return !xtf_schema_field_by_role(schema, XTF_ROLE_SEQ) ||
           (xtf_span_rank_of_seq(span, record->seq, span->lo, span->hi, &span->lo, error) &&
            (record->seq == UINT64_MAX ||
             xtf_span_rank_of_seq(span, record->seq + 1, span->lo, span->hi, &span->hi, error)));
}

/* Handles a row. */
typedef bool (*TakeRow)(void *data, const XtfRowRun *row, GError **error);

/* Calls `take` for each row of a span, until `is_full` or the end. *n is the number of calls. */
static bool visit_side_rows(const XtfSpan *span, TakeRow take, bool (*is_full)(const void *data), void *data,
                            uint64_t *n, GError **error)
{
    g_auto(XtfCursor) cursor;
    bool found;

    xtf_cursor_init(&cursor, &span->array);
    if (!xtf_cursor_seek_n(&cursor, span->lo, &found, error))
        return false;
    for (*n = 0; found && *n < span->hi - span->lo && !(is_full && is_full(data)); (*n)++) {
        const XtfRowRun run = {span, xtf_cursor_row(&cursor), 1, span->lo + *n};
        if (!take(data, &run, error) || !xtf_cursor_next(&cursor, 1, &found, error))
            return false;
    }
    return true;
}

/* ---- As text. */

typedef struct {
    XtfTrace *trace;
    const XtfFormat *format;
    const XtfCell *last; /* a string in the last column is not cut; NULL: there is no cell */
    XtfRenderer *renderer;
    GString *text;
    uint32_t n; /* number of rows written */
} SideText;

static bool add_row_line(void *data, const XtfRowRun *row, GError **error)
{
    SideText *side = data;
    GString *text = side->text;
    gsize at = text->len;
    const char *whole;
    uint32_t string;

    side->n++;
    g_string_set_size(text, at + side->format->line);
    if (!xtf_renderer_run(side->renderer, row, text->str + at, error))
        return false;
    if (!side->last || !xtf_cell_string(side->last, row->rows, &string))
        return true;
    if (!xtf_trace_string(side->trace, string, &whole, error))
        return false;
    g_string_set_size(text, at + side->last->from);
    xtf_add_whole_text(text, whole);
    g_string_append_c(text, '\n');
    return true;
}

/* True if the text has reached its limit of rows or bytes. The text is in memory, and many rows may refer to one long
 * string. */
static bool is_full(const void *data)
{
    const SideText *side = data;

    return side->n >= SIDE_ROWS_MAX || side->text->len >= SIDE_BYTES_MAX;
}

static void add_heading(const XtfFormat *format, GString *text)
{
    g_string_append_c(text, '#');
    for (unsigned i = 0; i < format->columns->len; i++) {
        const char *name = g_array_index(format->columns, XtfRecordColumn, i).name;
        g_string_append_c(text, ' ');
        xtf_add_shown_text(text, name, xtf_text_width(name, true, SIZE_MAX), true);
    }
    g_string_append_c(text, '\n');
}

/* Makes a text with a line for each row. If it leaves rows out, its last line says how many. */
static GString *make_rows_text(XtfFormats *formats, const XtfFormat *format, const XtfSpan *span, GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(formats->context, error);
    const XtfProgram *program = &format->programs[span->array.schema->id];
    uint64_t n;

    if (!locations)
        return NULL;
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(XtfRenderer) renderer = xtf_renderer_new(formats, format, locations);
    SideText side = {formats->context->trace, format, NULL, renderer, text, 0};
    side.last = program->n_cells ? &program->cells[program->n_cells - 1] : NULL;
    add_heading(format, text);
    if (!visit_side_rows(span, add_row_line, is_full, &side, &n, error))
        return NULL;
    if (n < span->hi - span->lo)
        g_string_append_printf(text, "# %" PRIu64 " more\n", span->hi - span->lo - n);
    return g_steal_pointer(&text);
}

/* ---- Files. */

/* Finds the rows that a file shows, and their format. */
static bool find_side_rows(XtfNode *file, const XtfFormat **format, XtfSpan *span, GError **error)
{
    const XtfSchema *schema = xtf_trace_schema(file->tree->trace, file->record.side);
    XtfFoundRecord record;

    *format = xtf_formats_get(&file->tree->formats, schema->id, error);
    return *format && xtf_found_record(file, &record, error) && xtf_side_rows(file, &record, schema, span, error);
}

static GString *side_text(XtfNode *file, GError **error)
{
    const XtfFormat *format;
    XtfSpan span;

    return find_side_rows(file, &format, &span, error) ? make_rows_text(&file->tree->formats, format, &span, error)
                                                       : NULL;
}

static bool side_write(XtfNode *file, XtfRowFormat as, XtfWriteBytes write, void *data, GError **error)
{
    g_auto(XtfRowValues) values = {0};
    const XtfFormat *format;
    XtfSpan span;
    uint64_t n;

    return find_side_rows(file, &format, &span, error) &&
           xtf_row_values_init(&values, &file->tree->formats, format, as, write, data, error) &&
           visit_side_rows(&span, xtf_row_values_take, NULL, &values, &n, error) &&
           xtf_row_values_flush(&values, error);
}

XtfNode *xtf_side_entry_new(XtfNode *directory, const XtfFoundRecord *record, const XtfSchema *schema, GError **error)
{
    static const XtfNodeClass record_side_file = {
        .kind = XTF_NODE_FILE, .text = side_text, .write = side_write, .keeps = true};
    /* Later commits may change the files of a call. */
    static const XtfNodeClass call_side_file = {.kind = XTF_NODE_FILE,
                                                .text = side_text,
                                                .write = side_write,
                                                .keeps = true,
                                                .same_by_size_if_final = xtf_node_never_same_by_size};
    XtfSpan span;

    if (!xtf_side_rows(directory, record, schema, &span, error))
        return NULL;
    if (span.lo == span.hi)
        return xtf_no_such(directory->tree->context.type_names[schema->id], error);
    XtfNode *file = xtf_node_new(directory, directory->selection->calls ? &call_side_file : &record_side_file);
    file->record = directory->record;
    file->record.side = schema->id;
    return xtf_node_with_size(file, error);
}
