#include "src/tables/totals/regions/recorded-procs.h"

#include "src/tables/totals/regions/class-times.h"

enum { TOLERANCE = 100 }; /* times of compared processes differ by at most 1/TOLERANCE of the window */

void xtf_recorded_procs_finish(XtfRecordedProcs *recorded)
{
    g_clear_pointer(&recorded->procs, xtf_number_set_unref);
    g_clear_pointer(&recorded->selection, xtf_selection_unref);
}

/* Measures the time in which a process was not recorded: the mean of its threads that have calls. */
static bool measure_process(XtfRegionTimes *region_times, const XtfSelectedLocations *selected,
                            const XtfSelectedProcess *process, const XtfRegionClasses *classes, XtfClassTimes *all,
                            uint64_t *ticks, GError **error)
{
    XtfClassTimes times = {0};
    uint64_t width, n = 0;

    for (uint32_t i = process->first; i < process->first + process->n; i++) {
        const XtfLocation *location = xtf_selected_location(selected, i);
        if (!location->is_cpu_thread)
            continue;
        if (!xtf_region_times_measure(region_times, location, &width, error))
            return false;
        if (!xtf_location_arrays_find(&region_times->arrays, region_times->frames.schema))
            continue;
        xtf_class_times_add(&times, region_times, classes, width);
        xtf_class_times_add(all, region_times, classes, width);
        n++;
    }
    *ticks = n ? (uint64_t)(times.ticks[XTF_CLASS_UNRECORDED] / n) : 0;
    return true;
}

/* Makes the set of processes that were not recorded for at most `most` ticks. NULL: all of the selection were not. */
static XtfNumberSet *choose_procs(const XtfSelectedLocations *selected, const uint64_t *ticks, uint64_t most)
{
    g_autoptr(GArray) ranges = g_array_new(FALSE, FALSE, sizeof(XtfNumberRange));

    for (uint32_t i = 0; i < selected->n_procs; i++) {
        XtfNumberRange range = {selected->procs[i].proc, selected->procs[i].proc};
        if (ticks[i] <= most)
            g_array_append_val(ranges, range);
    }
    if (ranges->len == selected->n_procs)
        return NULL;
    return xtf_number_set_from_ranges((const XtfNumberRange *)(void *)ranges->data, ranges->len);
}

/* Measures all processes of a selection without facets. */
static bool measure_all(XtfRecordedProcs *recorded, XtfFormats *formats, const XtfSelection *selection,
                        const XtfRegionClasses *classes, GError **error)
{
    g_auto(XtfRegionTimes) region_times = {0};
    g_auto(XtfSelectedLocations) selected = {0};
    XtfClassTimes all = {0};
    uint64_t from, to;

    if (!xtf_region_times_init(&region_times, formats, selection, error) ||
        !xtf_selected_locations_init(&selected, formats->context, selection, error))
        return false;
    g_autofree uint64_t *ticks = g_new0(uint64_t, selected.n_procs);
    for (uint32_t i = 0; i < selected.n_procs; i++) {
        if (!measure_process(&region_times, &selected, &selected.procs[i], classes, &all, &ticks[i], error))
            return false;
        recorded->unrecorded = i ? MIN(recorded->unrecorded, ticks[i]) : ticks[i];
    }
    xtf_selection_window(selection, &formats->context->scale, &from, &to);
    recorded->procs = choose_procs(&selected, ticks, recorded->unrecorded + (to - from) / TOLERANCE);
    if (all.whole > 0)
        recorded->share = (double)all.ticks[XTF_CLASS_UNRECORDED] / (double)all.whole;
    return true;
}

bool xtf_recorded_procs_find(XtfRecordedProcs *recorded, XtfFormats *formats, const XtfSelection *selection,
                             GError **error)
{
    const XtfRegionClasses *classes = xtf_trace_context_classes(formats->context, error);
    g_autoptr(XtfSelection) plain = xtf_selection_of_any_type(selection);

    *recorded = (XtfRecordedProcs){0};
    for (unsigned facet = 0; facet < XTF_N_FACETS; facet++) {
        XtfSelection *wider = xtf_selection_without(plain, facet);
        xtf_selection_unref(plain);
        plain = wider;
    }
    if (!classes)
        return false;
    if (xtf_recorded_procs_may_differ(classes) && xtf_region_times_exist(formats->context, plain) &&
        !measure_all(recorded, formats, plain, classes, error))
        return false;
    recorded->selection = recorded->procs ? xtf_selection_in_procs(selection, recorded->procs)
                                          : xtf_selection_ref((XtfSelection *)selection);
    return true;
}
