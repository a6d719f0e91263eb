#include "src/tables/totals/regions/class-times.h"

void xtf_class_times_add(XtfClassTimes *times, const XtfRegionTimes *region_times, const XtfRegionClasses *classes,
                         uint64_t ticks)
{
    const XtfRegions *regions = &region_times->regions;

    times->whole += ticks;
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
    return times->whole - MIN(times->whole, inside); /* of a damaged trace it could be less */
}
