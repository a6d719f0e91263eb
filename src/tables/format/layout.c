/*
 * Layout of lines: the columns, their widths, and the cells.
 */
#include <string.h>

#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/tables/format/descriptions.h"
#include "src/tables/format/format.h"
#include "src/tables/format/site-cells.h"
#include "src/trace/calls/call-readers.h"
#include "src/trace/select/aggregate-ref.h"
#include "src/trace/text/digits.h"
#include "src/trace/text/lines.h"

#define PENDING "pending" /* open calls of MPI */

enum {
    REAL_WIDTH = 24, /* bytes of the longest real number, -1.7976931348623157e+308 */
    VALUE_WIDTH = XTF_STRING_WIDTH_MAX,
};

/* The columns of all types merged, behind time, proc and thread. */
static const struct {
    const char *name, *role, *unit, *description;
    uint32_t growing_width; /* width in a growing trace, which may get any record type */
    bool left;
} merged_columns[] = {
    {"seq", XTF_ROLE_SEQ, "", "number among all records of the location, from 0", 20, false},
    {"event", XTF_ROLE_EVENT, "", "the event by its usual name", XTF_STRING_WIDTH_MAX, true},
    {"peer", XTF_ROLE_PEER, "", "process on the other side; ? if unknown", XTF_GROWING_NUMBER_WIDTH, false},
    {"bytes", XTF_ROLE_BYTES, "B", "bytes moved; of a collective, sent", 20, false},
    {"tag", XTF_ROLE_TAG, "", "tag of the message", 11, false},
    {"comm", XTF_ROLE_COMM, "", "row of definitions/communicators; of threads and tasks their team", 10, false},
    {"name", NULL, "", "region entered or left, or in which it happened; or metric", XTF_NAME_WIDTH_MAX, true},
};

/* The description of the column `event` of an analysis. */
static const char kind_description[] = "kind of the wait, see VOCABULARY.md, section 9; ..._completion is no wait for "
                                       "somebody, but what an operation took "
                                       "longer here than for the first that was through";

typedef struct {
    XtfFormats *formats;
    XtfFormat *format;
    const XtfLocations *locations;
    bool fixed;    /* cells do not change the width and alignment of a column */
    GError *error; /* of the first cell that could not be made; the format is then discarded */
} Layout;

static uint32_t add_column(Layout *layout, const char *name, const char *unit, const char *description, uint32_t width)
{
    XtfRecordColumn column = {g_strdup(name), g_strdup(unit), g_strdup(description), 0, width, false};
    g_array_append_val(layout->format->columns, column);
    return layout->format->columns->len - 1;
}

static XtfRecordColumn *column_at(const Layout *layout, uint32_t i)
{
    return &g_array_index(layout->format->columns, XtfRecordColumn, i);
}

static void add_prefix(Layout *layout, const char *time, const char *description)
{
    const XtfLocations *locations = layout->locations;

    const XtfTimeScale *scale = &layout->formats->context->scale;

    layout->format->has_prefix = true;
    if (scale->bytes)
        add_column(layout, xtf_time_scale_name(scale), xtf_time_scale_unit(scale), "of the messages", scale->width);
    else
        add_column(layout, time, xtf_time_scale_unit(scale), description, scale->width);
    add_column(layout, "proc", "", "process", locations->proc_width);
    add_column(layout, "thread", "", "thread of the process", locations->thread_width);
}

/* ---- Cells. */

static uint32_t width_of_signed(uint64_t bits)
{
    int64_t v = (int64_t)bits;
    return v < 0 ? 1 + xtf_count_digits(-(uint64_t)v) : xtf_count_digits((uint64_t)v);
}

