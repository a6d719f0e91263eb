/*
 * efficiency: how much of a window the processes computed, and what the rest was lost to, as defined by the centre of
 * excellence POP.
 *
 *     parallel efficiency = mean useful / width = load balance * communication efficiency
 *     load balance = mean useful / max useful, communication efficiency = max useful / width
 *
 * A thread's useful time is its part of the window, from its first to its last record, less the exclusive time of
 * regions whose class is not useful. So time in no region is useful: many traces have MPI's regions alone. But in a
 * trace with OpenMP, threads other than the first of their process are idle while they are in no region. A process's
 * useful time is the mean of its threads'. Threads without calls, and what is no thread of a processor, do not count.
 *
 * With OpenMP, a process's time outside of MPI is that of its first thread, and
 *
 *     MPI's parallel efficiency = mean outside / width = its load balance * its communication efficiency
 *     OpenMP's parallel efficiency = parallel efficiency / MPI's
 */
#include <string.h>

#include "src/query/views/class-times.h"
#include "src/query/views/mpi-bounds.h"
#include "src/query/views/view.h"

enum {
    VALUE_WIDTH = 8, /* "0.3548"; more where useful time by local clocks is longer than the window */
    PATH_MAX_WIDTH = XTF_WINDOW_TEXT_MAX + 8,
};

/* ---- Measuring. */

/* Of one time of each process. */
typedef struct {
    double sum, max;
    uint64_t max_proc; /* the first that has it */
    uint32_t n;
} Spread;

typedef struct {
    uint64_t from, to; /* the window, as far as it is in the trace */
    Spread useful, outside;
} Measured;

static void note(Spread *spread, uint64_t proc, double ticks)
{
    if (!spread->n++ || ticks > spread->max) {
        spread->max = ticks;
        spread->max_proc = proc;
    }
    spread->sum += ticks;
}

static bool has_omp(const XtfRegionClasses *classes)
{
    return classes->present & XTF_CLASSES_OMP;
}

/* Whether a location is no first thread of its process. */
static bool is_worker(const XtfLocations *locations, const XtfLocation *location)
{
    uint32_t first = xtf_locations_of_proc(locations, location->proc);

    while (first < locations->n && locations->all[first].no_thread)
        first++;
    return location > &locations->all[first];
}

static unsigned __int128 less(unsigned __int128 a, unsigned __int128 b)
{
    return a - MIN(a, b); /* of a damaged trace b could be more */
}

static double useful_ticks(const XtfClassTimes *times, bool idle_outside)
{
    XtfClassSet others = (XTF_CLASS_BIT(XTF_N_CLASSES) - 1) & ~XTF_CLASSES_USEFUL;
    unsigned __int128 lost = xtf_class_times_of(times, others);

    return (double)less(times->whole, lost + (idle_outside ? xtf_class_times_outside(times) : 0));
}

/* Adds a process, unless none of its selected locations is a thread that has calls. */
static bool measure_process(XtfRegionTimes *region_times, const XtfSelectedLocations *selected,
                            const XtfSelectedProcess *process, const XtfRegionClasses *classes, Measured *measured,
                            GError **error)
{
    double useful = 0;
    uint32_t n = 0;

    for (uint32_t i = process->first; i < process->first + process->n; i++) {
        const XtfLocation *location = xtf_selected_location(selected, i);
        XtfClassTimes times = {0};
        uint64_t ticks;
        if (location->no_thread)
            continue;
        if (!xtf_region_times_measure(region_times, location, &ticks, error))
            return false;
        if (!xtf_location_arrays_find(&region_times->arrays, region_times->frames.schema))
            continue;
        xtf_class_times_add(&times, region_times, classes, ticks);
        useful += useful_ticks(&times, has_omp(classes) && is_worker(selected->locations, location));
        if (!n++)
            note(&measured->outside, process->proc,
                 (double)less(times.whole, xtf_class_times_of(&times, XTF_CLASSES_MPI)));
    }
    if (n)
        note(&measured->useful, process->proc, useful / n);
    return true;
}

static bool measure(XtfViews *views, const XtfSelection *selection, Measured *measured, GError **error)
{
    const XtfRegionClasses *classes = xtf_trace_context_classes(views->context, error);
    g_auto(XtfRegionTimes) region_times = {0};
    g_auto(XtfSelectedLocations) selected = {0};

    *measured = (Measured){0};
    xtf_selection_window(selection, &views->context->scale, &measured->from, &measured->to);
    if (!classes || !xtf_region_times_init(&region_times, views->formats, selection, error) ||
        !xtf_selected_locations_init(&selected, views->context, selection, error))
        return false;
    for (uint32_t i = 0; i < selected.n_procs; i++) {
        if (!measure_process(&region_times, &selected, &selected.procs[i], classes, measured, error))
            return false;
    }
    return true;
}

/* The same between MPI's bounds. */
static bool measure_focus(XtfViews *views, const XtfSelection *selection, bool *exists, Measured *measured,
                          GError **error)
{
    XtfMpiBounds bounds;

    if (!xtf_mpi_bounds_find(&bounds, views, error))
        return false;
    *exists = bounds.exist;
    if (!bounds.exist)
        return true;
    g_autoptr(XtfSelection) focus = xtf_selection_in_window(selection, bounds.from, bounds.to);
    return measure(views, focus, measured, error);
}

/* ---- Showing. */

typedef enum { WINDOW, MEAN_TO_WIDTH, MEAN_TO_MAX, MAX_TO_WIDTH, RATIO } Figure;

