/*
 * profile: the number of calls of each region, and the time in it, with and without the regions that it called.
 */
#include "src/tables/totals/regions/region-totals.h"
#include "src/tables/views/view.h"

static const XtfColumn columns[] = {
    XTF_COLUMN("row", XTF_COLUMN_NUMBER, NULL, "row of the region in definitions/regions"),
    XTF_COLUMN("calls", XTF_COLUMN_NUMBER, NULL, "calls that are entered"),
    XTF_COLUMN("inclusive", XTF_COLUMN_TIME, NULL, "time with the region on the stack"),
    XTF_COLUMN("exclusive", XTF_COLUMN_TIME, NULL, "time with the region on top of the stack"),
    XTF_COLUMN("inclusive%", XTF_COLUMN_PERCENT, NULL, "inclusive time, of the time of all locations"),
    XTF_COLUMN("exclusive%", XTF_COLUMN_PERCENT, NULL, "exclusive time, of the time of all locations"),
    XTF_COLUMN("region", XTF_COLUMN_TEXT, NULL, "name of the region"),
};

static bool shape_profile(XtfViews *views, const XtfSelection *selection, XtfViewShape *shape, GError **error)
{
    g_auto(XtfRegionTimes) region_times = {0};

    if (!xtf_region_times_init(&region_times, views->formats, selection, error))
        return false;
    const XtfRegions *regions = &region_times.regions;
    size_t time = xtf_region_times_width(&region_times);
    shape->n_lines = shape->at_once = regions->n_listed + !regions->only + regions->lists_unknown;
    xtf_grid_add(&shape->grid, "row", regions->row_width);
    xtf_grid_add(&shape->grid, "calls", xtf_aggregate_ref_rows_width(&region_times.frames, views->context));
    xtf_grid_add(&shape->grid, "inclusive", time);
    xtf_grid_add(&shape->grid, "exclusive", time);
    xtf_grid_add(&shape->grid, "inclusive%", 0);
    xtf_grid_add(&shape->grid, "exclusive%", 0);
    xtf_grid_add(&shape->grid, "region", regions->name_width);
    return true;
}

static int compare_totals(const void *a, const void *b)
{
    const XtfRegionTotal *x = a, *y = b;

    if (x->exclusive != y->exclusive)
        return x->exclusive > y->exclusive ? -1 : 1;
    if (x->calls != y->calls)
        return x->calls > y->calls ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

static void add_region_total_line(const XtfRegionTotals *totals, const XtfRegionTotal *total, XtfLines *lines)
{
    const XtfRegions *regions = &totals->times.regions;

    xtf_lines_number_if(lines, total->line < regions->n, total->line);
    xtf_lines_number(lines, total->calls);
    xtf_lines_ticks(lines, total->inclusive);
    xtf_lines_ticks(lines, total->exclusive);
    xtf_lines_percent(lines, total->inclusive, totals->whole);
    xtf_lines_percent(lines, total->exclusive, totals->whole);
    xtf_lines_region_name(lines, regions, total->line);
}

static void add_listed_lines(const XtfRegionTotals *totals, XtfLines *lines)
{
    for (const XtfRegionTotal *total = totals->all; total < totals->all + totals->n; total++) {
        if (xtf_region_is_listed(&totals->times.regions, total->line))
            add_region_total_line(totals, total, lines);
    }
}

static bool fill_profile_sorted(XtfViews *views, XtfSelection *selection, XtfLines *lines, bool sorted, GError **error)
{
    g_auto(XtfRegionTotals) totals = {0};

    if (!xtf_region_totals_load(&totals, views->formats, selection, error))
        return false;
    if (sorted)
        qsort(totals.all, totals.n, sizeof *totals.all, compare_totals);
    add_listed_lines(&totals, lines);
    return true;
}

static bool fill_profile(XtfViews *views, XtfSelection *selection, uint64_t first, uint64_t count, XtfLines *lines,
                         GError **error)
{
    return fill_profile_sorted(views, selection, lines, true, error);
}

static bool fill_profile_by_row(XtfViews *views, XtfSelection *selection, uint64_t first, uint64_t count,
                                XtfLines *lines, GError **error)
{
    return fill_profile_sorted(views, selection, lines, false, error);
}

/* Adds the blocks of regions. Each is a line of the profile of all regions, since percentages refer to the same time.
 */
static bool fill_regions(XtfViews *views, XtfSelection *selection, const XtfKeyValues *values, uint64_t first,
                         uint64_t n, XtfLines *lines, GError **error)
{
    g_auto(XtfRegionTotals) totals = {0};

    if (!xtf_region_totals_load(&totals, views->formats, selection, error))
        return false;
    for (uint64_t i = first; i < first + n; i++)
        add_region_total_line(&totals, &totals.all[xtf_key_number(values, i)], lines);
    return true;
}

/* Adds the profiles of slices, with the lines in the order of their rows. */
static bool fill_slices(XtfViews *views, XtfSelection *selection, const XtfKeyValues *values, uint64_t first,
                        uint64_t n, XtfLines *lines, GError **error)
{
    g_auto(XtfTimeBins) bins = {0};
    g_autofree XtfRegionTotals *totals = g_new0(XtfRegionTotals, n);

    xtf_time_bins_init(&bins, selection, values, first, n);
    bool good = xtf_region_totals_load_bins(totals, views->formats, &bins, error);
    for (uint64_t i = 0; i < n; i++) {
        if (good)
            add_listed_lines(&totals[i], lines);
        xtf_region_totals_finish(&totals[i]);
    }
    return good;
}

static bool fill_blocks(XtfViews *views, XtfSelection *selection, const XtfKeyValues *values, uint64_t first,
                        uint64_t n, XtfLines *lines, GError **error)
{
    return (values->key == XTF_GROUP_BY_TIME ? fill_slices : fill_regions)(views, selection, values, first, n, lines,
                                                                           error);
}

const XtfView xtf_view_profile = {.table = XTF_TABLE("profile", "calls and time of each region", columns),
                                  .by_location = true,
                                  .subject = &xtf_about_calls,
                                  .exists = xtf_region_times_exist,
                                  .shape = shape_profile,
                                  .fill = fill_profile,
                                  .fill_in_order = fill_profile_by_row,
                                  .refused_keys = 1 << XTF_GROUP_BY_CLASS | 1 << XTF_GROUP_BY_SITE,
                                  .batch_keys = 1 << XTF_GROUP_BY_REGION | 1 << XTF_GROUP_BY_TIME,
                                  .fill_batch = fill_blocks};
