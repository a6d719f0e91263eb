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

/* The regions of each bin, while the locations of a process are measured. */
typedef struct {
    Spent *spent;     /* by bin */
    Spread **spreads; /* by bin */
    uint64_t n_bins, n_regions;
} Spreads;

static void spreads_init(Spreads *all, uint64_t n_bins, uint64_t n_regions)
{
    *all = (Spreads){
        .spent = g_new(Spent, n_bins), .spreads = g_new(Spread *, n_bins), .n_bins = n_bins, .n_regions = n_regions};
    for (uint64_t bin = 0; bin < n_bins; bin++) {
        all->spent[bin] = (Spent){g_new0(Wide, n_regions), g_array_new(FALSE, FALSE, sizeof(uint64_t))};
        all->spreads[bin] = g_new0(Spread, n_regions);
        for (uint64_t row = 0; row < n_regions; row++)
            all->spreads[bin][row].row = row;
    }
}

static void spreads_finish(Spreads *all)
{
    for (uint64_t bin = 0; bin < all->n_bins; bin++) {
        g_free(all->spent[bin].ticks);
        g_array_unref(all->spent[bin].rows);
        g_free(all->spreads[bin]);
    }
    g_free(all->spent);
    g_free(all->spreads);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Spreads, spreads_finish)

static bool take_location(XtfRegionTimes *region_times, uint64_t bin, uint64_t ticks, void *data, GError **error)
{
    add_totals(region_times, &((Spreads *)data)->spent[bin]);
    return true;
}

static bool measure_all(XtfRegionTimes *region_times, const XtfSelectedLocations *selected, const XtfTimeBins *bins,
                        Spreads *all, GError **error)
{
    for (uint32_t i = 0; i < selected->n_procs; i++) {
        const XtfSelectedProcess *proc = &selected->procs[i];
        for (uint32_t j = proc->first; j < proc->first + proc->n; j++) {
            if (!xtf_region_times_visit(region_times, xtf_selected_location(selected, j), bins, take_location, all,
                                        error))
                return false;
        }
        for (uint64_t bin = 0; bin < bins->n; bin++)
            end_process(&all->spent[bin], i, all->spreads[bin]);
    }
    for (uint64_t bin = 0; bin < bins->n; bin++) {
        for (uint64_t row = 0; row < all->n_regions; row++)
            add_missing_times(&all->spreads[bin][row], selected->n_procs);
    }
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

/* Adds the lines of each bin, for a selection of recorded processes. */
static bool add_bins(XtfViews *views, const XtfTimeBins *bins, XtfLines *lines, bool sorted, GError **error)
{
    g_auto(XtfRegionTimes) region_times = {0};
    g_auto(XtfSelectedLocations) selected = {0};
    g_auto(Spreads) all = {0};

    if (!xtf_region_times_init(&region_times, views->formats, bins->selection, error) ||
        !xtf_selected_locations_init(&selected, views->context, bins->selection, error))
        return false;
    uint64_t n = region_times.regions.n;
    spreads_init(&all, bins->n, n);
    if (!measure_all(&region_times, &selected, bins, &all, error))
        return false;
    for (uint64_t bin = 0; bin < bins->n; bin++) {
        Spread *spreads = all.spreads[bin];
        if (sorted)
            qsort(spreads, n, sizeof *spreads, compare_spreads);
        for (uint64_t i = 0; i < n; i++) {
            if (xtf_region_is_listed(&region_times.regions, spreads[i].row))
                add_spread_line(&region_times, &selected, &spreads[i], lines);
        }
    }
    return true;
}

static bool fill_imbalance_sorted(XtfViews *views, XtfSelection *selection, XtfLines *lines, bool sorted,
                                  GError **error)
{
    g_auto(XtfRecordedProcs) recorded = {0};
    g_auto(XtfTimeBins) bins = {0};

    if (!xtf_recorded_procs_find(&recorded, views->formats, selection, error))
        return false;
    xtf_time_bins_init_one(&bins, recorded.selection, &views->context->scale);
    return add_bins(views, &bins, lines, sorted, error);
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

/* Adds the blocks of slices: in one pass, unless processes may be left out of some slices. */
static bool fill_slices(XtfViews *views, XtfSelection *selection, const XtfKeyValues *values, uint64_t first,
                        uint64_t n, XtfLines *lines, GError **error)
{
    const XtfRegionClasses *classes = xtf_trace_context_classes(views->context, error);
    g_auto(XtfTimeBins) bins = {0};

    if (!classes)
        return false;
    if (!xtf_recorded_procs_may_differ(classes)) {
        xtf_time_bins_init(&bins, selection, values, first, n);
        return add_bins(views, &bins, lines, false, error);
    }
    for (uint64_t i = first; i < first + n; i++) {
        g_autoptr(XtfSelection) slice = xtf_key_slices(values, selection, i, 1);
        if (!fill_imbalance_sorted(views, slice, lines, false, error))
            return false;
    }
    return true;
}

const XtfView xtf_view_imbalance = {
    .table = XTF_TABLE("imbalance", "how exclusive times of each region differ between processes", columns),
    .by_location = true,
    .subject = &xtf_about_calls,
    .exists = xtf_region_times_exist,
    .shape = shape_imbalance,
    .fill = fill_imbalance,
    .fill_in_order = fill_imbalance_by_row,
    .batch_keys = 1 << XTF_GROUP_BY_TIME,
    .fill_batch = fill_slices,
    .refused_keys = 1 << XTF_GROUP_BY_CLASS | 1 << XTF_GROUP_BY_SITE};
