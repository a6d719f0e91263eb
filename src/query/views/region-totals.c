#include "src/query/views/region-totals.h"

static void add_location(XtfRegionTotals *totals)
{
    const XtfRegionTimes *times = &totals->times;

    for (uint32_t i = 0; i < xtf_group_totals_n(times->groups); i++) {
        uint64_t line = xtf_region_line(&times->regions, *xtf_group_totals_key(times->groups, i));
        const uint64_t *cells = xtf_group_totals_cells(times->groups, i);
        if (line >= totals->n)
            continue;
        /* What began before the trace, the LEAVEs without an ENTER counted there, began in no window. */
        totals->all[line].calls += line == totals->times.regions.n ? 0 : cells[XTF_FRAMES_BEGUN];
        totals->all[line].inclusive += cells[XTF_FRAMES_INCLUSIVE];
        totals->all[line].exclusive += cells[XTF_FRAMES_EXCLUSIVE];
    }
}

bool xtf_region_totals_load(XtfRegionTotals *totals, XtfFormats *formats, const XtfSelection *selection, GError **error)
{
    g_auto(XtfSelectedLocations) selected = {0};
    uint64_t ticks;

    *totals = (XtfRegionTotals){0};
    if (!xtf_region_times_init(&totals->times, formats, selection, error) ||
        !xtf_selected_locations_init(&selected, formats->context, selection, error))
        return false;
    totals->n = xtf_regions_n_lines(&totals->times.regions);
    totals->all = g_new0(XtfRegionTotal, totals->n);
    for (uint64_t line = 0; line < totals->n; line++)
        totals->all[line].line = line;
    for (uint32_t i = 0; i < selected.n; i++) {
        if (!xtf_region_times_measure(&totals->times, xtf_selected_location(&selected, i), &ticks, error))
            return false;
        totals->whole += ticks;
        add_location(totals);
    }
    return true;
}

void xtf_region_totals_finish(XtfRegionTotals *totals)
{
    xtf_region_times_finish(&totals->times);
    g_clear_pointer(&totals->all, g_free);
}
