#include "src/pictures/timeline/rows/row-waits.h"

#include "libxtf/group-filter.h"
#include "libxtf/vocabulary.h"
#include "src/model/schemas.h"
#include "src/trace/select/aggregate-choice.h"

enum {
    WALKED_MAX = 4096,   /* most waits that are visited one by one... */
    WALKED_COLUMN = 128, /* or most waits for each column: beyond, the index is read at each edge */
};

/* ---- The waits to read. */

bool xtf_row_waits_init(XtfRowWaits *waits, XtfTraceContext *context, XtfSelection *selection,
                        const XtfRegions *regions, GError **error)
{
    static const char *const keys[] = {"event", "region", NULL}, *const values[] = {"amount", NULL};
    static const XtfAggregateNeed need = {keys, values};
    const XtfSchema *schema = xtf_trace_context_schema(context, XTF_DERIVED_WAITS, XTF_SCHEMA_DERIVED);
    bool outdated = false;

    *waits = (XtfRowWaits){.context = context, .regions = regions};
    xtf_wait_fields_init(&waits->fields, context);
    if (!schema || waits->fields.schema != schema)
        return true;
    if (!xtf_trace_context_is_outdated(context, schema, &outdated, error))
        return false;
    waits->selection = xtf_selection_in_type(selection, schema->id);
    if (outdated || waits->selection->type == XTF_NO_TYPE ||
        !xtf_aggregate_choose(&waits->ref, schema, waits->selection, &need))
        return true;
    if (!xtf_lasting_totals_init(&waits->lasting, context, waits->selection, &waits->ref, 2, "amount", error))
        return false;
    waits->exist = !waits->lasting.totals.is_empty;
    return true;
}

void xtf_row_waits_finish(XtfRowWaits *waits)
{
    xtf_lasting_totals_finish(&waits->lasting);
    g_clear_pointer(&waits->selection, xtf_selection_unref);
}

static uint64_t wait_line(const XtfRowWaits *waits, uint64_t region)
{
    return MIN(xtf_region_line(waits->regions, region), xtf_regions_n_lines(waits->regions) - 1);
}

/* ---- One by one. */

bool xtf_row_waits_visit(const XtfRowWaits *waits, const XtfArray *array, uint64_t proc, uint64_t from, uint64_t to,
                         XtfPictureWaitVisit visit, void *data, GError **error)
{
    const XtfLocationTotals *totals = &waits->lasting.totals;
    const XtfFilter filter = {totals->matcher, proc};
    const XtfGroupFilter groups = xtf_filter_groups(&filter);
    uint64_t before = 0; /* end of the wait before, as waits of a damaged file may overlap */
    bool found;
    g_auto(XtfCursor) cursor;

    xtf_cursor_init(&cursor, array);
    if (!xtf_cursor_seek_t(&cursor, from, &found, error))
        return false;
    while (found && before < to) {
        const uint8_t *bytes = xtf_cursor_row(&cursor);
        uint64_t end = xtf_cursor_time(&cursor);
        uint64_t length =
            xtf_field_is_none(waits->fields.amount, bytes) ? 0 : xtf_field_get(waits->fields.amount, bytes);
        const XtfPictureWait wait = {.row = cursor.n,
                                     .begin = MAX(end - MIN(end, length), before),
                                     .end = end,
                                     .line = wait_line(waits, xtf_field_get(waits->fields.region, bytes)),
                                     .bytes = bytes};
        if (wait.begin < MIN(end, to) && end > from &&
            (!totals->matcher || xtf_row_matches(array->schema, totals->ref->number, &groups, bytes)))
            visit(&wait, data);
        before = end;
        if (!xtf_cursor_next(&cursor, 1, &found, error))
            return false;
    }
    return true;
}

/* ---- By columns. */

typedef struct {
    XtfRowColumns *waited;
    const XtfColumnPlan *plan;
    uint32_t at; /* column in which the wait before ended */
} Walk;

