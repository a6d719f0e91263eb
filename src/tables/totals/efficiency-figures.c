#include "src/tables/totals/efficiency-figures.h"

#include "src/tables/totals/mpi-bounds.h"
#include "src/tables/totals/regions/class-times.h"
#include "src/tables/totals/regions/recorded-procs.h"
#include "src/tables/totals/waits/lasting-totals.h"
#include "src/trace/select/aggregate-choice.h"

static void note_time(XtfEfficiencySpread *spread, uint64_t proc, double ticks)
{
    if (!spread->n++ || ticks > spread->max) {
        spread->max = ticks;
        spread->max_proc = proc;
    }
    spread->sum += ticks;
}

bool xtf_efficiency_has_omp(const XtfRegionClasses *classes)
{
    return classes->present & XTF_CLASSES_OMP;
}

bool xtf_efficiency_has_communication(const XtfRegionClasses *classes)
{
    return classes->present & XTF_CLASSES_COMMUNICATION;
}

/* True if a location is a thread, but not the first thread of its process. */
static bool is_worker(const XtfLocations *locations, const XtfLocation *location)
{
    uint32_t first = xtf_locations_of_proc(locations, location->proc);

    while (first < locations->n && !locations->all[first].is_cpu_thread)
        first++;
    return location > &locations->all[first];
}

static unsigned __int128 subtract_clamped(unsigned __int128 a, unsigned __int128 b)
{
    return a - MIN(a, b); /* in a damaged trace, b may be greater */
}

/* ---- Waits from an analysis. */

static const char *const by_region[] = {"event", "region", NULL}, *const by_nothing[] = {NULL};
static const char *const of_amount[] = {"amount", NULL}, *const of_waited[] = {"waited", NULL};

/* Totals of an analysis for the first thread of each process. */
typedef struct {
    XtfAggregateRef waits, ideal; /* schema NULL: the trace has no such analysis, or it is outdated */
    XtfLastingTotals waited, waited_ideally;
} Analysis;

static void analysis_finish(Analysis *analysis)
{
    xtf_lasting_totals_finish(&analysis->waited);
    xtf_lasting_totals_finish(&analysis->waited_ideally);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Analysis, analysis_finish)

static bool find_lasting_rows(XtfAggregateRef *ref, XtfLastingTotals *lasting, XtfTraceContext *context,
                              const XtfSelection *all, const char *type, const XtfAggregateNeed *need,
                              const char *length, GError **error)
{
    const XtfSchema *schema = xtf_trace_context_schema(context, type, XTF_SCHEMA_DERIVED);
    bool outdated = false;

    if (schema && !xtf_trace_context_is_outdated(context, schema, &outdated, error))
        return false;
    if (!schema || outdated)
        return true;
    g_autoptr(XtfSelection) rows = xtf_selection_in_type(all, schema->id);
    return !xtf_aggregate_choose(ref, schema, rows, need) ||
           xtf_lasting_totals_init(lasting, context, rows, ref, g_strv_length((char **)need->keys), length, error);
}

static bool analysis_init(Analysis *analysis, XtfTraceContext *context, const XtfSelection *selection, GError **error)
{
    g_autoptr(XtfSelection) all = xtf_selection_of_any_type(selection);

    return find_lasting_rows(&analysis->waits, &analysis->waited, context, all, "waits",
                             &(XtfAggregateNeed){by_region, of_amount}, "amount", error) &&
           find_lasting_rows(&analysis->ideal, &analysis->waited_ideally, context, all, "ideal",
                             &(XtfAggregateNeed){by_nothing, of_waited}, NULL, error);
}

/* MPI classes without files; and also without MPI_Init and MPI_Finalize. */
static const XtfClassSet mpi_without_files = XTF_CLASSES_MPI & ~XTF_CLASS_BIT(XTF_CLASS_MPI_IO);
static const XtfClassSet communication =
    XTF_CLASSES_MPI & ~XTF_CLASS_BIT(XTF_CLASS_MPI_IO) & ~XTF_CLASS_BIT(XTF_CLASS_MPI_INIT);

