#include "src/studies/scaling/study.h"

#include <math.h>

#include "libxtf/base/doubles.h"
#include "libxtf/error.h"

enum {
    HORIZON = 1024,    /* limits are searched up to this multiple of the greatest measured number of processes */
    AHEAD = 4,         /* predictions are for this multiple of it, unless asked otherwise */
    SAMPLED_LINES = 32 /* lines that are sampled for the band of the limit; the others hardly count */
};

/* A run scales strongly if the program's own time of a process falls at least as p^-0.5. */
static const double falling_slope = -0.5;

const char *const xtf_scaling_amount_names[XTF_N_SCALING_AMOUNTS] = {"slowest", "mean", "calls"};

/* ---- Points: runs with the same number of processes. */

/* Sets values[point] to the median of the runs of each point. `of_runs` has a value for each of the n runs. */
static void find_medians(const XtfScalingStudy *study, const XtfScalingRun *runs, const double *of_runs, unsigned n,
                         double *values)
{
    g_autofree double *same = g_new(double, n);

    for (unsigned point = 0; point < study->points.n; point++) {
        unsigned n_same = 0;
        for (unsigned i = 0; i < n; i++) {
            if ((double)runs[i].processes == study->points.processes[point])
                same[n_same++] = of_runs[i];
        }
        values[point] = xtf_median(same, n_same);
    }
}

static void find_times(XtfScalingStudy *study, const XtfScalingRun *runs, unsigned n)
{
    g_autofree double *times = g_new(double, n), *useful = g_new(double, n);

    for (unsigned i = 0; i < n; i++) {
        times[i] = runs[i].time;
        useful[i] = runs[i].useful;
    }
    find_medians(study, runs, times, n, study->times);
    find_medians(study, runs, useful, n, study->useful);
}

/* Sets the numbers of processes, ascending, and how many runs each has. */
static bool find_points(XtfScalingStudy *study, const XtfScalingRun *runs, unsigned n, double *processes,
                        GError **error)
{
    g_autofree double *all = g_new(double, n);
    unsigned n_points = 0;

    for (unsigned i = 0; i < n; i++) {
        if (runs[i].processes == 0)
            return xtf_fail(error, XTF_ERROR_NOT_FOUND, "run %u of %u has no processes", i + 1, n);
        all[i] = (double)runs[i].processes;
    }
    qsort(all, n, sizeof *all, xtf_compare_doubles);
    for (unsigned i = 0; i < n; i++) {
        if (n_points && processes[n_points - 1] == all[i]) {
            study->n_runs[n_points - 1]++;
            continue;
        }
        if (n_points == XTF_SCALING_POINTS_MAX)
            return xtf_fail(error, XTF_ERROR_UNSUPPORTED, "the runs have more than %d different numbers of processes",
                            XTF_SCALING_POINTS_MAX);
        study->n_runs[n_points] = 1;
        processes[n_points++] = all[i];
    }
    study->points.n = n_points;
    return n_points >= XTF_SCALING_POINTS_LEAST ||
           xtf_fail(error, XTF_ERROR_NOT_FOUND,
                    "the runs have %u different number%s of processes; a model needs %d, and a good one %d", n_points,
                    n_points == 1 ? "" : "s", XTF_SCALING_POINTS_LEAST, XTF_SCALING_POINTS_FEW);
}

/* Finds whether the problem or the work of a process stays the same, by the slope of log(useful) over log(p). */
static XtfScalingKind find_kind(const XtfScalingStudy *study, const double *processes)
{
    unsigned last = study->points.n - 1;

    if (study->options.asked != XTF_SCALING_AUTO)
        return study->options.asked == XTF_SCALING_IS_STRONG ? XTF_SCALING_STRONG : XTF_SCALING_WEAK;
    if (!(study->useful[0] > 0) || !(study->useful[last] > 0))
        return XTF_SCALING_WEAK;
    double slope = log(study->useful[last] / study->useful[0]) / log(processes[last] / processes[0]);
    return slope <= falling_slope ? XTF_SCALING_STRONG : XTF_SCALING_WEAK;
}

/* ---- Lines: regions or classes of all runs. */

/* How lines of runs are grouped into lines of the study. */
typedef struct {
    bool by_class;
    const XtfRegionPairs *pairs;
} Grouping;

static const char *const other_labels[] = {
    [XTF_SCALING_UNMATCHED] = "(unmatched LEAVE)",
    [XTF_SCALING_UNKNOWN] = "?",
    [XTF_SCALING_OUTSIDE] = "(no region)",
};

static uint64_t n_groups(const Grouping *grouping)
{
    return grouping->by_class ? XTF_N_CLASSES : grouping->pairs->labels->len + XTF_SCALING_N_OTHERS;
}

