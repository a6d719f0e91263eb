/*
 * profile: of each region the number of calls, and the time in it, with and without the regions that it called.
 */
#include "src/query/views/region-times.h"
#include "src/query/views/view.h"

typedef struct {
    uint64_t line, calls;
    unsigned __int128 inclusive, exclusive; /* ticks; of all locations together they may need more than 64 bits */
} Entry;

static bool shape_profile(XtfViews *views, const XtfSelection *selection, XtfViewShape *shape, GError **error)
{
    g_auto(XtfRegionTimes) region_times = {0};

    if (!xtf_region_times_init(&region_times, views->formats, selection, error))
        return false;
    const XtfRegions *regions = &region_times.regions;
    size_t time = xtf_region_times_width(&region_times);
    shape->n_lines = shape->at_once = regions->only ? regions->n_listed : xtf_regions_n_lines(regions);
    xtf_grid_add(&shape->grid, "row", regions->row_width);
    xtf_grid_add(&shape->grid, "calls", xtf_aggregate_ref_rows_width(&region_times.frames, views->context));
    xtf_grid_add(&shape->grid, "inclusive", time);
    xtf_grid_add(&shape->grid, "exclusive", time);
    xtf_grid_add(&shape->grid, "inclusive%", 0);
    xtf_grid_add(&shape->grid, "exclusive%", 0);
    xtf_grid_add_text(&shape->grid, "region", regions->name_width);
    return true;
}

static int compare_entries(const void *a, const void *b)
{
    const Entry *x = a, *y = b;

    if (x->exclusive != y->exclusive)
        return x->exclusive > y->exclusive ? -1 : 1;
    if (x->calls != y->calls)
        return x->calls > y->calls ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

static void add_totals(const XtfRegionTimes *region_times, Entry *entries)
{
    for (uint32_t i = 0; i < xtf_group_totals_n(region_times->groups); i++) {
        uint64_t line = xtf_region_line(&region_times->regions, *xtf_group_totals_key(region_times->groups, i));
        const uint64_t *cells = xtf_group_totals_cells(region_times->groups, i);
        if (line >= xtf_regions_n_lines(&region_times->regions))
            continue;
        entries[line].calls += cells[XTF_FRAMES_BEGUN];
        entries[line].inclusive += cells[XTF_FRAMES_INCLUSIVE];
        entries[line].exclusive += cells[XTF_FRAMES_EXCLUSIVE];
    }
}

static bool fill_profile(XtfViews *views, XtfSelection *selection, uint64_t first, uint64_t count, XtfLines *lines,
                         GError **error)
{
    g_auto(XtfRegionTimes) region_times = {0};
    g_auto(XtfSelectedLocations) selected = {0};
    unsigned __int128 whole = 0;
    uint64_t ticks;

    if (!xtf_region_times_init(&region_times, views->formats, selection, error) ||
        !xtf_selected_locations_init(&selected, views->context, selection, error))
        return false;
    uint64_t n = xtf_regions_n_lines(&region_times.regions);
    g_autofree Entry *entries = g_new0(Entry, n);
    for (uint64_t line = 0; line < n; line++)
        entries[line].line = line;
    for (uint32_t i = 0; i < selected.n; i++) {
        if (!xtf_region_times_measure(&region_times, xtf_selected_location(&selected, i), &ticks, error))
            return false;
        whole += ticks;
        add_totals(&region_times, entries);
    }
    qsort(entries, n, sizeof *entries, compare_entries);
    for (const Entry *entry = entries; entry < entries + n; entry++) {
        if (!xtf_region_is_listed(&region_times.regions, entry->line))
            continue;
        xtf_lines_number_if(lines, entry->line < region_times.regions.n, entry->line);
        xtf_lines_number(lines, entry->calls);
        xtf_lines_ticks(lines, entry->inclusive);
        xtf_lines_ticks(lines, entry->exclusive);
        xtf_lines_percent(lines, entry->inclusive, whole);
        xtf_lines_percent(lines, entry->exclusive, whole);
        xtf_lines_region_name(lines, &region_times.regions, entry->line);
    }
    return true;
}

const XtfView xtf_view_profile = {
    .name = "profile", .exists = xtf_region_times_exist, .shape = shape_profile, .fill = fill_profile};
