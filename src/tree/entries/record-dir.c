#include "src/tree/entries/record-dir.h"

#include <inttypes.h>

#include "libxtf/error.h"
#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/tables/format/callpaths.h"
#include "src/trace/calls/enclosing-call.h"
#include "src/trace/text/escape.h"
#include "src/trace/text/time-scale.h"
#include "src/tree/entries/call-entries.h"
#include "src/tree/entries/collective-entries.h"
#include "src/tree/entries/found-record.h"
#include "src/tree/entries/message-entries.h"
#include "src/tree/entries/side-entries.h"
#include "src/tree/entries/wait-entries.h"

/* ---- record */

/* Adds a line's number of ticks as seconds. */
static void add_seconds(const XtfTimeScale *scale, const char *ticks, GString *out)
{
    bool is_negative = *ticks == '-';
    char text[XTF_TIME_TEXT_MAX], *end = text + sizeof text;
    const char *begin = xtf_time_scale_put(scale, g_ascii_strtoull(ticks + is_negative, NULL, 10), end);

    if (is_negative)
        g_string_append_c(out, '-');
    g_string_append_len(out, begin, end - begin);
    g_string_append_printf(out, " %s", xtf_time_scale_unit(scale));
}

/* Adds the call path of a row of `contexts`. */
static bool add_callpath(XtfTraceContext *context, const char *row, GString *out, GError **error)
{
    g_autoptr(GString) name = g_string_new(NULL);
    XtfCallpaths callpaths;

    if (!xtf_callpaths_load(&callpaths, context, error))
        return false;
    xtf_callpath_name(&callpaths, (uint32_t)g_ascii_strtoull(row, NULL, 10), name);
    g_string_append_printf(out, "%s ", row);
    xtf_add_whole_text(out, name->str);
    return true;
}

/* Adds the text that a line has in a column. Strings are not cut. */
static bool add_column_value(XtfTraceContext *context, const XtfProgram *program, const XtfRecordColumn *column,
                             const char *line, const uint8_t *row, bool is_derived, GString *out, GError **error)
{
    const char *text;
    uint32_t string;

    for (uint32_t i = 0; i < program->n_cells; i++) {
        const XtfCell *cell = &program->cells[i];
        if (cell->from != column->from || !xtf_cell_string(cell, row, &string))
            continue;
        if (!xtf_trace_string(context->trace, string, &text, error))
            return false;
        xtf_add_whole_text(out, text);
        return true;
    }
    g_autofree char *value = g_strstrip(g_strndup(line + column->from, column->width));
    bool is_none = g_str_equal(value, "-");
    if (is_derived && !is_none && g_str_equal(column->unit, "ticks")) {
        add_seconds(&context->scale, value, out);
        return true;
    }
    if (is_derived && !is_none && g_str_equal(column->name, "context"))
        return add_callpath(context, value, out, error);
    g_string_append(out, value);
    if (*column->unit && !g_str_equal(value, "-")) {
        g_string_append_c(out, ' ');
        xtf_add_shown_text(out, column->unit, xtf_text_width(column->unit, true, SIZE_MAX), true);
    }
    return true;
}

/* Adds a line for each column: name, value and unit. For rows of an analysis, durations are in seconds and call paths
 * have names. */
static bool add_fields(XtfTraceContext *context, const XtfFormat *format, const XtfFoundRecord *record,
                       const char *line, GString *out, GError **error)
{
    const XtfSchema *schema = record->span.array.schema;
    size_t widest = 0;

    for (unsigned i = 0; i < format->columns->len; i++)
        widest = MAX(widest, xtf_text_width(g_array_index(format->columns, XtfRecordColumn, i).name, true, SIZE_MAX));
    for (unsigned i = 0; i < format->columns->len; i++) {
        const XtfRecordColumn *column = &g_array_index(format->columns, XtfRecordColumn, i);
        xtf_add_shown_text(out, column->name, widest, true);
        g_string_append_c(out, ' ');
        if (!add_column_value(context, &format->programs[schema->id], column, line, record->row,
                              schema->kind == XTF_SCHEMA_DERIVED, out, error))
            return false;
        g_string_append_c(out, '\n');
    }
    return true;
}

static XtfNode *new_record_file(XtfNode *directory, const XtfFoundRecord *record, GError **error)
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
        !add_fields(formats->context, format, record, line, text, error))
        return NULL;
    return xtf_node_new_text(directory, g_steal_pointer(&text));
}

/* ---- enter */

static bool find_enter(const XtfNode *node, const XtfFoundRecord *record, uint64_t *n, bool *found, GError **error)
{
    const XtfTraceContext *context = &node->tree->context;
    const XtfArray *array = &record->span.array;
    XtfArray calls;

    *found = false;
    if (context->enters_leaves < 0)
        return true;
    if (node->selection->calls) { /* the record is the ENTER */
        *n = record->span.lo;
        *found = true;
        return true;
    }
    if (array->schema->id == context->enters_leaves) {
        *found = xtf_row_linked_enter(array, record->span.lo, record->row, n);
        return true;
    }
    if (!xtf_trace_find_array(node->tree->trace, array->location, (uint32_t)context->enters_leaves, &calls, found,
                              error))
        return false;
    return !*found || xtf_enclosing_call_find(context, &calls, record->t, record->seq, n, found, error);
}

/* Finds the path to the ENTER. *target is NULL if there is none. */
static bool find_enter_path(XtfNode *node, const XtfFoundRecord *record, char **target, GError **error)
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

static XtfNode *lookup_entry(XtfNode *directory, const char *name, GError **error)
{
    const XtfSchema *side = xtf_trace_context_schema(&directory->tree->context, name, XTF_SCHEMA_SIDE);
    XtfFoundRecord record;
    char *target;

    if (g_str_equal(name, "next") || g_str_equal(name, "prev"))
        return lookup_neighbour(directory, *name == 'n', error);
    if (!side && !xtf_record_dir_has(name))
        return xtf_no_such(name, error);
    if (!xtf_found_record(directory, &record, error))
        return NULL;
    if (side)
        return xtf_side_entry_new(directory, &record, side, error);
    if (g_str_equal(name, "record"))
        return new_record_file(directory, &record, error);
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
    if (!find_enter_path(directory, &record, &target, error))
        return NULL;
    return target ? xtf_node_new_link(directory, target) : xtf_no_such(name, error);
}

static bool list_entries(XtfNode *directory, XtfLister *lister, GError **error)
{
    XtfTree *tree = directory->tree;
    g_autofree char *enter = NULL;
    XtfFoundRecord record;

    if (!xtf_found_record(directory, &record, error) || !find_enter_path(directory, &record, &enter, error))
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
        if (!xtf_side_rows(directory, &record, xtf_trace_schema(tree->trace, i), &span, error))
            return false;
        if (span.lo < span.hi)
            xtf_lister_show(lister, tree->context.type_names[i], XTF_NODE_FILE);
    }
    return true;
}

XtfNode *xtf_record_dir_new(const XtfNode *numbers, uint64_t k, GError **error)
{
    static const XtfNodeClass record_dir = {.kind = XTF_NODE_DIRECTORY, .lookup = lookup_entry, .list = list_entries};
    uint64_t count;

    if (!xtf_resolver_count(&numbers->tree->resolver, numbers->selection, &count, error))
        return NULL;
    if (k >= count)
        return xtf_not_found(error, "there is no record %" PRIu64 ": the selection has %" PRIu64 ", numbered from 0", k,
                             count);
    XtfNode *node = xtf_node_new(numbers, &record_dir);
    node->record.number = k;
    node->record.count = count;
    return node;
}
