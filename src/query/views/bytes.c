/*
 * bytes: the bytes that each process sent and received, in messages and in collective operations.
 */
#include "libxtf/vocabulary.h"
#include "src/query/views/location-totals.h"
#include "src/query/views/view.h"

enum {
    PART_LINES = 1024,
};

enum { SENDS, RECVS, COLLECTIVES, N_TYPES };

static const char *const types[N_TYPES] = {XTF_RECORD_SENDS, XTF_RECORD_RECVS, XTF_RECORD_COLLECTIVES};

static void find_aggregates(const XtfTraceContext *context, XtfAggregateRef refs[static N_TYPES])
{
    for (unsigned i = 0; i < N_TYPES; i++) {
        if (!xtf_aggregate_ref_groups(&refs[i], context, types[i]) || !refs[i].bytes ||
            (i == COLLECTIVES && refs[i].event == XTF_KEY_NONE))
            refs[i] = (XtfAggregateRef){0};
    }
}

static bool bytes_exists(const XtfTraceContext *context, const XtfSelection *selection)
{
    XtfAggregateRef refs[N_TYPES];
    bool exists = false;

    find_aggregates(context, refs);
    for (unsigned i = 0; i < N_TYPES; i++)
        exists |= refs[i].schema && xtf_selection_may_have(selection, refs[i].schema);
    return exists && !selection->base;
}

static bool shape_bytes(XtfViews *views, const XtfSelection *selection, XtfViewShape *shape, GError **error)
{
    const XtfTraceContext *context = views->context;
    g_auto(XtfSelectedLocations) selected = {0};
    XtfAggregateRef m[N_TYPES];

    if (!xtf_selected_locations_init(&selected, views->context, selection, error))
        return false;
    find_aggregates(context, m);
    shape->n_lines = selected.n_procs;
    shape->at_once = PART_LINES;
    xtf_grid_add(&shape->grid, "proc", selected.locations->proc_width);
    xtf_grid_add(&shape->grid, "messages_sent", xtf_aggregate_ref_rows_width(&m[SENDS], context));
    xtf_grid_add(&shape->grid, "bytes_sent", xtf_aggregate_ref_sum_width(&m[SENDS], context, m[SENDS].bytes));
    xtf_grid_add(&shape->grid, "messages_received", xtf_aggregate_ref_rows_width(&m[RECVS], context));
    xtf_grid_add(&shape->grid, "bytes_received", xtf_aggregate_ref_sum_width(&m[RECVS], context, m[RECVS].bytes));
    xtf_grid_add(&shape->grid, "collectives", xtf_aggregate_ref_rows_width(&m[COLLECTIVES], context));
    xtf_grid_add(&shape->grid, "collective_sent",
                 xtf_aggregate_ref_sum_width(&m[COLLECTIVES], context, m[COLLECTIVES].bytes));
    xtf_grid_add(&shape->grid, "collective_received",
                 xtf_aggregate_ref_sum_width(&m[COLLECTIVES], context, m[COLLECTIVES].received));
    return true;
}

/* Whether a group's rows end a collective operation: only these have its bytes. */
static bool ends_collective(const XtfAggregateRef *ref, const uint64_t *key)
{
    const XtfField *event = xtf_aggregate_ref_key(ref, ref->event);
    uint64_t value = key[ref->event];

    return value < event->n_labels && (g_str_equal(event->labels[value], XTF_EVENT_COLLECTIVE_END) ||
                                       g_str_equal(event->labels[value], XTF_EVENT_COLLECTIVE_COMPLETE));
}

typedef struct {
    uint64_t rows, bytes, received;
} Sum;

static Sum sum_up(const XtfLocationTotals *totals, bool collectives)
{
    const XtfAggregateRef *ref = totals->ref;
    Sum sum = {0};

    for (uint32_t i = 0; totals->groups && i < xtf_group_totals_n(totals->groups); i++) {
        const uint64_t *cells = xtf_group_totals_cells(totals->groups, i);
        if (collectives && !ends_collective(ref, xtf_group_totals_key(totals->groups, i)))
            continue;
        sum.rows += cells[XTF_GROUP_ROWS];
        sum.bytes += cells[ref->bytes];
        sum.received += ref->received ? cells[ref->received] : 0;
    }
    return sum;
}

typedef struct {
    XtfAggregateRef refs[N_TYPES];
    XtfLocationTotals totals[N_TYPES];
    XtfLocationArrays arrays;
} Count;

static void count_clear(Count *count)
{
    for (unsigned i = 0; i < N_TYPES; i++)
        xtf_location_totals_finish(&count->totals[i]);
    xtf_location_arrays_finish(&count->arrays);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Count, count_clear)

static bool count_init(Count *count, XtfTraceContext *context, const XtfSelection *selection, GError **error)
{
    find_aggregates(context, count->refs);
    for (unsigned i = 0; i < N_TYPES; i++) {
        unsigned depth = i == COLLECTIVES ? count->refs[i].event + 1 : 0;
        if (!xtf_location_totals_init(&count->totals[i], context, selection, &count->refs[i], depth, error))
            return false;
    }
    return true;
}

static bool count_process(Count *count, const XtfTraceContext *context, const XtfSelectedLocations *selected,
                          const XtfSelectedProcess *proc, GError **error)
{
    for (unsigned i = 0; i < N_TYPES; i++) {
        if (count->totals[i].groups)
            xtf_group_totals_clear(count->totals[i].groups);
    }
    for (uint32_t i = proc->first; i < proc->first + proc->n; i++) {
        if (!xtf_location_arrays_load(&count->arrays, context, xtf_selected_location(selected, i), error))
            return false;
        for (unsigned j = 0; j < N_TYPES; j++) {
            if (!xtf_location_totals_add_window(&count->totals[j], &count->arrays, error))
                return false;
        }
    }
    return true;
}

static bool fill_bytes(XtfViews *views, XtfSelection *selection, uint64_t first, uint64_t n, XtfLines *lines,
                       GError **error)
{
    g_auto(XtfSelectedLocations) selected = {0};
    g_auto(Count) count = {0};

    if (!xtf_selected_locations_init(&selected, views->context, selection, error) ||
        !count_init(&count, views->context, selection, error))
        return false;
    for (uint64_t i = first; i < first + n; i++) {
        if (!count_process(&count, views->context, &selected, &selected.procs[i], error))
            return false;
        xtf_lines_number(lines, selected.procs[i].proc);
        for (unsigned j = 0; j < N_TYPES; j++) {
            Sum sum = sum_up(&count.totals[j], j == COLLECTIVES);
            xtf_lines_number(lines, sum.rows);
            xtf_lines_number(lines, sum.bytes);
            if (j == COLLECTIVES)
                xtf_lines_number(lines, sum.received);
        }
    }
    return true;
}

const XtfView xtf_view_bytes = {
    .name = "bytes", .lasting = true, .exists = bytes_exists, .shape = shape_bytes, .fill = fill_bytes};
