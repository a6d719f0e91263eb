#include "src/tree/entries/record-dir.h"

#include <inttypes.h>

#include "libxtf/error.h"
#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/trace/select/call-around.h"
#include "src/trace/text/escape.h"
#include "src/tree/entries/call-entries.h"
#include "src/tree/entries/collective-entries.h"
#include "src/tree/entries/message-entries.h"
#include "src/tree/entries/wait-entries.h"

/* A record, and where it is. */
typedef struct {
    XtfSpan span; /* of this row only, without a filter: its position is the row's number */
    uint8_t row[XTF_ROW_MAX];
    uint64_t t, seq;
} Record;

static bool find_record(XtfNode *node, Record *record, GError **error)
{
    g_autoptr(XtfSelection) one =
        xtf_selection_in_numbers(node->selection, node->record.number, node->record.number + 1);
    g_autoptr(XtfSpans) spans = xtf_resolver_spans(&node->tree->resolver, one, error);

    if (!spans)
        return false;
    if (spans->n != 1)
        return xtf_damaged(error, "the trace has fewer records than it states");
    record->span = spans->spans[0];
    uint64_t n;
    if (!xtf_span_row_number(&record->span, record->span.lo, &n, error) ||
        !xtf_array_row(&record->span.array, n, record->row, error))
        return false;
    record->span.lo = n;
    record->span.hi = n + 1;
    record->span.filter = (XtfGroupFilter){0};
    const XtfSchema *schema = record->span.array.schema;
    record->t = xtf_field_get(&schema->fields[0], record->row);
    record->seq = xtf_row_seq(xtf_schema_field_by_role(schema, XTF_ROLE_SEQ), record->row, record->span.lo);
    return true;
}

/* ---- record */

static void add_shown(GString *out, const char *text, size_t width, bool blanks)
{
    gsize at = out->len;
    g_string_set_size(out, at + width);
    xtf_text_put(out->str + at, width, text, blanks, 0);
}

/* All of a text, unless there is too much before it already: it is held in memory. */
static void add_whole(GString *out, const char *text)
{
    size_t room = XTF_WHOLE_TEXT_MAX - MIN(out->len, (gsize)XTF_WHOLE_TEXT_MAX);
    add_shown(out, text, xtf_text_width(text, false, MAX(room, XTF_STRING_WIDTH_MAX)), false);
}

/* The text in a column of a line; of a string all of it. */
static bool add_value(XtfTrace *trace, const XtfProgram *program, const XtfRecordColumn *column, const char *line,
                      const uint8_t *row, GString *out, GError **error)
{
    const char *text;
    uint32_t string;

    for (uint32_t i = 0; i < program->n_cells; i++) {
        const XtfCell *cell = &program->cells[i];
        if (cell->from != column->from || !xtf_cell_string(cell, row, &string))
            continue;
        if (!xtf_trace_string(trace, string, &text, error))
            return false;
        add_whole(out, text);
        return true;
    }
    g_autofree char *value = g_strstrip(g_strndup(line + column->from, column->width));
    g_string_append(out, value);
    if (*column->unit && !g_str_equal(value, "-")) {
        g_string_append_c(out, ' ');
        add_shown(out, column->unit, xtf_text_width(column->unit, true, SIZE_MAX), true);
    }
    return true;
}

/* One line a column: name, value, unit. */
static bool add_fields(XtfTrace *trace, const XtfFormat *format, uint32_t schema, const char *line, const uint8_t *row,
                       GString *out, GError **error)
{
    size_t widest = 0;

    for (unsigned i = 0; i < format->columns->len; i++)
        widest = MAX(widest, xtf_text_width(g_array_index(format->columns, XtfRecordColumn, i).name, true, SIZE_MAX));
    for (unsigned i = 0; i < format->columns->len; i++) {
        const XtfRecordColumn *column = &g_array_index(format->columns, XtfRecordColumn, i);
        add_shown(out, column->name, widest, true);
        g_string_append_c(out, ' ');
        if (!add_value(trace, &format->programs[schema], column, line, row, out, error))
            return false;
        g_string_append_c(out, '\n');
    }
    return true;
}

static XtfNode *lookup_fields(XtfNode *directory, const Record *record, GError **error)
{
    XtfFormats *formats = &directory->tree->formats;
    uint32_t schema = record->span.array.schema->id;
    const XtfFormat *format = directory->selection->calls ? xtf_formats_of(formats, directory->selection, error)
                                                          : xtf_formats_get(formats, schema, error);
    const XtfLocations *locations = xtf_trace_context_locations(formats->context, error);
    XtfRowRun run = {&record->span, record->row, 1, record->span.lo};

    if (!format || !locations)
        return NULL;
    g_autoptr(XtfRenderer) renderer = xtf_renderer_new(formats, format, locations);
    g_autofree char *line = g_malloc(format->line);
    g_autoptr(GString) text = g_string_new(NULL);
    if (!xtf_renderer_run(renderer, &run, line, error) ||
        !add_fields(directory->tree->trace, format, schema, line, record->row, text, error))
        return NULL;
    return xtf_node_new_text(directory, g_steal_pointer(&text));
}

