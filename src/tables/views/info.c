/*
 * info: a selection's window and its number of records, by type. columns: the columns of its records.
 */
#include "src/tables/views/info.h"

#include <string.h>

#include "libxtf/trace.h"
#include "src/model/part-name.h"
#include "src/tables/views/view.h"
#include "src/trace/select/aggregate-ref.h"
#include "src/trace/text/digits.h"
#include "src/trace/text/escape.h"

static const XtfColumn columns[] = {
    XTF_COLUMN("what", XTF_COLUMN_TEXT, NULL, "a time, or a record type"),
    XTF_COLUMN("value", XTF_COLUMN_ANY, NULL, "the time, or number of records"),
    XTF_COLUMN("unit", XTF_COLUMN_WORD, NULL, "unit of the value"),
};

static const XtfColumn columns_columns[] = {
    XTF_COLUMN("column", XTF_COLUMN_TEXT, NULL, "name of a column of `records`"),
    XTF_COLUMN("from", XTF_COLUMN_NUMBER, NULL, "first character, from 1"),
    XTF_COLUMN("to", XTF_COLUMN_NUMBER, NULL, "last character"),
    XTF_COLUMN("width", XTF_COLUMN_NUMBER, NULL, "number of characters"),
    XTF_COLUMN("unit", XTF_COLUMN_TEXT, NULL, "unit of the values"),
    XTF_COLUMN("what", XTF_COLUMN_TEXT, NULL, "meaning of the values"),
};

const XtfTableDeclaration xtf_table_columns = XTF_TABLE("columns", "the columns of `records`", columns_columns);

enum {
    TYPE_WIDTH_MAX = 40,
    NAME_WIDTH_MAX = 256, /* bytes of a column's name, unit or description */
    FIXED_LINES = 4,      /* from, to, duration, records */
};

/* True if info has a line for a schema. */
static bool shows_type(const XtfTraceContext *context, const XtfSelection *selection, uint32_t schema)
{
    return xtf_trace_n_rows(context->trace, schema) &&
           xtf_selection_has_type(selection, xtf_trace_schema(context->trace, schema));
}

/* True if info has a line for calls above the line of their ENTERs and LEAVEs, which `schema` has. */
static bool shows_calls_above(const XtfTraceContext *context, const XtfSelection *selection, uint32_t schema)
{
    XtfAggregateRef frames;
    return schema == context->enters_leaves && shows_type(context, selection, schema) &&
           xtf_aggregate_ref_frames(&frames, context);
}

size_t xtf_count_width(const XtfTraceContext *context, const XtfSelection *selection)
{
    uint64_t total = 0;

    for (uint32_t i = 0; i < xtf_trace_n_schemas(context->trace); i++) {
        uint64_t n = shows_type(context, selection, i) ? xtf_trace_n_rows(context->trace, i) : 0;
        total = n > UINT64_MAX - total ? UINT64_MAX : total + n;
    }
    return xtf_count_digits(total);
}

/* True if info lists the processes with missing records: only for the trace as a whole. */
static bool lists_parts(const XtfSelection *selection)
{
    return selection->endless && selection->type == XTF_ANY_TYPE && !selection->base && !selection->procs &&
           !selection->threads && !xtf_selection_has_facets(selection);
}

/* Returns the number of rows that this version cannot read, which is shown for the trace as a whole. */
static uint64_t refused_rows(XtfTraceContext *context, const XtfSelection *selection)
{
    const XtfLocations *locations = lists_parts(selection) && !xtf_trace_is_supported(context->trace, NULL)
                                        ? xtf_trace_context_locations(context, NULL)
                                        : NULL;

    return locations ? locations->refused.n_rows : 0;
}

#define PROCESS "process" /* the unit of numbers of processes */
#define ROWS    "rows"

typedef void (*PartVisit)(void *data, const char *word, guint64 process);

