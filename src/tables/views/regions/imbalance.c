/*
 * imbalance: the spread of the exclusive time of each region over processes.
 */
#include <math.h>

#include "src/tables/totals/regions/recorded-procs.h"
#include "src/tables/views/view.h"

static const XtfColumn columns[] = {
    XTF_COLUMN("row", XTF_COLUMN_NUMBER, NULL, "row of the region in definitions/regions"),
    XTF_COLUMN("mean", XTF_COLUMN_TIME, NULL, "mean of the processes' exclusive times"),
    XTF_COLUMN("min", XTF_COLUMN_TIME, NULL, "least time"),
    XTF_COLUMN("max", XTF_COLUMN_TIME, NULL, "greatest time"),
    XTF_COLUMN("stddev", XTF_COLUMN_TIME, NULL, "standard deviation"),
    XTF_COLUMN("min_proc", XTF_COLUMN_NUMBER, NULL, "process with the least time"),
    XTF_COLUMN("max_proc", XTF_COLUMN_NUMBER, NULL, "process with the greatest time"),
    XTF_COLUMN("region", XTF_COLUMN_TEXT, NULL, "name of the region"),
};

typedef unsigned __int128 Wide;

/*
 * Statistics of a region's times, one time for each process. Most processes are in few of the regions, so only times
 * above 0 are added, in ascending order of processes. At the end, all missing processes are added with 0.
 */
typedef struct {
    uint64_t row;
    uint32_t n;              /* number of times */
    double mean, squares;    /* ticks; sum of the squares of the distances to the mean */
    Wide sum, min, max;      /* ticks */
    uint32_t min_at, max_at; /* index of the process; the first if several have the time */
    uint32_t gap;            /* index of the first missing process */
} Spread;

/* Adds the time of one process. Uses Welford's method, which loses no digits to large sums. */
static void add_process_time(Spread *spread, uint32_t at, Wide ticks)
{
    double distance = (double)ticks - spread->mean;

    if (spread->gap == spread->n && at == spread->n)
        spread->gap = at + 1;
    if (!spread->n || ticks < spread->min) {
        spread->min = ticks;
        spread->min_at = at;
    }
    if (!spread->n || ticks > spread->max) {
        spread->max = ticks;
        spread->max_at = at;
    }
    spread->n++;
    spread->sum += ticks;
    spread->mean += distance / spread->n;
    spread->squares += distance * ((double)ticks - spread->mean);
}

/* Adds a time of 0 for each missing process of `n` processes. */
static void add_missing_times(Spread *spread, uint32_t n)
{
    uint32_t missing = n - spread->n;

    if (!missing)
        return;
    spread->squares += spread->mean * spread->mean * spread->n * missing / n;
    spread->min = 0;
    spread->min_at = spread->gap;
    if (!spread->n)
        spread->max_at = spread->gap;
    spread->n = n;
}

static bool shape_imbalance(XtfViews *views, const XtfSelection *selection, XtfViewShape *shape, GError **error)
{
    g_auto(XtfRegionTimes) region_times = {0};

    if (!xtf_region_times_init(&region_times, views->formats, selection, error))
        return false;
    const XtfRegions *regions = &region_times.regions;
    size_t time = xtf_region_times_width(&region_times) + 1; /* for rounding up mean and stddev */
    size_t proc = region_times.locations->proc_width;
    shape->n_lines = shape->at_once = regions->n_listed;
    xtf_grid_add(&shape->grid, "row", regions->row_width);
    xtf_grid_add(&shape->grid, "mean", time);
    xtf_grid_add(&shape->grid, "min", time);
    xtf_grid_add(&shape->grid, "max", time);
    xtf_grid_add(&shape->grid, "stddev", time);
    xtf_grid_add(&shape->grid, "min_proc", proc);
    xtf_grid_add(&shape->grid, "max_proc", proc);
    xtf_grid_add(&shape->grid, "region", regions->name_width);
    return true;
}

/* The exclusive times of one process. `rows` lists the regions with a time above 0, so that the others are skipped. */
typedef struct {
    Wide *ticks; /* by region */
    GArray *rows;
} Spent;

static void add_totals(const XtfRegionTimes *region_times, Spent *spent)
{
    for (uint32_t i = 0; i < xtf_group_totals_n(region_times->groups); i++) {
        uint64_t row = xtf_region_line(&region_times->regions, *xtf_group_totals_key(region_times->groups, i));
        uint64_t ticks = xtf_group_totals_cells(region_times->groups, i)[XTF_FRAMES_EXCLUSIVE];
        if (!ticks || row >= region_times->regions.n)
            continue;
        if (!spent->ticks[row])
            g_array_append_val(spent->rows, row);
        spent->ticks[row] += ticks;
    }
}

