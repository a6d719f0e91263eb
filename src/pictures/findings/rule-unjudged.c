/* Calls of MPI_Alltoallv and MPI_Alltoallw for which the waiting time is unknown. */
#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/model/mpi-functions.h"
#include "src/pictures/findings/finding-rule.h"
#include "src/tables/totals/location-totals.h"

/* Numbers of ENDs of operations of one region: all, and how many say that all exchange data with all. */
typedef struct {
    uint64_t all, n_to_n;
} Ends;

/* Sets *ref to the totals of operations by event and region. False if no operation of the trace says which processes
 * exchange data. */
static bool find_end_totals(const XtfTraceContext *context, XtfAggregateRef *ref, unsigned *cell)
{
    if (!xtf_aggregate_ref_groups(ref, context, XTF_RECORD_COLLECTIVES) || ref->event == XTF_KEY_NONE ||
        ref->region == XTF_KEY_NONE || !xtf_schema_field(ref->schema, "n_to_n"))
        return false;
    *cell = xtf_aggregate_ref_cell(ref, "n_to_n");
    if (!*cell)
        return false;
    uint32_t field = (uint32_t)(xtf_aggregate_ref_value(ref, *cell) - ref->schema->fields);
    return xtf_trace_limits(context->trace, ref->schema->id, field)->max == 1;
}

static Ends sum_ends(const XtfLocationTotals *totals, uint64_t region, unsigned cell)
{
    const XtfAggregateRef *ref = totals->ref;
    const XtfField *event = xtf_aggregate_ref_key(ref, ref->event);
    Ends ends = {0};

    for (uint32_t i = 0; totals->groups && i < xtf_group_totals_n(totals->groups); i++) {
        const uint64_t *key = xtf_group_totals_key(totals->groups, i);
        const uint64_t *cells = xtf_group_totals_cells(totals->groups, i);
        if (key[ref->region] != region || key[ref->event] >= event->n_labels ||
            !g_str_equal(event->labels[key[ref->event]], XTF_EVENT_COLLECTIVE_END))
            continue;
        ends.all += cells[XTF_GROUP_ROWS];
        ends.n_to_n += cells[cell];
    }
    return ends;
}

/* Counts the ENDs of a region in the window, of all processes: one outside of the selection may have a count of 0. */
static bool count_ends(const XtfFindingJob *job, uint64_t region, Ends *ends, GError **error)
{
    XtfTraceContext *context = job->views->context;
    g_autoptr(XtfSelection) all = xtf_selection_new(context);
    g_auto(XtfSelectedLocations) locations = {0};
    g_auto(XtfLocationArrays) arrays = {0};
    g_auto(XtfLocationTotals) totals = {0};
    XtfAggregateRef ref;
    unsigned cell;

    *ends = (Ends){0};
    if (!find_end_totals(context, &ref, &cell))
        return true;
    if (!job->is_whole_run) {
        XtfSelection *window = xtf_selection_in_window(all, job->selection->time_from, job->selection->time_to);
        xtf_selection_unref(all);
        all = window;
    }
    if (!xtf_selected_locations_init(&locations, context, all, error) ||
        !xtf_location_totals_init(&totals, context, all, &ref, MAX(ref.event, ref.region) + 1, error))
        return false;
    for (uint32_t i = 0; i < locations.n; i++)
        if (!xtf_location_arrays_load(&arrays, context, xtf_selected_location(&locations, i), error) ||
            !xtf_location_totals_add_window(&totals, &arrays, error))
            return false;
    *ends = sum_ends(&totals, region, cell);
    return true;
}

bool xtf_finding_is_unjudged(const XtfFindingJob *job, uint64_t row, const char *region, bool *unjudged, GError **error)
{
    static const char *const names[] = {"alltoallv", "alltoallw", NULL};
    Ends ends = {0};

    *unjudged = xtf_mpi_function_find(region, names) >= 0;
    if (!*unjudged || row == UINT64_MAX)
        return true;
    if (!count_ends(job, row, &ends, error))
        return false;
    *unjudged = ends.all == 0 || ends.n_to_n < ends.all;
    return true;
}

bool xtf_rule_unjudged(XtfFindingJob *job, const XtfFindingRule *rule, GError **error)
{
    bool unjudged;

    for (guint i = 0; i < job->profile->len; i++) {
        const XtfProfileLine *line = &g_array_index(job->profile, XtfProfileLine, i);
        double percent = (double)xtf_finding_of_threads(job, line->percent);
        g_autofree char *called = NULL;
        if (percent < rule->threshold * XTF_HUNDREDTHS)
            continue;
        if (!xtf_finding_is_unjudged(job, line->row, line->name, &unjudged, error))
            return false;
        if (!unjudged)
            continue;
        if (!xtf_finding_called(job, job->selection, line->row, &called, error))
            return false;
        xtf_finding_add(job, rule, percent / XTF_HUNDREDTHS, &(XtfFinding){.table = "profile"},
                        "%s%s%s takes %s of %s, and how much of it is waiting is not judged: who sends to whom is "
                        "not recorded",
                        line->name, called, xtf_finding_comma(called), xtf_word_percent(percent).text,
                        xtf_finding_whole(job));
    }
    return true;
}