/* True if a group has waits in regions of some classes. Rows of wait completions are no waits. */
static bool is_wait(const XtfAggregateRef *ref, const XtfRegionClasses *classes, XtfClassSet within,
                    const uint64_t *key)
{
    const XtfField *event = xtf_aggregate_ref_key(ref, 0);

    if (key[0] < event->n_labels && g_str_has_suffix(event->labels[key[0]], "_completion"))
        return false;
    return XTF_CLASS_BIT(xtf_region_classes_of(classes, key[1])) & within;
}

/* Adds the ticks that a location waited in the window. With `classes`: the waits in MPI, and the part of them in
 * communication. Without: all waits. */
static bool add_wait_ticks(const XtfAggregateRef *ref, XtfLastingTotals *lasting, const XtfLocationArrays *arrays,
                           const XtfSelection *selection, const XtfRegionClasses *classes, uint64_t *ticks,
                           uint64_t *communicating, GError **error)
{
    const XtfArray *array = xtf_location_arrays_find(arrays, ref->schema);
    XtfGroupTotals *groups = lasting->totals.groups;
    unsigned cell = xtf_aggregate_ref_cell(ref, classes ? *of_amount : *of_waited);

    *ticks = *communicating = 0;
    if (!array)
        return true;
    xtf_group_totals_clear(groups);
    if (!xtf_lasting_totals_add(lasting, array, arrays->location->proc, selection->time_from, selection->time_to,
                                error))
        return false;
    for (uint32_t i = 0; i < xtf_group_totals_n(groups); i++) {
        uint64_t value = xtf_group_totals_cells(groups, i)[cell];
        const uint64_t *key = xtf_group_totals_key(groups, i);
        *ticks += !classes || is_wait(ref, classes, mpi_without_files, key) ? value : 0;
        *communicating += classes && is_wait(ref, classes, communication, key) ? value : 0;
    }
    return true;
}

/* Adds the least times of a process, from its first thread, to `measured`. */
static bool note_least(Analysis *analysis, const XtfRegionTimes *region_times, const XtfRegionClasses *classes,
                       const XtfClassTimes *times, XtfEfficiency *measured, GError **error)
{
    const XtfSelection *selection = region_times->selection;
    const XtfLocationArrays *arrays = &region_times->arrays;
    uint64_t proc = arrays->location->proc, ticks, communicating;

    if (analysis->waits.schema) {
        if (!add_wait_ticks(&analysis->waits, &analysis->waited, arrays, selection, classes, &ticks, &communicating,
                            error))
            return false;
        unsigned __int128 mpi = xtf_class_times_of(times, mpi_without_files);
        note_time(&measured->untransferred, proc, (double)subtract_clamped(times->whole, subtract_clamped(mpi, ticks)));
        mpi = xtf_class_times_of(times, communication);
        measured->communication += (double)mpi;
        measured->unexplained += (double)subtract_clamped(mpi, communicating);
    }
    if (analysis->ideal.schema) {
        if (!add_wait_ticks(&analysis->ideal, &analysis->waited_ideally, arrays, selection, NULL, &ticks,
                            &communicating, error))
            return false;
        note_time(&measured->ideal, proc,
                  (double)subtract_clamped(times->whole, xtf_class_times_of(times, XTF_CLASSES_MPI)) + (double)ticks);
    }
    return true;
}

/* ---- Measuring. */

static double useful_ticks(const XtfClassTimes *times, bool idle_outside)
{
    unsigned __int128 useful = xtf_class_times_program(times) + times->before;

    return (double)subtract_clamped(MIN(useful, times->whole), idle_outside ? xtf_class_times_outside(times) : 0);
}