static const char *label_of(const Grouping *grouping, uint64_t group)
{
    if (grouping->by_class)
        return xtf_class_names[group];
    guint n = grouping->pairs->labels->len;
    return group < n ? grouping->pairs->labels->pdata[group] : other_labels[group - n];
}

/* Adds up the amounts of each group in run `number`. Several regions that agree in all texts are one group. */
static void add_groups(const Grouping *grouping, const XtfScalingRun *run, unsigned number, XtfScalingAmounts *sums)
{
    const uint64_t *numbers = grouping->pairs->numbers[number];

    if (grouping->by_class) {
        memcpy(sums, run->by_class, sizeof run->by_class);
        return;
    }
    for (uint64_t line = 0; line < xtf_scaling_run_n_lines(run); line++) {
        const XtfScalingAmounts *amounts = &run->amounts[line];
        uint64_t group = line < run->texts.n ? numbers[line] : grouping->pairs->labels->len + line - run->texts.n;
        XtfScalingAmounts *sum = &sums[group];
        sum->slowest += amounts->slowest;
        sum->mean += amounts->mean;
        sum->calls += amounts->calls;
    }
}

static double amount_of(const XtfScalingAmounts *amounts, XtfScalingAmount of)
{
    return of == XTF_SCALING_SLOWEST ? amounts->slowest : of == XTF_SCALING_MEAN ? amounts->mean : amounts->calls;
}

/* Sets a line's values: at each point the median over its runs. `sums` has the amounts, run by run. */
static void set_values(const XtfScalingStudy *study, const XtfScalingRun *runs, unsigned n,
                       XtfScalingAmounts *const *sums, uint64_t group, XtfScalingLine *line)
{
    g_autofree double *values = g_new(double, n), *means = g_new(double, n);

    for (unsigned i = 0; i < n; i++) {
        values[i] = amount_of(&sums[i][group], study->options.of);
        means[i] = sums[i][group].mean;
    }
    find_medians(study, runs, values, n, line->values);
    find_medians(study, runs, means, n, line->means);
}

static bool has_values(const XtfScalingLine *line, unsigned n_points)
{
    for (unsigned i = 0; i < n_points; i++) {
        if (line->values[i] > 0 || line->means[i] > 0)
            return true;
    }
    return false;
}