/* Calls `visit` for each process with a remark about its part of a folder. */
static void visit_parts(const XtfTraceContext *context, const XtfSelection *selection, PartVisit visit, void *data)
{
    static const char *const words[] = {[XTF_PART_WITHOUT_COMMIT] = "no_commit",
                                        [XTF_PART_ENDED_EARLY] = "ended_early",
                                        [XTF_PART_LEFT_OUT] = "left_out"};
    guint64 process;
    size_t n;
    const XtfPartRemark *const *remarks = xtf_trace_part_remarks(context->trace, &n);

    for (size_t i = 0; i < n && lists_parts(selection); i++)
        if (xtf_part_process(remarks[i]->path, &process))
            visit(data, words[remarks[i]->kind], process);
}

/* The number of the lines about parts, and the widths of their columns. */
typedef struct {
    uint64_t n_lines;
    size_t name, value;
} PartLines;

static void shape_part(void *data, const char *word, guint64 process)
{
    PartLines *parts = data;

    parts->n_lines++;
    parts->name = MAX(parts->name, strlen(word));
    parts->value = MAX(parts->value, xtf_count_digits(process));
}

static void fill_part(void *data, const char *word, guint64 process)
{
    XtfLines *lines = data;

    xtf_lines_text(lines, word, 0);
    xtf_lines_number(lines, process);
    xtf_lines_word(lines, PROCESS);
}

static bool shape_info(XtfViews *views, const XtfSelection *selection, XtfViewShape *shape, GError **error)
{
    XtfTraceContext *context = views->context;
    PartLines parts = {.name = strlen("duration")};
    uint64_t refused = refused_rows(context, selection);

    visit_parts(context, selection, shape_part, &parts);
    size_t name_width = parts.name;
    shape->n_lines = FIXED_LINES + parts.n_lines + (refused > 0);
    for (uint32_t i = 0; i < xtf_trace_n_schemas(context->trace); i++) {
        if (!shows_type(context, selection, i) || selection->calls)
            continue;
        name_width = MAX(name_width, xtf_text_width(context->type_names[i], true, TYPE_WIDTH_MAX));
        shape->n_lines += 1 + shows_calls_above(context, selection, i);
    }
    shape->at_once = shape->n_lines;
    xtf_grid_add(&shape->grid, "what", name_width);
    xtf_grid_add(&shape->grid, "value",
                 MAX(MAX(xtf_count_width(context, selection), context->scale.width),
                     MAX(parts.value, xtf_count_digits(refused))));
    /* The unit is aligned right, so that no line ends in blanks. */
    xtf_grid_add(&shape->grid, "unit", parts.n_lines > 0 ? strlen(PROCESS) : refused > 0 ? strlen(ROWS) : 0);
    return true;
}

/* Counts the records of each schema. Returns a new array by schema; NULL with an error. */
static uint64_t *count_by_type(XtfResolver *resolver, XtfSelection *selection, GError **error)
{
    XtfTrace *trace = resolver->context->trace;
    g_autofree uint64_t *counts = g_new0(uint64_t, xtf_trace_n_schemas(trace) + 1);

    if (selection->type == XTF_ANY_TYPE) {
        g_autoptr(XtfSpans) spans = xtf_resolver_spans(resolver, selection, error);
        if (!spans)
            return NULL;
        for (uint32_t i = 0; i < spans->n; i++)
            counts[spans->spans[i].array.schema->id] += spans->spans[i].hi - spans->spans[i].lo;
    } else if (selection->type >= 0 && !xtf_resolver_count(resolver, selection, &counts[selection->type], error)) {
        return NULL;
    }
    return g_steal_pointer(&counts);
}

static bool count_calls(XtfResolver *resolver, const XtfSelection *selection, uint64_t *count, GError **error)
{
    g_autoptr(XtfSelection) calls = xtf_selection_in_calls(selection, resolver->context);
    return xtf_resolver_count(resolver, calls, count, error);
}

static void add_time_line(XtfLines *lines, const char *name, uint64_t ticks)
{
    xtf_lines_text(lines, name, 0);
    xtf_lines_ticks(lines, ticks);
    xtf_lines_word(lines, xtf_time_scale_unit(lines->scale));
}

static void add_count(XtfLines *lines, const char *name, uint64_t count)
{
    xtf_lines_text(lines, name, 0);
    xtf_lines_number(lines, count);
    xtf_lines_none(lines);
}