static void size_number_cell(XtfCell *cell, const XtfLimits *limits)
{
    const XtfField *field = cell->field;
    bool none = field->type == XTF_TYPE_I32 || field->type == XTF_TYPE_I64 ? (int64_t)limits->min > (int64_t)limits->max
                                                                           : limits->min > limits->max;
    switch (field->type) {
    case XTF_TYPE_I32:
    case XTF_TYPE_I64:
        cell->kind = XTF_CELL_SIGNED;
        cell->width = none ? 1 : MAX(width_of_signed(limits->min), width_of_signed(limits->max));
        break;
    case XTF_TYPE_F64:
        cell->kind = XTF_CELL_REAL;
        cell->width = REAL_WIDTH;
        break;
    case XTF_TYPE_STRING:
        cell->kind = XTF_CELL_STRING;
        cell->width = none ? 2 : (uint32_t)CLAMP(limits->max, UINT64_C(2), (uint64_t)XTF_STRING_WIDTH_MAX);
        break;
    default:
        cell->kind = XTF_CELL_UNSIGNED;
        cell->width = none ? 1 : xtf_count_digits(limits->max);
        if (xtf_type_width(field->type) > 0)
            break;
        cell->kind = XTF_CELL_BYTES;
        cell->width = 2u * field->width;
        break;
    }
}

/* Returns the range of a field's values; in a growing trace, of all values that its type can hold. */
static XtfLimits limits_of_field(const Layout *layout, const XtfSchema *schema, const XtfField *field)
{
    const XtfTraceContext *context = layout->formats->context;

    if (!context->growing)
        return *xtf_trace_limits(context->trace, schema->id, (uint32_t)(field - schema->fields));
    if (field->type == XTF_TYPE_I32)
        return (XtfLimits){.min = (uint64_t)INT32_MIN, .max = INT32_MAX};
    if (field->type == XTF_TYPE_I64)
        return (XtfLimits){.min = (uint64_t)INT64_MIN, .max = INT64_MAX};
    if (xtf_type_width(field->type) == 0)
        return (XtfLimits){0}; /* the cell shows the bytes, not a number */
    return (XtfLimits){.max = UINT64_MAX >> (64 - 8 * field->width)};
}

/* Makes the cell of a field. It shows a number, unless the value has a label, is the rank of a peer, or has its type in
 * another field. */
static XtfCell make_cell(Layout *layout, const XtfSchema *schema, const XtfField *field)
{
    XtfFormats *formats = layout->formats;
    XtfCell cell = {.field = field};
    const XtfLimits limits = limits_of_field(layout, schema, field);
    bool number;

    size_number_cell(&cell, &limits);
    number = cell.kind == XTF_CELL_UNSIGNED;
    if (number && field->n_labels) {
        cell.kind = XTF_CELL_NAME;
        cell.names = xtf_formats_labels(formats, field, &limits);
        cell.width = MAX(cell.width, cell.names->width);
    } else if (number && g_str_equal(field->role, XTF_ROLE_PEER)) {
        cell.kind = XTF_CELL_PEER;
        if (!layout->error)
            xtf_comm_source_find(&cell.comm, formats->context->trace, schema, &layout->error);
        cell.width = MAX(cell.width, layout->locations->proc_width);
    } else if ((g_str_equal(field->role, XTF_ROLE_VALUE) || g_str_equal(field->role, XTF_ROLE_GROWTH)) &&
               field->width == 8) {
        cell.kind = XTF_CELL_VALUE;
        cell.value_type = xtf_schema_field_by_role(schema, XTF_ROLE_VALUE_TYPE);
        cell.width = VALUE_WIDTH;
    }
    return cell;
}

/* True if a field refers to the same table in all rows. */
static bool refers_to_table(const XtfField *field)
{
    return *field->refers_to && !strchr(field->refers_to, ':');
}