static int compare_lines(gconstpointer a, gconstpointer b)
{
    const XtfScalingLine *x = a, *y = b;

    if (x->predicted != y->predicted)
        return x->predicted > y->predicted ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static void add_lines(XtfScalingStudy *study, const XtfScalingRun *runs, unsigned n, const Grouping *grouping)
{
    uint64_t n_lines = n_groups(grouping);
    g_autofree XtfScalingAmounts *all = g_new0(XtfScalingAmounts, n * n_lines);
    g_autofree XtfScalingAmounts **sums = g_new(XtfScalingAmounts *, n);

    for (unsigned i = 0; i < n; i++) {
        sums[i] = all + i * n_lines;
        add_groups(grouping, &runs[i], i, sums[i]);
    }
    for (uint64_t group = 0; group < n_lines; group++) {
        XtfScalingLine line = {.label = label_of(grouping, group), .number = group};
        set_values(study, runs, n, sums, group, &line);
        if (!has_values(&line, study->points.n))
            continue;
        xtf_scaling_fit(&study->points, line.values, &line.model);
        xtf_scaling_fit(&study->points, line.means, &line.mean_model);
        line.predicted = xtf_scaling_at(&line.model, study->options.at);
        xtf_scaling_sum_add(&study->sum, &line.mean_model);
        g_array_append_val(study->lines, line);
    }
    g_array_sort(study->lines, compare_lines);
}

/* ---- Limits. */

static uint64_t seed_of(const XtfScalingLine *line)
{
    return g_str_hash(line->label);
}

void xtf_scaling_line_sample(const XtfScalingStudy *study, const XtfScalingLine *line, XtfScalingSamples *samples)
{
    xtf_scaling_sample(&study->points, line->values, &line->model, seed_of(line), samples);
}

XtfScalingBand xtf_scaling_line_band(const XtfScalingStudy *study, const XtfScalingLine *line, double p)
{
    g_autofree XtfScalingSamples *samples = g_new(XtfScalingSamples, 1);

    xtf_scaling_line_sample(study, line, samples);
    return xtf_scaling_band(samples, p);
}

/* Returns the lines with the most mean time for p processes, or all. The caller frees the array. */
static GPtrArray *greatest_lines(const XtfScalingStudy *study, double p)
{
    g_autoptr(GPtrArray) chosen = g_ptr_array_new();
    g_autofree double *times = g_new(double, study->lines->len + 1);
    double bound = -1;

    for (guint i = 0; i < study->lines->len; i++)
        times[i] = xtf_scaling_at(&xtf_scaling_line(study, i)->mean_model, p);
    if (study->lines->len > SAMPLED_LINES) {
        g_autofree double *sorted = g_memdup2(times, study->lines->len * sizeof *times);
        qsort(sorted, study->lines->len, sizeof *sorted, xtf_compare_doubles);
        bound = sorted[study->lines->len - SAMPLED_LINES - 1];
    }
    for (guint i = 0; i < study->lines->len; i++) {
        if (times[i] > bound)
            g_ptr_array_add(chosen, (gpointer)xtf_scaling_line(study, i));
    }
    return g_steal_pointer(&chosen);
}

/* Sets the band of the number of processes with the least time: the least sums of samples of the greatest lines. */
static void find_fastest_band(XtfScalingStudy *study)
{
    g_autoptr(GPtrArray) lines = greatest_lines(study, study->fastest);
    g_autofree XtfScalingSum *sums = g_new0(XtfScalingSum, XTF_SCALING_SAMPLES);
    g_autofree XtfScalingSamples *samples = g_new(XtfScalingSamples, 1);
    double fastest[XTF_SCALING_SAMPLES];

    for (guint i = 0; i < lines->len; i++) {
        const XtfScalingLine *line = lines->pdata[i];
        xtf_scaling_sample(&study->points, line->means, &line->mean_model, seed_of(line), samples);
        for (unsigned k = 0; k < XTF_SCALING_SAMPLES; k++)
            xtf_scaling_sum_add(&sums[k], &samples->models[k]);
    }
    for (unsigned k = 0; k < XTF_SCALING_SAMPLES; k++)
        fastest[k] = xtf_scaling_least(&sums[k], study->points.processes[0], study->horizon);
    study->fastest_band = xtf_scaling_band_of(fastest);
}

/* Returns the line whose mean time grows most from `from` to `to` processes; NULL if none grows. */
static const XtfScalingLine *fastest_growing(const XtfScalingStudy *study, double from, double to)
{
    const XtfScalingLine *most = NULL;
    double greatest = 0;

    for (guint i = 0; i < study->lines->len; i++) {
        const XtfScalingLine *line = xtf_scaling_line(study, i);
        double growth = xtf_scaling_at(&line->mean_model, to) - xtf_scaling_at(&line->mean_model, from);
        if (growth > greatest) {
            greatest = growth;
            most = line;
        }
    }
    return most;
}

static void find_limits(XtfScalingStudy *study)
{
    const double *processes = study->points.processes;
    double base = processes[0];

    study->horizon = processes[study->points.n - 1] * HORIZON;
    double least = xtf_scaling_least(&study->sum, base, study->horizon);
    if (study->kind == XTF_SCALING_STRONG &&
        xtf_scaling_sum_at(&study->sum, study->horizon) > xtf_scaling_sum_at(&study->sum, least)) {
        study->fastest = least;
        find_fastest_band(study);
    }
    study->inefficient =
        xtf_scaling_inefficient(&study->sum, study->kind, base, study->horizon, study->options.efficiency);
    study->limit = study->fastest > 0       ? study->fastest
                   : study->inefficient > 0 ? study->inefficient
                                            : study->options.at;
    study->stopper = study->fastest > 0 ? fastest_growing(study, study->limit, 2 * study->limit)
                                        : fastest_growing(study, base, study->limit);
    xtf_amdahl_fit(&study->points, study->times, &study->amdahl);
    study->gustafson = xtf_gustafson_fit(&study->points, study->times);
}

/* ---- The study. */

static void pair_regions(XtfScalingStudy *study, const XtfScalingRun *runs, unsigned n)
{
    g_autofree XtfRegionTexts *texts = g_new(XtfRegionTexts, n);

    for (unsigned i = 0; i < n; i++)
        texts[i] = runs[i].texts;
    xtf_region_pairs_init(&study->pairs, texts, n);
}

bool xtf_scaling_study_init(XtfScalingStudy *study, const XtfScalingRun *runs, unsigned n,
                            const XtfScalingOptions *options, GError **error)
{
    double processes[XTF_SCALING_POINTS_MAX];

    *study = (XtfScalingStudy){.options = *options, .lines = g_array_new(FALSE, FALSE, sizeof(XtfScalingLine))};
    if (!find_points(study, runs, n, processes, error))
        return false;
    memcpy(study->points.processes, processes, sizeof processes);
    find_times(study, runs, n);
    study->kind = find_kind(study, processes);
    if (study->options.at == 0)
        study->options.at = processes[study->points.n - 1] * AHEAD;
    xtf_scaling_points_init(&study->points, processes, study->points.n, study->kind == XTF_SCALING_STRONG);
    pair_regions(study, runs, n);
    const Grouping grouping = {options->by_class, &study->pairs};
    add_lines(study, runs, n, &grouping);
    find_limits(study);
    return true;
}

void xtf_scaling_study_finish(XtfScalingStudy *study)
{
    g_clear_pointer(&study->lines, g_array_unref);
    xtf_region_pairs_finish(&study->pairs);
}
