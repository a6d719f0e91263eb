/* Rules about parts of the run: nearly all calls lie in a small part, or an iteration is unlike the others. */
#include <inttypes.h>

#include "libxtf/base/doubles.h"
#include "libxtf/error.h"
#include "src/pictures/findings/finding-rule.h"

enum {
    SLICES = 100,
    PERCENT_OF_CALLS = 90,
    CALLS_MIN = 100, /* fewer calls are not reported */
};

enum { FROM, TO, CALLS };
static const char *const columns[] = {"from", "to", "calls"};

typedef struct {
    unsigned n;
    uint64_t calls[SLICES];
    double from[SLICES], to[SLICES]; /* seconds */
    const XtfFindingJob *job;
} Slices;

static bool add_slice_row(const XtfRowCell *cells, void *data, GError **error)
{
    Slices *slices = data;

    if (slices->n == SLICES)
        return xtf_damaged(error, "the table histogram has more than %d rows", SLICES);
    slices->from[slices->n] = xtf_finding_cell_seconds(slices->job, &cells[FROM]);
    slices->to[slices->n] = xtf_finding_cell_seconds(slices->job, &cells[TO]);
    slices->calls[slices->n++] = xtf_row_number(&cells[CALLS]);
    return true;
}

/* Finds the fewest adjacent slices that have the percentage of the calls. Prefers slices with more calls, then the
 * first. */
static unsigned find_narrowest_slices(const Slices *slices, uint64_t total, unsigned *first, uint64_t *calls)
{
    for (unsigned width = 1; width <= slices->n; width++) {
        *calls = 0;
        for (unsigned i = 0; i + width <= slices->n; i++) {
            uint64_t sum = 0;
            for (unsigned j = i; j < i + width; j++)
                sum += slices->calls[j];
            if (sum > *calls) {
                *calls = sum;
                *first = i;
            }
        }
        if ((unsigned __int128)*calls * 100 >= (unsigned __int128)total * PERCENT_OF_CALLS)
            return width;
    }
    return slices->n;
}

bool xtf_rule_concentration(XtfFindingJob *job, const XtfFindingRule *rule, GError **error)
{
    g_autofree Slices *slices = g_new0(Slices, 1);
    XtfRowPicker picker = XTF_ROW_PICKER(columns, add_slice_row, slices);
    uint64_t total = 0, calls = 0;
    unsigned first = 0;

    slices->job = job;
    if (!xtf_finding_has(job, job->selection, "histogram"))
        return true;
    if (!xtf_view_pick(job->views, "histogram", job->selection, &picker, error))
        return false;
    for (unsigned i = 0; i < slices->n; i++)
        total += slices->calls[i];
    if (total < CALLS_MIN)
        return true;
    unsigned width = find_narrowest_slices(slices, total, &first, &calls);
    if (width >= rule->threshold * slices->n)
        return true;
    double from = slices->from[first], to = slices->to[first + width - 1];
    xtf_finding_add(job, rule, 1 - (double)width / slices->n, &(XtfFinding){.table = "histogram"},
                    "%s of the calls are in %u %% of %s, from %s to %s",
                    xtf_word_percent((double)calls / (double)total * XTF_HUNDREDTHS).text, width, job->window_words,
                    xtf_word_time(from, to - from).text, xtf_word_time(to, to - from).text);
    return true;
}

/* ---- Iterations of the main loop. */

enum {
    ITERATIONS_MIN = 5,
    WINDOWS_MAX = 20000, /* iterations times processes; more would take too long */
};

/* An iteration is unlike the others from this multiple of the median on. */
static const double unlike = 1.5;

enum { ITERATION, MAX_TIME, MAX_PROC };
static const char *const iteration_columns[] = {"iteration", "max", "max_proc"};

typedef struct {
    const XtfFindingJob *job;
    GArray *times;          /* double, seconds of the slowest process, by iteration */
    uint64_t longest, proc; /* iteration that takes longest, and its slowest process */
    double most;
} Iterations;

static bool add_iteration_row(const XtfRowCell *cells, void *data, GError **error)
{
    Iterations *iterations = data;
    double seconds = xtf_finding_cell_seconds(iterations->job, &cells[MAX_TIME]);

    (void)error;
    g_array_append_val(iterations->times, seconds);
    if (seconds > iterations->most) {
        iterations->most = seconds;
        iterations->longest = xtf_row_number(&cells[ITERATION]);
        iterations->proc = xtf_row_number(&cells[MAX_PROC]);
    }
    return true;
}

/* Reports the iteration that takes longest, if it takes much longer than the median. */
bool xtf_rule_iteration(XtfFindingJob *job, const XtfFindingRule *rule, GError **error)
{
    g_autoptr(GArray) times = g_array_new(FALSE, FALSE, sizeof(double));
    Iterations iterations = {.job = job, .times = times};
    XtfRowPicker picker = XTF_ROW_PICKER(iteration_columns, add_iteration_row, &iterations);

    if (!xtf_finding_has(job, job->selection, "iterations"))
        return true;
    if (!xtf_iterations_load(job->views->iterations, error))
        return false;
    uint64_t n = job->views->iterations->n;
    if (n < ITERATIONS_MIN)
        return true;
    if (n > WINDOWS_MAX / MAX(job->locations.n_procs, 1)) {
        xtf_finding_add_skipped(job, "iterations unlike others", n, "iterations");
        return true;
    }
    if (!xtf_view_pick(job->views, "iterations", job->selection, &picker, error))
        return false;
    g_array_sort(times, xtf_compare_doubles);
    double median = g_array_index(times, double, times->len / 2), window = xtf_finding_seconds(job);
    if (iterations.most < median * unlike || iterations.most - median < rule->threshold * window)
        return true;
    g_autofree char *table = g_strdup_printf("iter/%" PRIu64 "/profile", iterations.longest);
    xtf_finding_add(job, rule, (iterations.most - median) / window, &(XtfFinding){.table = table},
                    "iteration %" PRIu64 " of 0 to %" PRIu64 " takes %s times as long as the median: %s instead of %s, "
                    "in process %" PRIu64,
                    iterations.longest, n - 1, xtf_word_ratio(median > 0 ? iterations.most / median : 0).text,
                    xtf_word_seconds(iterations.most).text, xtf_word_seconds(median).text, iterations.proc);
    return true;
}