static bool fill_info(XtfViews *views, XtfSelection *selection, uint64_t first, uint64_t count, XtfLines *lines,
                      GError **error)
{
    XtfTraceContext *context = views->context;
    g_autofree uint64_t *counts = count_by_type(views->resolver, selection, error);
    uint64_t from, to, total, calls, refused = refused_rows(context, selection);

    if (!counts || !xtf_resolver_count(views->resolver, selection, &total, error))
        return false;
    xtf_selection_window(selection, &context->scale, &from, &to);
    add_time_line(lines, "from", from - context->scale.origin);
    add_time_line(lines, "to", to - context->scale.origin);
    add_time_line(lines, context->scale.bytes ? "range" : "duration", to - from);
    visit_parts(context, selection, fill_part, lines);
    if (refused > 0) {
        xtf_lines_text(lines, "refused", 0);
        xtf_lines_number(lines, refused);
        xtf_lines_word(lines, ROWS);
    }
    add_count(lines, selection->calls ? "calls" : "records", total);
    for (uint32_t i = 0; i < xtf_trace_n_schemas(context->trace) && !selection->calls; i++) {
        bool shows_calls = shows_calls_above(context, selection, i);
        if (shows_calls && !count_calls(views->resolver, selection, &calls, error))
            return false;
        if (shows_calls)
            add_count(lines, "calls", calls);
        if (shows_type(context, selection, i))
            add_count(lines, context->type_names[i], counts[i]);
    }
    return true;
}

const XtfView xtf_view_info = {.table = XTF_TABLE("info", "the window of the selection, and its record types", columns),
                               .of_lengths = true,
                               .final_in_window = true,
                               .shape = shape_info,
                               .fill = fill_info};

/* ---- columns */

/* Removes blanks at the ends of lines. */
static void strip_lines(GString *text)
{
    gsize n = 0;

    for (gsize i = 0; i < text->len; i++) {
        while (text->str[i] == '\n' && n > 0 && text->str[n - 1] == ' ')
            n--;
        text->str[n++] = text->str[i];
    }
    g_string_truncate(text, n);
}

static void add_text_if_any(XtfLines *lines, const char *text, uint64_t number)
{
    if (*text)
        xtf_lines_text(lines, text, number);
    else
        xtf_lines_none(lines);
}

bool xtf_columns_table(const XtfFormat *format, const XtfTimeScale *scale, XtfTableOutput *output, GError **error)
{
    size_t name_width = 0, unit_width = 0, description_width = 0;
    XtfGrid *grid = &output->grid;

    for (unsigned i = 0; i < format->columns->len; i++) {
        const XtfRecordColumn *column = &g_array_index(format->columns, XtfRecordColumn, i);
        name_width = MAX(name_width, xtf_text_width(column->name, true, NAME_WIDTH_MAX));
        unit_width = MAX(unit_width, xtf_text_width(column->unit, true, NAME_WIDTH_MAX));
        description_width = MAX(description_width, xtf_text_width(column->description, false, NAME_WIDTH_MAX));
    }
    xtf_grid_init(grid, &xtf_table_columns);
    xtf_grid_add(grid, "column", name_width);
    xtf_grid_add(grid, "from", 5);
    xtf_grid_add(grid, "to", 5);
    xtf_grid_add(grid, "width", 5);
    xtf_grid_add(grid, "unit", unit_width);
    xtf_grid_add(grid, "what", description_width);
    XtfLines *lines = xtf_table_output_begin(output, scale);
    for (unsigned i = 0; i < format->columns->len; i++) {
        const XtfRecordColumn *column = &g_array_index(format->columns, XtfRecordColumn, i);
        xtf_lines_text(lines, column->name, i);
        xtf_lines_number(lines, column->from + 1);
        xtf_lines_number(lines, column->from + column->width);
        xtf_lines_number(lines, column->width);
        add_text_if_any(lines, column->unit, i);
        add_text_if_any(lines, column->description, i);
    }
    if (output->text)
        strip_lines(output->text);
    return xtf_lines_finish(lines, error);
}
