/*
 * local/profile: the time in each region without the cost of the probes.
 */
#include "src/tables/totals/regions/local-totals.h"
#include "src/tables/views/view.h"

#define LEAVES "(LEAVEs, in callers)"

static const XtfColumn columns[] = {
    XTF_COLUMN("row", XTF_COLUMN_NUMBER, NULL, "row of the region in definitions/regions"),
    XTF_COLUMN("calls", XTF_COLUMN_NUMBER, NULL, "calls that are entered"),
    XTF_COLUMN("exclusive", XTF_COLUMN_TIME, NULL, "time with the region on top of the stack"),
    XTF_COLUMN("probes", XTF_COLUMN_TIME, NULL, "cost of the records in that time"),
    XTF_COLUMN("local", XTF_COLUMN_TIME, NULL, "exclusive time less the cost"),
    XTF_COLUMN("local%", XTF_COLUMN_PERCENT, NULL, "of the time of all locations"),
    XTF_COLUMN("region", XTF_COLUMN_TEXT, NULL, "name of the region"),
};

static bool shape_local(XtfViews *views, const XtfSelection *selection, XtfViewShape *shape, GError **error)
{
    g_auto(XtfRegionTimes) region_times = {0};

    if (!xtf_region_times_init(&region_times, views->formats, selection, error))
        return false;
    const XtfRegions *regions = &region_times.regions;
    size_t time = xtf_region_times_width(&region_times);
    shape->n_lines = shape->at_once = regions->n_listed + !regions->only + regions->lists_unknown + 1;
    xtf_grid_add(&shape->grid, "row", regions->row_width);
    xtf_grid_add(&shape->grid, "calls", xtf_aggregate_ref_rows_width(&region_times.frames, views->context));
    xtf_grid_add(&shape->grid, "exclusive", time);
    xtf_grid_add(&shape->grid, "probes", time + 4); /* costs may be larger than the time that they are taken from */
    xtf_grid_add(&shape->grid, "local", time);
    xtf_grid_add(&shape->grid, "local%", 0);
    xtf_grid_add(&shape->grid, "region", MAX(regions->name_width, sizeof LEAVES - 1));
    return true;
}

static unsigned __int128 local_of(const XtfLocalTotal *total)
{
    return total->exclusive - MIN(total->exclusive, total->probes);
}

static int compare_local(const void *a, const void *b)
{
    const XtfLocalTotal *x = a, *y = b;

    if (local_of(x) != local_of(y))
        return local_of(x) > local_of(y) ? -1 : 1;
    if (x->calls != y->calls)
        return x->calls > y->calls ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

static void add_leaves_line(const XtfLocalTotals *totals, XtfLines *lines)
{
    xtf_lines_none(lines);
    xtf_lines_number(lines, totals->leaves);
    xtf_lines_none(lines);
    xtf_lines_ticks(lines, totals->leave_cost);
    xtf_lines_none(lines);
    xtf_lines_none(lines);
    xtf_lines_text(lines, LEAVES, 0);
}

static bool fill_local(XtfViews *views, XtfSelection *selection, uint64_t first, uint64_t count, XtfLines *lines,
                       GError **error)
{
    g_auto(XtfLocalTotals) totals = {0};

    if (!xtf_local_totals_load(&totals, views->formats, selection, error))
        return false;
    const XtfRegions *regions = &totals.times.regions;
    qsort(totals.all, totals.n, sizeof *totals.all, compare_local);
    for (const XtfLocalTotal *total = totals.all; total < totals.all + totals.n; total++) {
        if (!xtf_region_is_listed(regions, total->line))
            continue;
        xtf_lines_number_if(lines, total->line < regions->n, total->line);
        xtf_lines_number(lines, total->calls);
        xtf_lines_ticks(lines, total->exclusive);
        xtf_lines_ticks(lines, total->probes);
        xtf_lines_ticks(lines, local_of(total));
        xtf_lines_percent(lines, local_of(total), totals.whole);
        xtf_lines_region_name(lines, regions, total->line);
    }
    add_leaves_line(&totals, lines);
    return true;
}

const XtfView xtf_view_local_profile = {
    .table = XTF_TABLE("profile", "time in each region without the cost of the probes", columns),
    .subject = &xtf_about_calls,
    .exists = xtf_region_times_exist,
    .shape = shape_local,
    .fill = fill_local};
