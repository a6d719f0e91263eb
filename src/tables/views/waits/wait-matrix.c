/*
 * matrix of waits/: number and time of the waits of each process for each other one. It has a line for each pair that
 * has waits anywhere in the trace. Lines are ordered by the process that waited. Waits without a known culprit are
 * skipped.
 */
#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/tables/totals/waits/kind-totals.h"
#include "src/tables/views/pair-lines.h"

static const XtfColumn columns[] = {
    XTF_COLUMN("waiter", XTF_COLUMN_NUMBER, NULL, "process that waits"),
    XTF_COLUMN("culprit", XTF_COLUMN_NUMBER, NULL, "process that it waits for"),
    XTF_COLUMN("waits", XTF_COLUMN_NUMBER, NULL, "number of waits"),
    XTF_COLUMN("amount", XTF_COLUMN_TIME, NULL, "total time of the waits"),
};

enum { DEPTH = 2 }; /* kind and culprit */

/* The aggregate that has the pairs of all waits, and the aggregate of the selection's waits. */
typedef struct {
    XtfAggregateRef all, chosen;
    unsigned culprit; /* index of a key in `chosen` */
} Sums;

/* Chooses the first aggregate that has the key culprit and all keys by which the selection is narrowed. */
static bool choose_aggregate(Sums *sums, const XtfSchema *schema, const XtfSelection *selection)
{
    static const char *const amount[] = {"amount", NULL}, *const by_kind[] = {"event", NULL},
                             *const by_culprit[] = {"event", XTF_ROLE_CULPRIT, NULL};
    const XtfAggregateNeed exactly = {by_culprit, amount}, any_depth = {by_kind, amount};
    g_autoptr(XtfNumberSet) any = xtf_number_set_of_one(0);
    g_autoptr(XtfSelection) with_culprit = xtf_selection_by(selection, XTF_BY_CULPRIT, any);

    if (!xtf_aggregate_choose(&sums->chosen, schema, with_culprit, &exactly) &&
        !xtf_aggregate_choose(&sums->chosen, schema, with_culprit, &any_depth))
        return false;
    for (unsigned i = 0; i < sums->chosen.aggregate->n_keys; i++) {
        if (g_str_equal(xtf_aggregate_ref_key(&sums->chosen, i)->role, XTF_ROLE_CULPRIT))
            sums->culprit = i;
    }
    return true;
}

static bool find_sums(Sums *sums, const XtfTraceContext *context, const XtfSelection *selection)
{
    const XtfSchema *schema = xtf_trace_find_schema(context->trace, XTF_DERIVED_WAITS);

    if (!schema || schema->kind != XTF_SCHEMA_DERIVED || selection->type != schema->id || selection->base)
        return false;
    g_autoptr(XtfSelection) all = xtf_selection_new(context);
    if (!choose_aggregate(sums, schema, all))
        return false;
    sums->all = sums->chosen;
    sums->all.peer = sums->culprit; /* culprits are the peers, by number of the process */
    sums->all.comm = XTF_KEY_NONE;
    return choose_aggregate(sums, schema, selection);
}

static bool matrix_exists(const XtfTraceContext *context, const XtfSelection *selection)
{
    Sums sums;
    return find_sums(&sums, context, selection);
}

static bool pairs_init(XtfPairLines *pairs, Sums *sums, XtfViews *views, const XtfSelection *selection, GError **error)
{
    find_sums(sums, views->context, selection);
    return xtf_pair_lines_init(pairs, views, selection, &sums->all, selection->by[XTF_BY_CULPRIT], error);
}

static bool shape_matrix(XtfViews *views, const XtfSelection *selection, XtfViewShape *shape, GError **error)
{
    g_auto(XtfPairLines) pairs = {0};
    size_t ticks;
    Sums sums;

    if (!pairs_init(&pairs, &sums, views, selection, error) || !xtf_kind_ticks_width(views->context, &ticks, error))
        return false;
    size_t proc = pairs.selected.locations->proc_width;
    xtf_grid_add(&shape->grid, "waiter", proc);
    xtf_grid_add(&shape->grid, "culprit", proc);
    xtf_grid_add(&shape->grid, "waits", xtf_aggregate_ref_rows_width(&sums.all, views->context));
    xtf_grid_add(&shape->grid, "amount", ticks);
    xtf_pair_lines_shape(&pairs, shape);
    return true;
}