static void add_wait_share(XtfPictureColumn *column, uint64_t line, uint64_t ticks)
{
    const XtfShare share = {.line = line, .ticks = ticks};

    if (ticks > 0)
        xtf_picture_column_add(column, &share);
}

static void add_wait_to_columns(const XtfPictureWait *wait, void *data)
{
    Walk *walk = data;

    while (walk->at < walk->waited->n && xtf_column_time(walk->plan, walk->waited->all[walk->at].to) <= wait->begin)
        walk->at++;
    for (uint32_t i = walk->at; i < walk->waited->n; i++) {
        XtfPictureColumn *column = &walk->waited->all[i];
        uint64_t from = xtf_column_time(walk->plan, column->from), to = xtf_column_time(walk->plan, column->to);
        if (from >= wait->end)
            return;
        add_wait_share(column, wait->line, MIN(to, wait->end) - MAX(from, wait->begin));
    }
}

/* Adds the waits from the index, which it reads at each edge. */
static bool add_by_index(const XtfRowWaits *waits, const XtfArray *array, uint64_t proc, XtfRowColumns *waited,
                         const XtfColumnPlan *plan, GError **error)
{
    XtfLastingTotals lasting;
    bool good = true;

    xtf_lasting_totals_init_more(&lasting, &waits->lasting);
    for (uint32_t i = 0; good && i < waited->n; i++) {
        XtfPictureColumn *column = &waited->all[i];
        XtfGroupTotals *groups = lasting.totals.groups;
        xtf_group_totals_clear(groups);
        good = xtf_lasting_totals_add(&lasting, array, proc, xtf_column_time(plan, column->from),
                                      xtf_column_time(plan, column->to), error);
        for (uint32_t j = 0; good && j < xtf_group_totals_n(groups); j++)
            add_wait_share(column, wait_line(waits, xtf_group_totals_key(groups, j)[1]),
                           xtf_group_totals_cells(groups, j)[xtf_aggregate_ref_cell(&waits->ref, "amount")]);
    }
    xtf_lasting_totals_finish(&lasting);
    return good;
}

static bool add_array_waits(const XtfRowWaits *waits, const XtfArray *array, uint64_t proc, XtfRowColumns *waited,
                            const XtfColumnPlan *plan, GError **error)
{
    Walk walk = {.waited = waited, .plan = plan};
    XtfSpan span;

    xtf_span_init(&span, array);
    if (plan->from > array->last)
        return true;
    if (!xtf_span_cut(&span, plan->from, plan->to, error))
        return false;
    if (span.hi - span.lo > MAX(WALKED_MAX, (uint64_t)waited->n * WALKED_COLUMN))
        return add_by_index(waits, array, proc, waited, plan, error);
    return xtf_row_waits_visit(waits, array, proc, plan->from, plan->to, add_wait_to_columns, &walk, error);
}

bool xtf_row_waits_measure(const XtfRowWaits *waits, XtfRowColumns *waited, const XtfRowColumns *columns,
                           const XtfColumnPlan *plan, const XtfPictureRows *rows, const XtfPictureRow *row,
                           XtfLocationArrays *arrays, GError **error)
{
    *waited = (XtfRowColumns){.all = g_new0(XtfPictureColumn, MAX(columns->n, 1)), .n = columns->n};
    for (uint32_t i = 0; i < columns->n; i++)
        waited->all[i] =
            (XtfPictureColumn){.from = columns->all[i].from, .to = columns->all[i].to, .whole = columns->all[i].whole};
    for (uint32_t i = 0; i < row->n; i++) {
        const XtfLocation *location = xtf_selected_location(&rows->selected, row->first + i);
        if (!xtf_location_arrays_load(arrays, waits->context, location, error))
            return false;
        const XtfArray *array = xtf_location_arrays_find(arrays, waits->fields.schema);
        if (array && !add_array_waits(waits, array, row->proc, waited, plan, error))
            return false;
    }
    return true;
}