/* ---- Side arrays. */

/* The rows of the record in a side array of its location; *span may be empty. */
static bool find_side(const XtfNode *node, const Record *record, const XtfSchema *schema, XtfSpan *span, GError **error)
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

enum {
    SIDE_ROWS_MAX = 65536, /* shown of one record */
    SIDE_BYTES_MAX = 8 << 20,
};

/* A line for each row; a string in the last column is not cut. The text is held in memory, and many rows may refer to
 * one long string, so the number of rows and bytes is limited. The last line tells the number of rows left out. */
static bool add_side_rows(XtfFormats *formats, const XtfFormat *format, const XtfSpan *span, GString *text,
                          GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(formats->context, error);
    const XtfProgram *program = &format->programs[span->array.schema->id];
    const XtfCell *last = program->n_cells ? &program->cells[program->n_cells - 1] : NULL;
    g_auto(XtfCursor) cursor;
    bool found;

    xtf_cursor_init(&cursor, &span->array);
    if (!locations || !xtf_cursor_seek_n(&cursor, span->lo, &found, error))
        return false;
    g_autoptr(XtfRenderer) renderer = xtf_renderer_new(formats, format, locations);
    uint64_t n = span->lo;
    for (; found && n < span->hi && n - span->lo < SIDE_ROWS_MAX && text->len < SIDE_BYTES_MAX; n++) {
        const uint8_t *row = xtf_cursor_row(&cursor);
        XtfRowRun run = {span, row, 1, n};
        gsize at = text->len;
        const char *whole;
        uint32_t string;

        g_string_set_size(text, at + format->line);
        if (!xtf_renderer_run(renderer, &run, text->str + at, error))
            return false;
        if (last && xtf_cell_string(last, row, &string)) {
            if (!xtf_trace_string(formats->context->trace, string, &whole, error))
                return false;
            g_string_set_size(text, at + last->from);
            add_whole(text, whole);
            g_string_append_c(text, '\n');
        }
        if (!xtf_cursor_next(&cursor, 1, &found, error))
            return false;
    }
    if (n < span->hi)
        g_string_append_printf(text, "# %" PRIu64 " more\n", span->hi - n);
    return true;
}

static XtfNode *lookup_side(XtfNode *directory, const Record *record, const XtfSchema *schema, GError **error)
{
    XtfFormats *formats = &directory->tree->formats;
    const XtfFormat *format = xtf_formats_get(formats, schema->id, error);
    XtfSpan span;

    if (!format || !find_side(directory, record, schema, &span, error))
        return NULL;
    if (span.lo == span.hi)
        return xtf_no_such(directory->tree->context.type_names[schema->id], error);

    g_autoptr(GString) text = g_string_new("#");
    for (unsigned i = 0; i < format->columns->len; i++) {
        const char *name = g_array_index(format->columns, XtfRecordColumn, i).name;
        g_string_append_c(text, ' ');
        add_shown(text, name, xtf_text_width(name, true, SIZE_MAX), true);
    }
    g_string_append_c(text, '\n');
    if (!add_side_rows(formats, format, &span, text, error))
        return NULL;
    return xtf_node_new_text(directory, g_steal_pointer(&text));
}

/* ---- enter */

static bool find_enter(const XtfNode *node, const Record *record, uint64_t *n, bool *found, GError **error)
{
    const XtfTraceContext *context = &node->tree->context;
    const XtfArray *array = &record->span.array;
    XtfArray calls;

    *found = false;
    if (context->enters_leaves < 0)
        return true;
    if (node->selection->calls) { /* the record is its ENTER */
        *n = record->span.lo;
        *found = true;
        return true;
    }
    if (array->schema->id == context->enters_leaves) {
        *found = xtf_call_around_row(array, record->span.lo, record->row, n);
        return true;
    }
    if (!xtf_trace_find_array(node->tree->trace, array->location, (uint32_t)context->enters_leaves, &calls, found,
                              error))
        return false;
    return !*found || xtf_call_around(context, &calls, record->t, record->seq, n, found, error);
}

/* The path to the ENTER. *target is NULL if there is none. */
static bool enter_target(XtfNode *node, const Record *record, char **target, GError **error)
{
    const XtfTraceContext *context = &node->tree->context;
    uint64_t n;
    bool found;

    *target = NULL;
    return find_enter(node, record, &n, &found, error) &&
           (!found ||
            xtf_location_path(node, record->span.tag, context->type_names[context->enters_leaves], n, target, error));
}