/* Adds a process, unless none of its selected threads has calls. */
static bool measure_process(XtfRegionTimes *region_times, const XtfSelectedLocations *selected,
                            const XtfSelectedProcess *process, const XtfRegionClasses *classes, Analysis *analysis,
                            XtfEfficiency *measured, GError **error)
{
    double useful = 0;
    uint32_t n = 0;

    for (uint32_t i = process->first; i < process->first + process->n; i++) {
        const XtfLocation *location = xtf_selected_location(selected, i);
        XtfClassTimes times = {0};
        uint64_t ticks;
        if (!location->is_cpu_thread)
            continue;
        if (!xtf_region_times_measure(region_times, location, &ticks, error))
            return false;
        if (!xtf_location_arrays_find(&region_times->arrays, region_times->frames.schema))
            continue;
        xtf_class_times_add(&times, region_times, classes, ticks);
        useful += useful_ticks(&times, xtf_efficiency_has_omp(classes) && is_worker(selected->locations, location));
        if (n++)
            continue;
        note_time(&measured->outside, process->proc,
                  (double)subtract_clamped(times.whole, xtf_class_times_of(&times, XTF_CLASSES_MPI)));
        if (!note_least(analysis, region_times, classes, &times, measured, error))
            return false;
    }
    if (n)
        note_time(&measured->useful, process->proc, useful / n);
    return true;
}

bool xtf_efficiency_measure(XtfFormats *formats, const XtfSelection *selection, XtfEfficiency *measured, GError **error)
{
    const XtfRegionClasses *classes = xtf_trace_context_classes(formats->context, error);
    g_auto(XtfRecordedProcs) recorded = {0};
    g_auto(XtfRegionTimes) region_times = {0};
    g_auto(XtfSelectedLocations) selected = {0};
    g_auto(Analysis) analysis = {0};

    *measured = (XtfEfficiency){0};
    xtf_selection_window(selection, &formats->context->scale, &measured->from, &measured->to);
    if (!classes || !xtf_recorded_procs_find(&recorded, formats, selection, error))
        return false;
    selection = recorded.selection;
    uint64_t gaps = xtf_run_gaps_ticks(&formats->context->gaps, measured->from, measured->to) + recorded.unrecorded;
    measured->gaps = MIN(gaps, measured->to - measured->from);
    if (!xtf_region_times_init(&region_times, formats, selection, error) ||
        !xtf_selected_locations_init(&selected, formats->context, selection, error) ||
        !analysis_init(&analysis, formats->context, selection, error))
        return false;
    for (uint32_t i = 0; i < selected.n_procs; i++) {
        if (!measure_process(&region_times, &selected, &selected.procs[i], classes, &analysis, measured, error))
            return false;
    }
    return true;
}

bool xtf_efficiency_measure_focus(XtfResolver *resolver, XtfFormats *formats, const XtfSelection *selection,
                                  bool *exists, XtfEfficiency *measured, GError **error)
{
    XtfMpiBounds bounds;

    if (!xtf_mpi_bounds_find(&bounds, resolver, error))
        return false;
    *exists = bounds.exist;
    if (!bounds.exist)
        return true;
    g_autoptr(XtfSelection) focus = xtf_selection_in_window(selection, bounds.from, bounds.to);
    return xtf_efficiency_measure(formats, focus, measured, error);
}

void xtf_efficiency_ratio(const XtfEfficiency *measured, XtfEfficiencyFigure figure, const XtfEfficiencySpread *spread,
                          double *part, double *whole)
{
    double n = spread->n, width = (double)(measured->to - measured->from - measured->gaps);

    switch (figure) {
    case XTF_MEAN_TO_WIDTH:
        *part = spread->sum;
        *whole = n * width;
        break;
    case XTF_MEAN_TO_MAX:
        *part = spread->sum;
        *whole = n * spread->max;
        break;
    case XTF_MAX_TO_WIDTH:
        *part = spread->max;
        *whole = n > 0 ? width : 0;
        break;
    case XTF_USEFUL_TO_MEAN:
        *part = measured->useful.sum;
        *whole = spread->sum;
        break;
    case XTF_USEFUL_TO_MAX:
        *part = measured->useful.max;
        *whole = n > 0 ? spread->max : 0;
        break;
    case XTF_UNEXPLAINED_TO_WHOLE:
        *part = measured->unexplained;
        *whole = n > 0 ? measured->communication : 0;
        break;
    }
}

bool xtf_efficiency_exists(const XtfTraceContext *context, const XtfSelection *selection)
{
    return !selection->by[XTF_BY_REGION] && xtf_region_times_exist(context, selection);
}
