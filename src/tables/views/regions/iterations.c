/*
 * iterations: a line for each iteration of the main loop: when it takes place, and how long it takes in the processes
 * of the selection.
 */
#include "src/tables/iterations/iterations.h"
#include "src/tables/totals/regions/region-times.h"
#include "src/tables/views/view.h"
#include "src/trace/text/digits.h"

static const XtfColumn columns[] = {
    XTF_COLUMN("iteration", XTF_COLUMN_NUMBER, NULL, "number of the iteration, as iter/ takes it"),
    XTF_COLUMN("begin", XTF_COLUMN_TIME, NULL, "when the first process begins it"),
    XTF_COLUMN("end", XTF_COLUMN_TIME, NULL, "when the last process ends it"),
    XTF_COLUMN("mean", XTF_COLUMN_TIME, NULL, "mean time of a process"),
    XTF_COLUMN("min", XTF_COLUMN_TIME, NULL, "least time"),
    XTF_COLUMN("max", XTF_COLUMN_TIME, NULL, "greatest time"),
    XTF_COLUMN("max_proc", XTF_COLUMN_NUMBER, NULL, "process with the greatest time"),
    XTF_COLUMN("region", XTF_COLUMN_TEXT, NULL, "name of the region whose calls mark iterations"),
};

enum {
    WINDOWS_AT_ONCE = 16384, /* iterations times processes of a part */
};

static bool iterations_exist(const XtfTraceContext *context, const XtfSelection *selection)
{
    return xtf_region_times_exist(context, selection) && !xtf_selection_has_facets(selection) &&
           selection->type == XTF_ANY_TYPE && selection->endless && selection->time_from <= context->scale.origin;
}

static bool shape_iterations(XtfViews *views, const XtfSelection *selection, XtfViewShape *shape, GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(views->context, error);
    const XtfTimeScale *scale = &views->context->scale;
    XtfAggregateRef frames;
    g_auto(XtfSelectedLocations) selected = {0};
    XtfRegions regions;

    xtf_aggregate_ref_frames(&frames, views->context);
    if (!locations || !xtf_iterations_load(views->iterations, error) ||
        !xtf_regions_load(&regions, views->formats, selection, &frames, error) ||
        !xtf_selected_locations_init(&selected, views->context, selection, error))
        return false;
    shape->n_lines = views->iterations->n;
    shape->at_once = MAX(WINDOWS_AT_ONCE / MAX(selected.n_procs, 1), 1);
    xtf_grid_add(&shape->grid, "iteration", xtf_count_digits(shape->n_lines));
    xtf_grid_add(&shape->grid, "begin", scale->width);
    xtf_grid_add(&shape->grid, "end", scale->width);
    xtf_grid_add(&shape->grid, "mean", scale->width + 1); /* means are rounded up */
    xtf_grid_add(&shape->grid, "min", scale->width);
    xtf_grid_add(&shape->grid, "max", scale->width);
    xtf_grid_add(&shape->grid, "max_proc", locations->proc_width);
    xtf_grid_add(&shape->grid, "region", regions.name_width);
    return true;
}

/* The times of one iteration. */
typedef struct {
    uint64_t begin, end, min, max, max_proc;
    unsigned __int128 sum;
    uint32_t n; /* processes */
} Times;

static void add_process_times(Times *times, uint64_t proc, uint64_t from, uint64_t to)
{
    uint64_t ticks = to - from;

    times->begin = times->n ? MIN(times->begin, from) : from;
    times->end = times->n ? MAX(times->end, to) : to;
    times->min = times->n ? MIN(times->min, ticks) : ticks;
    if (!times->n || ticks > times->max) {
        times->max = ticks;
        times->max_proc = proc;
    }
    times->sum += ticks;
    times->n++;
}

static bool measure_iteration(XtfViews *views, const XtfSelection *selection, uint64_t k, Times *times, GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(views->context, error);
    uint64_t from, to;

    *times = (Times){0};
    for (uint32_t i = 0; i < views->iterations->n_procs; i++) {
        if (!xtf_number_set_contains(selection->procs, locations->procs[i]))
            continue;
        if (!xtf_iterations_window(views->iterations, i, k, k + 1, &from, &to, error))
            return false;
        add_process_times(times, locations->procs[i], from, CLAMP(to, from, views->context->scale.end));
    }
    return true;
}

static bool fill_iterations(XtfViews *views, XtfSelection *selection, uint64_t first, uint64_t count, XtfLines *lines,
                            GError **error)
{
    const XtfTimeScale *scale = &views->context->scale;
    XtfAggregateRef frames;
    XtfRegions regions;
    Times times;

    xtf_aggregate_ref_frames(&frames, views->context);
    if (!xtf_regions_load(&regions, views->formats, selection, &frames, error))
        return false;
    for (uint64_t k = first; k < first + count; k++) {
        if (!measure_iteration(views, selection, k, &times, error))
            return false;
        xtf_lines_number(lines, k);
        xtf_lines_time_if(lines, times.n > 0, times.begin);
        xtf_lines_time_if(lines, times.n > 0, times.end);
        xtf_lines_seconds(lines, (double)times.sum / MAX(times.n, 1) * (double)scale->den / (double)scale->num);
        xtf_lines_ticks(lines, times.min);
        xtf_lines_ticks(lines, times.max);
        xtf_lines_number_if(lines, times.n > 0, times.max_proc);
        xtf_lines_region_name(lines, &regions, views->iterations->region);
    }
    return true;
}

const XtfView xtf_view_iterations = {.table = XTF_TABLE("iterations", "the iterations of the main loop", columns),
                                     .subject = &xtf_about_all_calls,
                                     .exists = iterations_exist,
                                     .shape = shape_iterations,
                                     .fill = fill_iterations,
                                     .refused_keys = UINT_MAX};
