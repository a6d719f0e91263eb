#include "src/studies/scaling/run.h"

#include "libxtf/error.h"
#include "src/tables/totals/regions/class-times.h"
#include "src/tables/totals/regions/recorded-procs.h"
#include "src/tree/paths/selection-dir.h"

/* The process that is measured. */
typedef struct {
    double *seconds; /* by line */
    GArray *used;    /* lines with time */
} Process;

static void add_line_time(Process *process, uint64_t line, double seconds)
{
    if (seconds <= 0)
        return;
    if (process->seconds[line] == 0)
        g_array_append_val(process->used, line);
    process->seconds[line] += seconds;
}

/* Returns the line of a line of regions. */
static uint64_t line_of(const XtfScalingRun *run, const XtfRegions *regions, uint64_t line)
{
    if (line < run->texts.n)
        return line;
    return run->texts.n + (line == regions->n ? XTF_SCALING_UNMATCHED : XTF_SCALING_UNKNOWN);
}

/* Adds the location that was measured last: the regions that region/ and class/ select, and the time outside of regions
 * if they select none. */
static void add_location(XtfScalingRun *run, const XtfRegionTimes *times, uint64_t ticks, double tick, Process *process)
{
    const XtfRegions *regions = &times->regions;
    double left = (double)ticks * tick;

    for (uint32_t i = 0; i < xtf_group_totals_n(times->groups); i++) {
        uint64_t of_region = xtf_region_line(regions, *xtf_group_totals_key(times->groups, i));
        uint64_t line = line_of(run, regions, of_region);
        if (!xtf_region_is_listed(regions, of_region))
            continue;
        const uint64_t *cells = xtf_group_totals_cells(times->groups, i);
        double seconds = (double)cells[XTF_FRAMES_EXCLUSIVE] * tick;
        add_line_time(process, line, seconds);
        run->amounts[line].calls += (double)cells[XTF_FRAMES_BEGUN];
        run->by_class[run->classes[line]].calls += (double)cells[XTF_FRAMES_BEGUN];
        left -= seconds;
    }
    if (!regions->only && left > tick / 2)
        add_line_time(process, run->texts.n + XTF_SCALING_OUTSIDE, left);
}

static void add_process_time(XtfScalingAmounts *amounts, double seconds)
{
    amounts->slowest = MAX(amounts->slowest, seconds);
    amounts->mean += seconds;
}

static void end_process(XtfScalingRun *run, Process *process)
{
    double by_class[XTF_N_CLASSES] = {0};

    for (guint i = 0; i < process->used->len; i++) {
        uint64_t line = g_array_index(process->used, uint64_t, i);
        double seconds = process->seconds[line];
        add_process_time(&run->amounts[line], seconds);
        by_class[run->classes[line]] += seconds;
        process->seconds[line] = 0;
    }
    for (unsigned class = 0; class < XTF_N_CLASSES; class ++) {
        add_process_time(&run->by_class[class], by_class[class]);
        if (xtf_class_is_program(class))
            run->useful += by_class[class];
    }
    g_array_set_size(process->used, 0);
}

static bool measure_processes(XtfScalingRun *run, XtfRegionTimes *times, const XtfSelectedLocations *selected,
                              GError **error)
{
    const XtfTimeScale *scale = &times->context->scale;
    double tick = (double)scale->den / (double)scale->num;
    g_autofree double *seconds = g_new0(double, xtf_scaling_run_n_lines(run));
    g_autoptr(GArray) used = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    Process process = {seconds, used};
    uint64_t ticks;

    for (uint32_t i = 0; i < selected->n_procs; i++) {
        const XtfSelectedProcess *proc = &selected->procs[i];
        for (uint32_t j = proc->first; j < proc->first + proc->n; j++) {
            const XtfLocation *location = xtf_selected_location(selected, j);
            if (!location->is_cpu_thread)
                continue;
            if (!xtf_region_times_measure(times, location, &ticks, error))
                return false;
            add_location(run, times, ticks, tick, &process);
        }
        end_process(run, &process);
    }
    return true;
}

/* Sets the classes of all lines. Time outside of regions is the program's. */
static bool load_classes(XtfScalingRun *run, XtfTree *tree, GError **error)
{
    const XtfRegionClasses *classes = xtf_trace_context_classes(&tree->context, error);

    if (!classes)
        return false;
    run->classes = g_new0(uint8_t, xtf_scaling_run_n_lines(run));
    for (uint64_t line = 0; line < run->texts.n; line++)
        run->classes[line] = (uint8_t)xtf_region_classes_of(classes, line);
    run->classes[run->texts.n + XTF_SCALING_UNMATCHED] = XTF_CLASS_UNRECORDED;
    run->classes[run->texts.n + XTF_SCALING_UNKNOWN] = XTF_CLASS_PROGRAM;
    run->classes[run->texts.n + XTF_SCALING_OUTSIDE] = XTF_CLASS_PROGRAM;
    return true;
}

/* Returns the seconds of a selection's window. */
static double window_of(const XtfTree *tree, const XtfSelection *selection)
{
    const XtfTimeScale *scale = &tree->context.scale;
    uint64_t from, to;

    xtf_selection_window(selection, scale, &from, &to);
    return (double)(to - from) * (double)scale->den / (double)scale->num;
}

static bool measure_run(XtfScalingRun *run, XtfTree *tree, const XtfSelection *selection, GError **error)
{
    g_auto(XtfSelectedLocations) selected = {0};
    g_auto(XtfRegionTimes) times = {0};

    if (!xtf_region_times_init(&times, &tree->formats, selection, error) ||
        !xtf_selected_locations_init(&selected, &tree->context, selection, error) ||
        !measure_processes(run, &times, &selected, error))
        return false;
    run->processes = selected.n_procs;
    double n = (double)MAX(run->processes, 1);
    for (uint64_t line = 0; line < xtf_scaling_run_n_lines(run); line++)
        run->amounts[line].mean /= n;
    for (unsigned class = 0; class < XTF_N_CLASSES; class ++)
        run->by_class[class].mean /= n;
    run->useful /= n;
    run->time = times.regions.only ? 0 : window_of(tree, selection);
    for (uint64_t line = 0; line < xtf_scaling_run_n_lines(run) && times.regions.only; line++)
        run->time += run->amounts[line].mean;
    return true;
}

bool xtf_scaling_run_load(XtfScalingRun *run, XtfNode *directory, GError **error)
{
    XtfTree *tree = directory->tree;
    g_auto(XtfRecordedProcs) recorded = {0};

    *run = (XtfScalingRun){0};
    if (directory->class != &xtf_selection_dir)
        return xtf_fail(error, XTF_ERROR_NOT_FOUND, "it is not a directory of records, such as time/1-2");
    if (!xtf_region_times_exist(&tree->context, directory->selection))
        return xtf_fail(error, XTF_ERROR_NOT_FOUND, "it has no calls of regions");
    if (!xtf_region_texts_load(&run->texts, tree->trace, error) || !load_classes(run, tree, error) ||
        !xtf_recorded_procs_find(&recorded, &tree->formats, directory->selection, error))
        return false;
    run->amounts = g_new0(XtfScalingAmounts, xtf_scaling_run_n_lines(run));
    return measure_run(run, tree, recorded.selection, error);
}

void xtf_scaling_run_finish(XtfScalingRun *run)
{
    xtf_region_texts_finish(&run->texts);
    g_clear_pointer(&run->classes, g_free);
    g_clear_pointer(&run->amounts, g_free);
}
