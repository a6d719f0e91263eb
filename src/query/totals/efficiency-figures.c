#include "src/query/totals/efficiency-figures.h"

#include "src/query/totals/class-times.h"
#include "src/query/totals/mpi-bounds.h"

static void note(XtfEfficiencySpread *spread, uint64_t proc, double ticks)
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

/* Whether a location is no first thread of its process. */
static bool is_worker(const XtfLocations *locations, const XtfLocation *location)
{
    uint32_t first = xtf_locations_of_proc(locations, location->proc);

    while (first < locations->n && locations->all[first].no_thread)
        first++;
    return location > &locations->all[first];
}

static unsigned __int128 less(unsigned __int128 a, unsigned __int128 b)
{
    return a - MIN(a, b); /* of a damaged trace b could be more */
}

static double useful_ticks(const XtfClassTimes *times, bool idle_outside)
{
    XtfClassSet others = (XTF_CLASS_BIT(XTF_N_CLASSES) - 1) & ~XTF_CLASSES_USEFUL;
    unsigned __int128 lost = xtf_class_times_of(times, others);

    return (double)less(times->whole, lost + (idle_outside ? xtf_class_times_outside(times) : 0));
}

/* Adds a process, unless none of its selected locations is a thread that has calls. */
static bool measure_process(XtfRegionTimes *region_times, const XtfSelectedLocations *selected,
                            const XtfSelectedProcess *process, const XtfRegionClasses *classes, XtfEfficiency *measured,
                            GError **error)
{
    double useful = 0;
    uint32_t n = 0;

    for (uint32_t i = process->first; i < process->first + process->n; i++) {
        const XtfLocation *location = xtf_selected_location(selected, i);
        XtfClassTimes times = {0};
        uint64_t ticks;
        if (location->no_thread)
            continue;
        if (!xtf_region_times_measure(region_times, location, &ticks, error))
            return false;
        if (!xtf_location_arrays_find(&region_times->arrays, region_times->frames.schema))
            continue;
        xtf_class_times_add(&times, region_times, classes, ticks);
        useful += useful_ticks(&times, xtf_efficiency_has_omp(classes) && is_worker(selected->locations, location));
        if (!n++)
            note(&measured->outside, process->proc,
                 (double)less(times.whole, xtf_class_times_of(&times, XTF_CLASSES_MPI)));
    }
    if (n)
        note(&measured->useful, process->proc, useful / n);
    return true;
}

bool xtf_efficiency_measure(XtfFormats *formats, const XtfSelection *selection, XtfEfficiency *measured, GError **error)
{
    const XtfRegionClasses *classes = xtf_trace_context_classes(formats->context, error);
    g_auto(XtfRegionTimes) region_times = {0};
    g_auto(XtfSelectedLocations) selected = {0};

    *measured = (XtfEfficiency){0};
    xtf_selection_window(selection, &formats->context->scale, &measured->from, &measured->to);
    if (!classes || !xtf_region_times_init(&region_times, formats, selection, error) ||
        !xtf_selected_locations_init(&selected, formats->context, selection, error))
        return false;
    for (uint32_t i = 0; i < selected.n_procs; i++) {
        if (!measure_process(&region_times, &selected, &selected.procs[i], classes, measured, error))
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

void xtf_efficiency_ratio(const XtfEfficiency *measured, XtfEfficiencyFigure figure, bool outside, double *part,
                          double *whole)
{
    const XtfEfficiencySpread *spread = outside ? &measured->outside : &measured->useful;
    double n = spread->n, width = (double)(measured->to - measured->from);

    *part = figure == XTF_MAX_TO_WIDTH     ? spread->max
            : figure == XTF_USEFUL_TO_MEAN ? measured->useful.sum
                                           : spread->sum;
    switch (figure) {
    case XTF_MEAN_TO_WIDTH:
        *whole = n * width;
        break;
    case XTF_MEAN_TO_MAX:
        *whole = n * spread->max;
        break;
    case XTF_MAX_TO_WIDTH:
        *whole = n > 0 ? width : 0;
        break;
    case XTF_USEFUL_TO_MEAN:
        *whole = spread->sum;
        break;
    }
}

bool xtf_efficiency_exists(const XtfTraceContext *context, const XtfSelection *selection)
{
    return !selection->by[XTF_BY_REGION] && xtf_region_times_exist(context, selection);
}