/* Makes the cell of a field that shows the name of the row that it refers to, if the table has names. */
static XtfCell make_name_cell(Layout *layout, const XtfSchema *schema, const XtfField *field, uint32_t cap)
{
    XtfCell cell = make_cell(layout, schema, field);

    if (refers_to_table(field) && cell.kind == XTF_CELL_UNSIGNED && !layout->error)
        xtf_formats_names(layout->formats, field->refers_to, cap, &cell.names, &layout->error);
    if (cell.kind == XTF_CELL_UNSIGNED && cell.names) {
        cell.kind = XTF_CELL_NAME;
        cell.width = cell.names->width;
    }
    return cell;
}

static XtfCell make_type_cell(Layout *layout, const XtfSchema *schema)
{
    const XtfPaddedNames *names =
        xtf_formats_words(layout->formats, (const char *const *)&layout->formats->context->type_names[schema->id], 1);
    return (XtfCell){.kind = XTF_CELL_TYPE, .names = names, .width = names->width};
}

/* Returns the field that refers to the row whose name a record shows; NULL if there is none. */
static const XtfField *naming_field(const XtfSchema *schema)
{
    for (uint32_t i = 0; i < schema->n_fields; i++) {
        if ((schema->fields[i].flags & XTF_FIELD_NAMES) && refers_to_table(&schema->fields[i]))
            return &schema->fields[i];
    }
    return xtf_schema_field_by_role(schema, XTF_ROLE_REGION);
}

static void add_cell(Layout *layout, const XtfSchema *schema, XtfCell cell, uint32_t column)
{
    XtfProgram *program = &layout->format->programs[schema->id];
    XtfRecordColumn *c = column_at(layout, column);

    cell.column = column;
    program->shows_calls |= cell.kind >= XTF_CELL_CALL_END;
    program->shows_sites |= xtf_cell_is_site(&cell);
    if (!layout->fixed) {
        c->width = MAX(c->width, cell.width);
        c->left |= cell.kind == XTF_CELL_NAME || cell.kind == XTF_CELL_TYPE || cell.kind == XTF_CELL_STRING ||
                   xtf_cell_is_site(&cell);
    } else if (cell.kind == XTF_CELL_NAME && cell.width > c->width) {
        cell.kind = XTF_CELL_UNSIGNED; /* labels too wide for the column: the cell shows the number */
    }
    program->cells = g_renew(XtfCell, program->cells, program->n_cells + 1);
    program->cells[program->n_cells++] = cell;
}

/* Adds a column of times or durations of calls. It is as wide as a time or as the longest time that a clock measured.
 */
static void add_time_of_call(Layout *layout, const XtfSchema *schema, XtfCellKind kind, const char *name,
                             const char *description)
{
    const XtfTraceContext *context = layout->formats->context;
    uint64_t longest = context->growing ? UINT64_MAX : xtf_trace_longest(context->trace);
    XtfCell cell = {.kind = kind, .max = context->scale.last - context->scale.origin};

    if (kind != XTF_CELL_CALL_END)
        cell.max = MAX(cell.max, longest);
    cell.width = (uint32_t)MAX(context->scale.width, xtf_ticks_width(&context->scale, cell.max));
    add_cell(layout, schema, cell, add_column(layout, name, "s", description, 1));
}

/* ---- The columns of all types merged, of one type, and of a side array. */

static void add_merged_cells(Layout *layout, const XtfSchema *schema, uint32_t first)
{
    for (uint32_t i = 0; i < G_N_ELEMENTS(merged_columns); i++) {
        const char *role = merged_columns[i].role;
        const XtfField *field = role ? xtf_schema_field_by_role(schema, role) : naming_field(schema);

        if (!field && role && g_str_equal(role, XTF_ROLE_EVENT))
            add_cell(layout, schema, make_type_cell(layout, schema), first + i);
        else if (field && role)
            add_cell(layout, schema, make_cell(layout, schema, field), first + i);
        else if (field)
            add_cell(layout, schema, make_name_cell(layout, schema, field, XTF_NAME_WIDTH_MAX), first + i);
    }
}

