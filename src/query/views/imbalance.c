/*
 * imbalance: by region, how its exclusive time is spread over processes.
 */
#include <math.h>

#include "src/query/views/region-times.h"
#include "src/query/views/view.h"

typedef unsigned __int128 Wide;

/*
 * What is known of a region's times, one for each process. Most processes are in few of the regions, so only times that
 * are not nothing are noted, and who has none is found by what is missing: processes come in ascending order.
 */
typedef struct {
    uint64_t place;
    uint32_t n;                   /* noted */
    double mean, rest;            /* of these; the sum of the squares of their distances to the mean, ticks */
    Wide sum, min, max;           /* of these */
    uint32_t min_at, max_at, gap; /* ordinals of processes, the first of them; gap: the first that is missing */
} Spread;

/* One more process's time: Welford's method, which loses no digits to large sums. */
static void note(Spread *spread, uint32_t at, Wide ticks)
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
    spread->rest += distance * ((double)ticks - spread->mean);
}

/* Those who are missing, each with nothing, until there are `n`. */
static void note_missing(Spread *spread, uint32_t n)
{
    uint32_t missing = n - spread->n;

    if (!missing)
        return;
    spread->rest += spread->mean * spread->mean * spread->n * missing / n;
    spread->min = 0;
    spread->min_at = spread->gap;
    if (!spread->n)
        spread->max_at = spread->gap;
    spread->n = n;
}

static bool imbalance_exists(const XtfTraceContext *context, const XtfSelection *selection)
{
    return xtf_region_times_exist(context, selection);
}

static bool shape_imbalance(XtfViews *views, const XtfSelection *selection, XtfViewShape *shape, GError **error)
{
    g_auto(XtfRegionTimes) times = {0};

    if (!xtf_region_times_init(&times, views->formats, selection, error))
        return false;
    const XtfRegions *regions = &times.regions;
    size_t time = xtf_region_times_width(&times) + 1; /* what is not exact may be rounded up */
    size_t proc = xtf_procs_width(times.locations);
    shape->n_lines = shape->at_once = regions->n_listed;
    xtf_grid_add(&shape->grid, "row", regions->row_width);
    xtf_grid_add(&shape->grid, "mean", time);
    xtf_grid_add(&shape->grid, "min", time);
    xtf_grid_add(&shape->grid, "max", time);
    xtf_grid_add(&shape->grid, "stddev", time);
    xtf_grid_add(&shape->grid, "min_proc", proc);
    xtf_grid_add(&shape->grid, "max_proc", proc);
    xtf_grid_add_text(&shape->grid, "region", regions->name_width);
    return true;
}

/* What a process spent in each region: only those that it was in are listed, so that none else need be looked at. */
typedef struct {
    Wide *ticks; /* by region */
    GArray *places;
} Spent;

static void add_totals(const XtfRegionTimes *times, Spent *spent)
{
    for (uint32_t i = 0; i < xtf_group_totals_n(times->totals); i++) {
        uint64_t place = xtf_region_place(&times->regions, *xtf_group_totals_key(times->totals, i));
        uint64_t ticks = xtf_group_totals_cells(times->totals, i)[XTF_FRAMES_EXCLUSIVE];
        if (!ticks || place >= times->regions.n)
            continue;
        if (!spent->ticks[place])
            g_array_append_val(spent->places, place);
        spent->ticks[place] += ticks;
    }
}

static void end_process(Spent *spent, uint32_t at, Spread *spreads)
{
    for (unsigned i = 0; i < spent->places->len; i++) {
        uint64_t place = g_array_index(spent->places, uint64_t, i);
        note(&spreads[place], at, spent->ticks[place]);
        spent->ticks[place] = 0;
    }
    g_array_set_size(spent->places, 0);
}

static bool measure_all(XtfRegionTimes *times, const XtfSelectedLocations *roster, Spread *spreads, GError **error)
{
    g_autofree Wide *ticks = g_new0(Wide, times->regions.n);
    g_autoptr(GArray) places = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    Spent spent = {ticks, places};
    uint64_t width;

    for (uint32_t i = 0; i < roster->n_procs; i++) {
        const XtfSelectedProcess *proc = &roster->procs[i];
        for (uint32_t j = proc->first; j < proc->first + proc->n; j++) {
            if (!xtf_region_times_measure(times, &roster->locations->all[roster->places[j]], &width, error))
                return false;
            add_totals(times, &spent);
        }
        end_process(&spent, i, spreads);
    }
    for (uint64_t place = 0; place < times->regions.n; place++)
        note_missing(&spreads[place], roster->n_procs);
    return true;
}

/* How far the greatest is above the mean, times the number of processes: exact, so that the same times tie whoever has
 * them. */
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
    return x->place < y->place ? -1 : x->place > y->place;
}

static void add_line(const XtfRegionTimes *times, const XtfSelectedLocations *roster, const Spread *spread,
                     XtfLines *lines)
{
    const XtfTimeScale *scale = &times->context->scale;
    double tick = (double)scale->den / (double)scale->num;

    xtf_lines_region_row(lines, &times->regions, spread->place);
    if (spread->n) {
        xtf_lines_seconds(lines, (double)spread->sum / spread->n * tick);
        xtf_lines_ticks(lines, spread->min);
        xtf_lines_ticks(lines, spread->max);
        xtf_lines_seconds(lines, sqrt(MAX(spread->rest, 0) / spread->n) * tick);
        xtf_lines_number(lines, roster->procs[spread->min_at].proc);
        xtf_lines_number(lines, roster->procs[spread->max_at].proc);
    } else { /* no process */
        for (unsigned i = 0; i < 6; i++)
            xtf_lines_none(lines);
    }
    xtf_lines_region_name(lines, &times->regions, spread->place);
}

static bool fill_imbalance(XtfViews *views, XtfSelection *selection, uint64_t first, uint64_t count, XtfLines *lines,
                           GError **error)
{
    g_auto(XtfRegionTimes) times = {0};
    g_auto(XtfSelectedLocations) roster = {0};

    if (!xtf_region_times_init(&times, views->formats, selection, error) ||
        !xtf_selected_locations_init(&roster, views->context, selection, error))
        return false;
    g_autofree Spread *spreads = g_new0(Spread, times.regions.n);
    for (uint64_t place = 0; place < times.regions.n; place++)
        spreads[place].place = place;
    if (!measure_all(&times, &roster, spreads, error))
        return false;
    qsort(spreads, times.regions.n, sizeof *spreads, compare_spreads);
    for (uint64_t i = 0; i < times.regions.n; i++) {
        if (xtf_region_is_listed(&times.regions, spreads[i].place))
            add_line(&times, &roster, &spreads[i], lines);
    }
    return true;
}

const XtfView xtf_view_imbalance = {
    .name = "imbalance", .exists = imbalance_exists, .shape = shape_imbalance, .fill = fill_imbalance};