/* ---- The directory. */

bool xtf_record_dir_has(const char *name)
{
    static const char *const names[] = {"record", "enter", "next", "prev", NULL};
    return g_strv_contains(names, name) || xtf_call_entry_has(name) || xtf_message_entry_has(name) ||
           xtf_collective_entry_has(name) || xtf_wait_entry_has(name);
}

static bool has_neighbour(const XtfNode *directory, bool next)
{
    return next ? directory->record.number + 1 < directory->record.count : directory->record.number > 0;
}

static XtfNode *lookup_neighbour(XtfNode *directory, bool next, GError **error)
{
    if (!has_neighbour(directory, next))
        return xtf_no_such(next ? "next" : "prev", error);
    return xtf_node_new_link(
        directory, g_strdup_printf("../%" PRIu64, next ? directory->record.number + 1 : directory->record.number - 1));
}

static XtfNode *lookup(XtfNode *directory, const char *name, GError **error)
{
    const XtfSchema *side = xtf_trace_context_schema(&directory->tree->context, name, XTF_SCHEMA_SIDE);
    Record record;
    char *target;

    if (g_str_equal(name, "next") || g_str_equal(name, "prev"))
        return lookup_neighbour(directory, *name == 'n', error);
    if (!side && !xtf_record_dir_has(name))
        return xtf_no_such(name, error);
    if (!find_record(directory, &record, error))
        return NULL;
    if (side)
        return lookup_side(directory, &record, side, error);
    if (g_str_equal(name, "record"))
        return lookup_fields(directory, &record, error);
    if (xtf_call_entry_has(name))
        return directory->selection->calls ? xtf_call_entry_new(directory, &record.span, name, error)
                                           : xtf_no_such(name, error);
    if (xtf_wait_entry_has(name) && xtf_wait_entries_are_of(&record.span))
        return xtf_wait_entry_new(directory, &record.span, name, error);
    if (xtf_message_entry_has(name))
        return xtf_message_entry_new(directory, &record.span, name, error);
    if (xtf_collective_entry_has(name))
        return xtf_collective_entry_new(directory, &record.span, name, error);
    if (!g_str_equal(name, "enter"))
        return xtf_no_such(name, error);
    if (!enter_target(directory, &record, &target, error))
        return NULL;
    return target ? xtf_node_new_link(directory, target) : xtf_no_such(name, error);
}

static bool list(XtfNode *directory, XtfLister *lister, GError **error)
{
    XtfTree *tree = directory->tree;
    g_autofree char *enter = NULL;
    Record record;

    if (!find_record(directory, &record, error) || !enter_target(directory, &record, &enter, error))
        return false;
    xtf_lister_show(lister, "record", XTF_NODE_FILE);
    if (directory->selection->calls && !xtf_call_entries_list(directory, &record.span, lister, error))
        return false;
    if (xtf_wait_entries_are_of(&record.span) && !xtf_wait_entries_list(directory, &record.span, lister, error))
        return false;
    if (!xtf_message_entries_list(directory, &record.span, lister, error) ||
        !xtf_collective_entries_list(directory, &record.span, lister, error))
        return false;
    if (enter)
        xtf_lister_show(lister, "enter", XTF_NODE_LINK);
    if (has_neighbour(directory, true))
        xtf_lister_show(lister, "next", XTF_NODE_LINK);
    if (has_neighbour(directory, false))
        xtf_lister_show(lister, "prev", XTF_NODE_LINK);
    for (uint32_t i = 0; i < xtf_trace_n_schemas(tree->trace); i++) {
        XtfSpan span;
        if (xtf_trace_schema(tree->trace, i)->kind != XTF_SCHEMA_SIDE)
            continue;
        if (!find_side(directory, &record, xtf_trace_schema(tree->trace, i), &span, error))
            return false;
        if (span.lo < span.hi)
            xtf_lister_show(lister, tree->context.type_names[i], XTF_NODE_FILE);
    }
    return true;
}

XtfNode *xtf_record_dir_new(const XtfNode *numbers, uint64_t k, GError **error)
{
    static const XtfNodeClass record_dir = {.kind = XTF_NODE_DIRECTORY, .lookup = lookup, .list = list};
    uint64_t count;

    if (!xtf_resolver_count(&numbers->tree->resolver, numbers->selection, &count, error))
        return NULL;
    if (k >= count)
        return xtf_not_found(error, "there is no record %" PRIu64 " among the %" PRIu64 " of the selection", k, count);
    XtfNode *node = xtf_node_new(numbers, &record_dir);
    node->record.number = k;
    node->record.count = count;
    return node;
}