static void lay_out_merged(Layout *layout)
{
    XtfTraceContext *context = layout->formats->context;

    add_prefix(layout, "time", "since the origin of the trace");
    uint32_t first = layout->format->columns->len;
    layout->fixed = context->growing;
    for (uint32_t i = 0; i < G_N_ELEMENTS(merged_columns); i++) {
        uint32_t column =
            add_column(layout, merged_columns[i].name, merged_columns[i].unit, merged_columns[i].description,
                       layout->fixed ? merged_columns[i].growing_width : 1);
        column_at(layout, column)->left = layout->fixed && merged_columns[i].left;
    }
    for (uint32_t i = 0; i < xtf_trace_n_schemas(context->trace); i++) {
        if (xtf_trace_context_is_record(context, i) && (layout->fixed || xtf_trace_n_rows(context->trace, i)))
            add_merged_cells(layout, xtf_trace_schema(context->trace, i), first);
    }
}

static void add_field(Layout *layout, const XtfSchema *schema, XtfCell cell)
{
    const XtfField *field = cell.field;
    g_autofree char *description = NULL;

    for (unsigned i = 0; i < G_N_ELEMENTS(merged_columns) && !description; i++) {
        if (merged_columns[i].role && g_str_equal(merged_columns[i].role, field->role))
            description = g_strdup(merged_columns[i].description);
    }
    if (!description && xtf_field_description(field))
        description = g_strdup(xtf_field_description(field));
    if (!description && refers_to_table(field))
        description = g_strdup_printf(cell.kind == XTF_CELL_NAME ? "name in definitions/%s" : "row of definitions/%s",
                                      field->refers_to);
    add_cell(layout, schema, cell,
             add_column(layout, field->name, field->unit, description ? description : field->role, 1));
}

static bool are_calls_known(const Layout *layout, const XtfSchema *schema)
{
    XtfAggregateRef frames;
    return xtf_aggregate_ref_frames(&frames, layout->formats->context) && frames.schema == schema;
}

/* Adds the field of a call site, by its name. In a growing trace, `enters_leaves` has its number: lines that are
 * complete do not change, and a later commit may have a better name. */
static void add_site_field(Layout *layout, const XtfSchema *schema, const XtfField *field)
{
    XtfCell cell = make_cell(layout, schema, field);
    const XtfPaddedNames *names;

    if ((layout->format->of_calls || !layout->formats->context->growing) && !layout->error &&
        xtf_formats_site_names(layout->formats, &names, &layout->error)) {
        cell.kind = XTF_CELL_NAME;
        cell.names = names;
        cell.width = names->width;
    }
    add_field(layout, schema, cell);
}

/* Adds a column of call sites that are no field of the record. */
static void add_site_column(Layout *layout, const XtfSchema *schema, XtfCellKind kind, const char *name,
                            const char *description)
{
    XtfCell cell = {.kind = kind};

    if (layout->error || !xtf_formats_site_names(layout->formats, &cell.names, &layout->error))
        return;
    cell.width = cell.names->width;
    add_cell(layout, schema, cell, add_column(layout, name, "", description, 1));
}

/* Adds the sites of a call that waits and of its culprit's call, if the trace has call sites. */
static void add_site_columns(Layout *layout, const XtfSchema *schema)
{
    bool waits = schema->kind == XTF_SCHEMA_DERIVED && g_str_equal(schema->name, XTF_DERIVED_WAITS);

    if (!xtf_call_site_field(layout->formats->context))
        return;
    if (waits || (schema->kind == XTF_SCHEMA_RECORD && g_str_equal(schema->name, PENDING)))
        add_site_column(layout, schema, XTF_CELL_SITE, "site", "call site of the call that waits");
    if (waits)
        add_site_column(layout, schema, XTF_CELL_CULPRIT_SITE, "culprit_site",
                        "call site of the culprit's call that ended the wait");
}