typedef struct {
    const char *name, *how;
    Figure figure;
    bool outside; /* about the time outside of MPI; only where the trace has OpenMP */
} Line;

static const Line figure_lines[] = {
    {"window", "what the figures mean", WINDOW, false},
    {"parallel_efficiency", "mean useful / width", MEAN_TO_WIDTH, false},
    {"load_balance", "mean useful / max useful (of proc)", MEAN_TO_MAX, false},
    {"communication_efficiency", "max useful (of proc) / width", MAX_TO_WIDTH, false},
    {"mpi_parallel_efficiency", "mean time outside of MPI / width", MEAN_TO_WIDTH, true},
    {"mpi_load_balance", "mean outside / max outside (of proc)", MEAN_TO_MAX, true},
    {"mpi_communication_efficiency", "max outside (of proc) / width", MAX_TO_WIDTH, true},
    {"openmp_parallel_efficiency", "parallel / MPI parallel efficiency", RATIO, true},
};

static void add_ratio(XtfLines *lines, double part, double whole)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE] = "-";

    if (whole > 0)
        g_ascii_formatd(text, sizeof text, "%.4f", part / whole);
    xtf_lines_name(lines, text, strlen(text));
}

static void add_window(XtfLines *lines, const Measured *measured)
{
    char window[XTF_WINDOW_TEXT_MAX], path[PATH_MAX_WIDTH];

    if (measured->from == measured->to) {
        xtf_lines_none(lines);
        return;
    }
    xtf_time_scale_print_window(lines->scale, measured->from, measured->to, window);
    g_snprintf(path, sizeof path, "time/%s", window);
    xtf_lines_name(lines, path, strlen(path));
}

/* Value and process. */
static void add_cells(XtfLines *lines, const Line *line, const Measured *measured)
{
    const Spread *spread = line->outside ? &measured->outside : &measured->useful;
    double n = spread->n, width = (double)(measured->to - measured->from);
    bool of_process = line->figure == MEAN_TO_MAX || line->figure == MAX_TO_WIDTH;

    if (line->figure == WINDOW)
        add_window(lines, measured);
    else if (line->figure == MEAN_TO_WIDTH)
        add_ratio(lines, spread->sum, n * width);
    else if (line->figure == MEAN_TO_MAX)
        add_ratio(lines, spread->sum, n * spread->max);
    else if (line->figure == MAX_TO_WIDTH)
        add_ratio(lines, spread->max, n ? width : 0);
    else
        add_ratio(lines, measured->useful.sum, spread->sum);
    xtf_lines_number_if(lines, of_process && spread->max > 0, spread->max_proc);
}

static void add_lines(XtfLines *lines, bool omp, const Measured *window, const Measured *focus)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(figure_lines); i++) {
        const Line *line = &figure_lines[i];
        if (line->outside && !omp)
            continue;
        xtf_lines_name(lines, line->name, strlen(line->name));
        add_cells(lines, line, window);
        if (focus) {
            add_cells(lines, line, focus);
        } else {
            xtf_lines_none(lines);
            xtf_lines_none(lines);
        }
        xtf_lines_name(lines, line->how, strlen(line->how));
    }
}

static bool efficiency_exists(const XtfTraceContext *context, const XtfSelection *selection)
{
    return !selection->by[XTF_BY_REGION] && xtf_region_times_exist(context, selection);
}

static bool shape_efficiency(XtfViews *views, const XtfSelection *selection, XtfViewShape *shape, GError **error)
{
    const XtfRegionClasses *classes = xtf_trace_context_classes(views->context, error);
    const XtfLocations *locations = classes ? xtf_trace_context_locations(views->context, error) : NULL;
    size_t name = 0, how = 0, value = strlen("time/-") + 2 * views->context->scale.width;

    if (!locations)
        return false;
    for (unsigned i = 0; i < G_N_ELEMENTS(figure_lines); i++) {
        const Line *line = &figure_lines[i];
        if (line->outside && !has_omp(classes))
            continue;
        shape->at_once = ++shape->n_lines;
        name = MAX(name, strlen(line->name));
        how = MAX(how, strlen(line->how));
    }
    xtf_grid_add_text(&shape->grid, "figure", name);
    xtf_grid_add_text(&shape->grid, "value", MAX(value, VALUE_WIDTH));
    xtf_grid_add(&shape->grid, "proc", locations->proc_width);
    xtf_grid_add_text(&shape->grid, "focus", MAX(value, VALUE_WIDTH));
    xtf_grid_add(&shape->grid, "focus_proc", locations->proc_width);
    xtf_grid_add_text(&shape->grid, "how", how);
    return true;
}

static bool fill_efficiency(XtfViews *views, XtfSelection *selection, uint64_t first, uint64_t count, XtfLines *lines,
                            GError **error)
{
    const XtfRegionClasses *classes = xtf_trace_context_classes(views->context, error);
    Measured window, focus;
    bool has_focus;

    if (!classes || !measure(views, selection, &window, error) ||
        !measure_focus(views, selection, &has_focus, &focus, error))
        return false;
    add_lines(lines, has_omp(classes), &window, has_focus ? &focus : NULL);
    return true;
}

const XtfView xtf_view_efficiency = {.name = "efficiency",
                                     .subject = &xtf_about_all_calls,
                                     .exists = efficiency_exists,
                                     .shape = shape_efficiency,
                                     .fill = fill_efficiency};