static void end_process(Spent *spent, uint32_t at, Spread *spreads)
{
    for (unsigned i = 0; i < spent->rows->len; i++) {
        uint64_t row = g_array_index(spent->rows, uint64_t, i);
        add_process_time(&spreads[row], at, spent->ticks[row]);
        spent->ticks[row] = 0;
    }
    g_array_set_size(spent->rows, 0);
}

static bool measure_all(XtfRegionTimes *region_times, const XtfSelectedLocations *selected, Spread *spreads,
                        GError **error)
{
    g_autofree Wide *ticks = g_new0(Wide, region_times->regions.n);
    g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    Spent spent = {ticks, rows};
    uint64_t width;

    for (uint32_t i = 0; i < selected->n_procs; i++) {
        const XtfSelectedProcess *proc = &selected->procs[i];
        for (uint32_t j = proc->first; j < proc->first + proc->n; j++) {
            if (!xtf_region_times_measure(region_times, xtf_selected_location(selected, j), &width, error))
                return false;
            add_totals(region_times, &spent);
        }
        end_process(&spent, i, spreads);
    }
    for (uint64_t row = 0; row < region_times->regions.n; row++)
        add_missing_times(&spreads[row], selected->n_procs);
    return true;
}

/* Returns (max - mean) * n. The value is exact, so that regions with the same times are equal. */
static Wide above_mean(const Spread *spread)
{
    return spread->max * spread->n - spread->sum;
}

static int compare_spreads(const void *a, const void *b)
{
    const Spread *x = a, *y = b;
    Wide over_x = above_mean(x), over_y = above_mean(y);

    if (over_x != over_y)
        return over_x > over_y ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

static void add_spread_line(const XtfRegionTimes *region_times, const XtfSelectedLocations *selected,
                            const Spread *spread, XtfLines *lines)
{
    const XtfTimeScale *scale = &region_times->context->scale;
    double tick = (double)scale->den / (double)scale->num;

    xtf_lines_number(lines, spread->row);
    if (spread->n) {
        xtf_lines_seconds(lines, (double)spread->sum / spread->n * tick);
        xtf_lines_ticks(lines, spread->min);
        xtf_lines_ticks(lines, spread->max);
        xtf_lines_seconds(lines, sqrt(MAX(spread->squares, 0) / spread->n) * tick);
        xtf_lines_number(lines, selected->procs[spread->min_at].proc);
        xtf_lines_number(lines, selected->procs[spread->max_at].proc);
    } else { /* no process is selected */
        for (unsigned i = 0; i < 6; i++)
            xtf_lines_none(lines);
    }
    xtf_lines_region_name(lines, &region_times->regions, spread->row);
}

static bool fill_imbalance_sorted(XtfViews *views, XtfSelection *selection, XtfLines *lines, bool sorted,
                                  GError **error)
{
    g_auto(XtfRecordedProcs) recorded = {0};
    g_auto(XtfRegionTimes) region_times = {0};
    g_auto(XtfSelectedLocations) selected = {0};

    if (!xtf_recorded_procs_find(&recorded, views->formats, selection, error) ||
        !xtf_region_times_init(&region_times, views->formats, recorded.selection, error) ||
        !xtf_selected_locations_init(&selected, views->context, recorded.selection, error))
        return false;
    g_autofree Spread *spreads = g_new0(Spread, region_times.regions.n);
    for (uint64_t row = 0; row < region_times.regions.n; row++)
        spreads[row].row = row;
    if (!measure_all(&region_times, &selected, spreads, error))
        return false;
    if (sorted)
        qsort(spreads, region_times.regions.n, sizeof *spreads, compare_spreads);
    for (uint64_t i = 0; i < region_times.regions.n; i++) {
        if (xtf_region_is_listed(&region_times.regions, spreads[i].row))
            add_spread_line(&region_times, &selected, &spreads[i], lines);
    }
    return true;
}

static bool fill_imbalance(XtfViews *views, XtfSelection *selection, uint64_t first, uint64_t count, XtfLines *lines,
                           GError **error)
{
    return fill_imbalance_sorted(views, selection, lines, true, error);
}

static bool fill_imbalance_by_row(XtfViews *views, XtfSelection *selection, uint64_t first, uint64_t count,
                                  XtfLines *lines, GError **error)
{
    return fill_imbalance_sorted(views, selection, lines, false, error);
}

const XtfView xtf_view_imbalance = {
    .table = XTF_TABLE("imbalance", "how exclusive times of each region differ between processes", columns),
    .by_location = true,
    .subject = &xtf_about_calls,
    .exists = xtf_region_times_exist,
    .shape = shape_imbalance,
    .fill = fill_imbalance,
    .fill_in_order = fill_imbalance_by_row,
    .refused_keys = 1 << XTF_GROUP_BY_CLASS | 1 << XTF_GROUP_BY_SITE};