/* Adds the name of a record at the end of the line, if the table has names. */
static void add_name(Layout *layout, const XtfSchema *schema, const char *column, const char *description)
{
    const XtfField *name = naming_field(schema);
    XtfCell cell = name ? make_name_cell(layout, schema, name, XTF_NAME_WIDTH_MAX) : (XtfCell){0};

    if (name && cell.kind == XTF_CELL_NAME)
        add_cell(layout, schema, cell, add_column(layout, column, "", description, 1));
}

static void lay_out_type(Layout *layout, const XtfSchema *schema)
{
    const XtfField *seq = xtf_schema_field_by_role(schema, XTF_ROLE_SEQ);
    const XtfField *event = xtf_schema_field_by_role(schema, XTF_ROLE_EVENT);

    add_prefix(layout, "time", "since the origin of the trace");
    uint32_t first = layout->format->columns->len;
    add_column(layout, merged_columns[0].name, "", merged_columns[0].description, 1);
    add_column(layout, merged_columns[1].name, "",
               event && schema->kind == XTF_SCHEMA_DERIVED ? kind_description : merged_columns[1].description, 1);
    if (seq)
        add_cell(layout, schema, make_cell(layout, schema, seq), first);
    add_cell(layout, schema, event ? make_cell(layout, schema, event) : make_type_cell(layout, schema), first + 1);
    for (uint32_t i = 1; i < schema->n_fields; i++) {
        const XtfField *field = &schema->fields[i];
        if (field == xtf_call_site_field(layout->formats->context))
            add_site_field(layout, schema, field);
        else if (field != seq && field != event)
            add_field(layout, schema, make_cell(layout, schema, field));
    }
    add_site_columns(layout, schema);
    if (are_calls_known(layout, schema))
        add_time_of_call(layout, schema, XTF_CELL_LEAVE_DURATION, "duration",
                         "of LEAVE: since its ENTER, by the location's clock");
    add_name(layout, schema, "name", merged_columns[6].description);
}

/* Lays out a line for each call: the rows are ENTERs. */
static void lay_out_calls(Layout *layout, const XtfSchema *schema)
{
    const XtfField *region = xtf_schema_field_by_role(schema, XTF_ROLE_REGION);
    const XtfField *depth = xtf_schema_field_by_role(schema, XTF_ROLE_DEPTH);
    XtfCell ending = {.kind = XTF_CELL_CALL_ENDING};

    layout->format->of_calls = true;
    add_prefix(layout, "start", "when it was entered, since the origin of the trace");
    add_time_of_call(layout, schema, XTF_CELL_CALL_END, "end",
                     "when it ended; if it is open, the location's last record");
    add_time_of_call(layout, schema, XTF_CELL_CALL_DURATION, "duration", "by the location's clock");
    add_time_of_call(layout, schema, XTF_CELL_CALL_EXCLUSIVE, "exclusive", "the same without the calls made in it");
    if (depth)
        add_field(layout, schema, make_cell(layout, schema, depth));
    ending.names = xtf_formats_words(layout->formats, xtf_frame_endings, XTF_N_FRAME_ENDINGS);
    ending.width = ending.names->width;
    add_cell(
        layout, schema, ending,
        add_column(layout, "ending", "", "left; cut: ended without a LEAVE, by another call; open: never left", 1));
    column_at(layout, layout->format->columns->len - 1)->left = true;
    add_field(layout, schema, make_cell(layout, schema, region));
    if (xtf_call_site_field(layout->formats->context))
        add_site_field(layout, schema, xtf_call_site_field(layout->formats->context));
    add_name(layout, schema, "name", "of the region");
}

/* Lays out the fields of a side row, without the time and seq of its record. */
static void lay_out_side(Layout *layout, const XtfSchema *schema)
{
    for (uint32_t i = 1; i < schema->n_fields; i++) {
        if (!g_str_equal(schema->fields[i].role, XTF_ROLE_SEQ))
            add_field(layout, schema, make_name_cell(layout, schema, &schema->fields[i], XTF_STRING_WIDTH_MAX));
    }
}

