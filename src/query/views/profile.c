/*
 * profile: by region, how often it was entered, and the time in it, with and without what it called.
 */
#include "src/query/views/region-times.h"
#include "src/query/views/view.h"

typedef struct {
    uint64_t place, calls;
    unsigned __int128 inclusive, exclusive; /* ticks: those of very many locations may be more than 64 bits */
} Entry;

static bool profile_exists(const XtfTraceContext *context, const XtfSelection *selection)
{
    return xtf_region_times_exist(context, selection);
}

static bool shape_profile(XtfViews *views, const XtfSelection *selection, XtfViewShape *shape, GError **error)
{
    g_auto(XtfRegionTimes) times = {0};

    if (!xtf_region_times_init(&times, views->formats, selection, error))
        return false;
    const XtfRegions *regions = &times.regions;
    size_t time = xtf_region_times_width(&times);
    shape->n_lines = shape->at_once = regions->only ? regions->n_listed : xtf_regions_n_places(regions);
    xtf_grid_add(&shape->grid, "row", regions->row_width);
    xtf_grid_add(&shape->grid, "calls", xtf_aggregate_ref_rows_width(&times.frames, views->context));
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
    return x->place < y->place ? -1 : x->place > y->place;
}

static void add_totals(const XtfRegionTimes *times, Entry *entries)
{
    for (uint32_t i = 0; i < xtf_group_totals_n(times->totals); i++) {
        uint64_t place = xtf_region_place(&times->regions, *xtf_group_totals_key(times->totals, i));
        const uint64_t *cells = xtf_group_totals_cells(times->totals, i);
        if (place >= xtf_regions_n_places(&times->regions))
            continue;
        entries[place].calls += cells[XTF_FRAMES_BEGUN];
        entries[place].inclusive += cells[XTF_FRAMES_INCLUSIVE];
        entries[place].exclusive += cells[XTF_FRAMES_EXCLUSIVE];
    }
}

static bool fill_profile(XtfViews *views, XtfSelection *selection, uint64_t first, uint64_t count, XtfLines *lines,
                         GError **error)
{
    g_auto(XtfRegionTimes) times = {0};
    g_auto(XtfSelectedLocations) roster = {0};
    unsigned __int128 whole = 0;
    uint64_t ticks;

    if (!xtf_region_times_init(&times, views->formats, selection, error) ||
        !xtf_selected_locations_init(&roster, views->context, selection, error))
        return false;
    uint64_t n = xtf_regions_n_places(&times.regions);
    g_autofree Entry *entries = g_new0(Entry, n);
    for (uint64_t place = 0; place < n; place++)
        entries[place].place = place;
    for (uint32_t i = 0; i < roster.n_places; i++) {
        if (!xtf_region_times_measure(&times, &roster.locations->all[roster.places[i]], &ticks, error))
            return false;
        whole += ticks;
        add_totals(&times, entries);
    }
    qsort(entries, n, sizeof *entries, compare_entries);
    for (const Entry *entry = entries; entry < entries + n; entry++) {
        if (!xtf_region_is_listed(&times.regions, entry->place))
            continue;
        xtf_lines_region_row(lines, &times.regions, entry->place);
        xtf_lines_number(lines, entry->calls);
        xtf_lines_ticks(lines, entry->inclusive);
        xtf_lines_ticks(lines, entry->exclusive);
        xtf_lines_percent(lines, entry->inclusive, whole);
        xtf_lines_percent(lines, entry->exclusive, whole);
        xtf_lines_region_name(lines, &times.regions, entry->place);
    }
    return true;
}

const XtfView xtf_view_profile = {
    .name = "profile", .exists = profile_exists, .shape = shape_profile, .fill = fill_profile};