/* ---- Sums, one process after another. */

typedef struct {
    uint64_t waits;
    unsigned __int128 amount;
} Cell;

typedef struct {
    Sums sums;
    XtfPairLines pairs;
    XtfTraceContext *context;
    const XtfSelection *selection;
    XtfLines *lines;
    XtfLastingTotals lasting;
    XtfLocationArrays arrays;
    GArray *culprits; /* numbers of the culprits of the process */
    Cell *cells;      /* by index in `culprits` */
} Count;

static void count_clear(Count *count)
{
    xtf_pair_lines_finish(&count->pairs);
    xtf_lasting_totals_finish(&count->lasting);
    xtf_location_arrays_finish(&count->arrays);
    g_clear_pointer(&count->culprits, g_array_unref);
    g_clear_pointer(&count->cells, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Count, count_clear)

static void add_groups(Count *count)
{
    const XtfGroupTotals *groups = count->lasting.totals.groups;
    const Sums *sums = &count->sums;
    unsigned amount = xtf_aggregate_ref_cell(&sums->chosen, "amount");
    guint at;

    for (uint32_t i = 0; i < xtf_group_totals_n(groups); i++) {
        uint64_t culprit = xtf_group_totals_key(groups, i)[sums->culprit];
        if (!g_array_binary_search(count->culprits, &culprit, xtf_compare_numbers, &at))
            continue;
        count->cells[at].waits += xtf_group_totals_cells(groups, i)[XTF_GROUP_ROWS];
        count->cells[at].amount += xtf_group_totals_cells(groups, i)[amount];
    }
}

static bool count_process(Count *count, const XtfSelectedProcess *proc, GError **error)
{
    const XtfSelection *selection = count->selection;

    g_clear_pointer(&count->culprits, g_array_unref);
    if (!(count->culprits = xtf_pair_finder_find(&count->pairs.finder, proc->proc, error)))
        return false;
    g_free(count->cells);
    count->cells = g_new0(Cell, count->culprits->len + 1);
    for (uint32_t i = proc->first; i < proc->first + proc->n; i++) {
        const XtfLocation *location = xtf_selected_location(&count->pairs.selected, i);
        if (!xtf_location_arrays_load(&count->arrays, count->context, location, error))
            return false;
        const XtfArray *array = xtf_location_arrays_find(&count->arrays, count->sums.chosen.schema);
        xtf_group_totals_clear(count->lasting.totals.groups);
        if (array && !xtf_lasting_totals_add(&count->lasting, array, proc->proc, selection->time_from,
                                             selection->time_to, error))
            return false;
        add_groups(count);
    }
    return true;
}

static bool add_wait_matrix_lines(void *data, const XtfSelectedProcess *proc, uint64_t from, uint64_t to,
                                  GError **error)
{
    Count *count = data;

    if (!count_process(count, proc, error))
        return false;
    for (uint64_t i = from; i < MIN(to, count->culprits->len); i++) {
        xtf_lines_number(count->lines, proc->proc);
        xtf_lines_number(count->lines, g_array_index(count->culprits, uint64_t, i));
        xtf_lines_number(count->lines, count->cells[i].waits);
        xtf_lines_ticks(count->lines, count->cells[i].amount);
    }
    return true;
}

static bool fill_matrix(XtfViews *views, XtfSelection *selection, uint64_t first, uint64_t n, XtfLines *lines,
                        GError **error)
{
    g_auto(Count) count = {.context = views->context, .selection = selection, .lines = lines};

    return pairs_init(&count.pairs, &count.sums, views, selection, error) &&
           xtf_lasting_totals_init(&count.lasting, views->context, selection, &count.sums.chosen,
                                   MAX(count.sums.culprit + 1, DEPTH), "amount", error) &&
           xtf_pair_lines_fill(&count.pairs, first, n, add_wait_matrix_lines, &count, error);
}

const XtfView xtf_view_matrix_of_waits = {.table =
                                              XTF_TABLE("matrix", "waits of each process for each other one", columns),
                                          .subject = &xtf_about_waits,
                                          .exists = matrix_exists,
                                          .shape = shape_matrix,
                                          .fill = fill_matrix,
                                          .refused_keys = 1 << XTF_GROUP_BY_PROC | 1 << XTF_GROUP_BY_THREAD};