/* ---- Positions in the line. */

static void position_columns(Layout *layout)
{
    uint32_t at = 0;

    for (unsigned i = 0; i < layout->format->columns->len; i++) {
        XtfRecordColumn *column = column_at(layout, i);
        column->from = at;
        at += column->width + 1;
    }
    layout->format->line = MAX(at, 1);
}

static void finish_program(Layout *layout, XtfProgram *program)
{
    XtfFormat *format = layout->format;

    program->template = g_malloc(format->line);
    memset(program->template, ' ', format->line);
    program->template[format->line - 1] = '\n';
    for (unsigned i = format->has_prefix ? 3 : 0; i < format->columns->len; i++) {
        XtfRecordColumn *column = column_at(layout, i);
        program->template[column->left ? column->from : column->from + column->width - 1] = '-';
    }
    for (uint32_t i = 0; i < program->n_cells; i++) {
        XtfCell *cell = &program->cells[i];
        cell->from = column_at(layout, cell->column)->from;
        cell->to = cell->from + column_at(layout, cell->column)->width;
        if (cell->kind < XTF_CELL_CALL_END)
            cell->max = xtf_largest_of_digits(cell->to - cell->from);
        cell->last = cell->column + 1 == format->columns->len;
        if (cell->kind == XTF_CELL_TYPE)
            memcpy(program->template + cell->from, cell->names->text, cell->names->width);
    }
}

static XtfFormat *lay_out_format(XtfFormats *formats, int64_t type, bool calls, GError **error)
{
    XtfTrace *trace = formats->context->trace;
    g_autoptr(XtfFormat) format = g_new0(XtfFormat, 1);
    Layout layout = {.formats = formats, .format = format};
    const XtfSchema *schema = type >= 0 ? xtf_trace_schema(trace, (uint32_t)type) : NULL;

    format->columns = g_array_new(FALSE, FALSE, sizeof(XtfRecordColumn));
    format->n_programs = xtf_trace_n_schemas(trace);
    format->programs = g_new0(XtfProgram, format->n_programs);
    layout.locations = xtf_trace_context_locations(formats->context, error);
    if (!layout.locations || (!formats->ranks && !(formats->ranks = xtf_trace_context_ranks(formats->context, error))))
        return NULL;
    if (!schema)
        lay_out_merged(&layout);
    else if (calls)
        lay_out_calls(&layout, schema);
    else if (schema->kind == XTF_SCHEMA_SIDE)
        lay_out_side(&layout, schema);
    else
        lay_out_type(&layout, schema);
    if (layout.error) {
        g_propagate_error(error, layout.error);
        return NULL;
    }
    position_columns(&layout);
    for (uint32_t i = 0; i < format->n_programs; i++) {
        if (format->programs[i].cells || (schema && schema->id == i)) /* side rows may have only a time, and no cells */
            finish_program(&layout, &format->programs[i]);
    }
    return g_steal_pointer(&format);
}

static const XtfFormat *get_format(XtfFormats *formats, int64_t type, bool calls, GError **error)
{
    uint32_t n = xtf_trace_n_schemas(formats->context->trace);
    XtfFormat **slot = &formats->formats[calls ? n + 1 : type >= 0 ? (uint32_t)type : n];

    g_mutex_lock(&formats->lock);
    if (!*slot)
        *slot = lay_out_format(formats, type, calls, error);
    const XtfFormat *format = *slot;
    g_mutex_unlock(&formats->lock);
    return format;
}

const XtfFormat *xtf_formats_get(XtfFormats *formats, int64_t type, GError **error)
{
    return get_format(formats, type, false, error);
}

const XtfFormat *xtf_formats_of(XtfFormats *formats, const XtfSelection *selection, GError **error)
{
    return get_format(formats, selection->type, selection->calls, error);
}
