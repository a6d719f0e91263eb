#include "src/tables/totals/regions/class-times.h"

void xtf_class_times_add(XtfClassTimes *times, const XtfRegionTimes *region_times, const XtfRegionClasses *classes,
                         uint64_t ticks)
{
    const XtfRegions *regions = &region_times->regions;

    times->whole += ticks;
    times->is_narrowed |= regions->only != NULL;
    for (uint32_t i = 0; i < xtf_group_totals_n(region_times->groups); i++) {
        uint64_t line = xtf_region_line(regions, *xtf_group_totals_key(region_times->groups, i));
        const uint64_t *cells = xtf_group_totals_cells(region_times->groups, i);
        if (!xtf_region_is_listed(regions, line))
            continue;
        if (line == regions->n) {
            times->before += cells[XTF_FRAMES_EXCLUSIVE];
        } else {
            XtfRegionClass class = xtf_region_classes_of(classes, line);
            times->ticks[class] += cells[XTF_FRAMES_EXCLUSIVE];
            times->calls[class] += cells[XTF_FRAMES_BEGUN];
        }
    }
}

unsigned __int128 xtf_class_times_of(const XtfClassTimes *times, XtfClassSet classes)
{
    unsigned __int128 sum = 0;

    for (unsigned class = 0; class < XTF_N_CLASSES; class ++) {
        if (classes & XTF_CLASS_BIT(class))
            sum += times->ticks[class];
    }
    return sum;
}

unsigned __int128 xtf_class_times_outside(const XtfClassTimes *times)
{
    unsigned __int128 inside = xtf_class_times_of(times, XTF_CLASS_BIT(XTF_N_CLASSES) - 1) + times->before;

    if (times->is_narrowed)
        return 0;
    return times->whole - MIN(times->whole, inside); /* in a damaged trace, the whole may be less */
}

unsigned __int128 xtf_class_times_program(const XtfClassTimes *times)
{
    return xtf_class_times_of(times, XTF_CLASSES_USEFUL) + xtf_class_times_outside(times);
}

/* The sums of each bin. */
typedef struct {
    XtfClassTimes *times;
    const XtfRegionClasses *classes;
} ClassBins;

static bool add_class_bin(XtfRegionTimes *region_times, uint64_t bin, uint64_t ticks, void *data, GError **error)
{
    const ClassBins *bins = data;

    xtf_class_times_add(&bins->times[bin], region_times, bins->classes, ticks);
    return true;
}

bool xtf_class_times_measure_bins(XtfClassTimes *times, XtfFormats *formats, const XtfTimeBins *bins, XtfTimesOf of,
                                  GError **error)
{
    ClassBins sums = {.times = times, .classes = xtf_trace_context_classes(formats->context, error)};
    g_auto(XtfRegionTimes) region_times = {0};
    g_auto(XtfSelectedLocations) selected = {0};

    if (!sums.classes || !xtf_region_times_init(&region_times, formats, bins->selection, error) ||
        !xtf_selected_locations_init(&selected, formats->context, bins->selection, error))
        return false;
    for (uint32_t i = 0; i < selected.n; i++) {
        const XtfLocation *location = xtf_selected_location(&selected, i);
        if (of != XTF_TIMES_OF_ALL && location->is_cpu_thread != (of == XTF_TIMES_OF_THREADS))
            continue;
        if (!xtf_region_times_visit(&region_times, location, bins, add_class_bin, &sums, error))
            return false;
    }
    return true;
}

bool xtf_class_times_measure(XtfClassTimes *times, XtfFormats *formats, const XtfSelection *selection, XtfTimesOf of,
                             GError **error)
{
    g_auto(XtfTimeBins) bins = {0};

    xtf_time_bins_init_one(&bins, (XtfSelection *)selection, &formats->context->scale);
    return xtf_class_times_measure_bins(times, formats, &bins, of, error);
}
