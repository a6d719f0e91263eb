/* A process that takes longer than the others in a region of the program. Looks at each tenth of the window by itself.
 */
#include <math.h>

#include "src/pictures/findings/finding-rule.h"
#include "src/trace/select/grouping.h"

enum {
    TENTHS = 10,
    PERCENT_OF_TENTH = 100 / TENTHS,
    FINDINGS_MAX = 3, /* most findings */
};

#define ROUNDING 1e-12 /* tolerance of quotients: a value equal to the threshold counts */

static const double EXCESS_MIN = 0.01; /* least excess over the mean, as a part of the window */

enum { ROW, MEAN, MAX, MAX_PROC, REGION };
static const char *const columns[] = {"row", "mean", "max", "max_proc", "region"};

/* The region of the program whose slowest process is farthest above the mean, in one table `imbalance`. */
typedef struct {
    const XtfFindingJob *job;
    uint64_t wanted; /* only this row; UINT64_MAX: any row of the program */
    bool is_set;
    uint64_t row, proc;
    double mean, excess; /* mean, and excess of the slowest process, in seconds */
    char *name;
} Slowest;

static void slowest_clear(Slowest *slowest)
{
    g_clear_pointer(&slowest->name, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Slowest, slowest_clear)

/* Stores the first line that qualifies: the table is sorted by excess. */
static bool add_imbalance_line(const XtfRowCell *cells, void *data, GError **error)
{
    Slowest *slowest = data;

    if (slowest->is_set || cells[MAX_PROC].type == XTF_ROW_NOTHING)
        return true;
    uint64_t row = xtf_row_number(&cells[ROW]);
    bool of_program = XTF_CLASS_BIT(xtf_region_classes_of(slowest->job->classes, row)) & XTF_CLASSES_USEFUL;
    if (slowest->wanted == UINT64_MAX ? !of_program : row != slowest->wanted)
        return true;
    slowest->is_set = true;
    slowest->row = row;
    slowest->proc = xtf_row_number(&cells[MAX_PROC]);
    slowest->mean = xtf_finding_cell_seconds(slowest->job, &cells[MEAN]);
    unsigned __int128 max = xtf_finding_cell_units(slowest->job, &cells[MAX]);
    unsigned __int128 mean = xtf_finding_cell_units(slowest->job, &cells[MEAN]);
    slowest->excess =
        max > mean ? (double)(max - mean) * pow(10, -(double)slowest->job->views->context->scale.digits) : 0;
    slowest->name = xtf_finding_name(cells[REGION].text);
    return true;
}

/* Finds the slowest process and its region in tenths [i, j). */
static bool find_slowest_process(XtfFindingJob *job, const XtfKeyValues *tenths, uint64_t i, uint64_t j,
                                 Slowest *slowest, GError **error)
{
    g_autoptr(XtfSelection) selection = xtf_key_slices(tenths, job->selection, i, j - i);
    XtfRowPicker picker = XTF_ROW_PICKER(columns, add_imbalance_line, slowest);

    slowest->job = job;
    return xtf_view_pick(job->views, "imbalance", selection, &picker, error);
}

static bool report_slowest(XtfFindingJob *job, const XtfFindingRule *rule, const XtfKeyValues *tenths, uint64_t i,
                           uint64_t j, uint64_t row, GError **error)
{
    g_auto(Slowest) slowest = {.wanted = row};
    XtfFinding place = {.table = "imbalance", .is_window = j - i < tenths->n};
    g_autofree char *source = NULL;
    char window_text[64] = "";

    if (!find_slowest_process(job, tenths, i, j, &slowest, error))
        return false;
    if (!slowest.is_set || slowest.mean <= 0 || slowest.excess < (EXCESS_MIN - ROUNDING) * xtf_finding_seconds(job))
        return true;
    if (!xtf_finding_source(job, slowest.row, &source, error))
        return false;
    place.from = xtf_key_bound(tenths, i);
    place.to = xtf_key_bound(tenths, j);
    if (place.is_window)
        g_snprintf(window_text, sizeof window_text, " between %u %% and %u %% of %s", (unsigned)i * PERCENT_OF_TENTH,
                   (unsigned)j * PERCENT_OF_TENTH, job->window_words);
    XtfFinding *finding = xtf_finding_add(
        job, rule, slowest.excess / xtf_finding_seconds(job), &place,
        "process %" PRIu64 " takes %s times as long as the mean in %s%s%s: %s instead of %s", slowest.proc,
        xtf_word_ratio((slowest.mean + slowest.excess) / slowest.mean).text, slowest.name, source, window_text,
        xtf_word_seconds(slowest.mean + slowest.excess).text, xtf_word_seconds(slowest.mean).text);
    finding->culprit = slowest.proc;
    finding->region = slowest.row;
    return true;
}

/* Removes all but the best of the job's findings from index `first`. */
static void keep_best_findings(XtfFindingJob *job, guint first)
{
    GArray *findings = job->findings;

    if (findings->len <= first)
        return;
    g_qsort_with_data(&g_array_index(findings, XtfFinding, first), (gint)(findings->len - first), sizeof(XtfFinding),
                      xtf_finding_compare, NULL);
    if (findings->len > first + FINDINGS_MAX)
        g_array_set_size(findings, first + FINDINGS_MAX);
}

/* Reports processes that take longer in a tenth than the mean, by at least the threshold's part of the tenth. Adjacent
 * tenths with the same process and region become one finding. */
bool xtf_rule_imbalance(XtfFindingJob *job, const XtfFindingRule *rule, GError **error)
{
    bool is_large = xtf_finding_is_large(job);
    g_autoptr(XtfGrouping) grouping =
        xtf_grouping_new_slices(job->views->context, job->selection, is_large ? 1 : TENTHS);
    const XtfKeyValues *tenths = &grouping->values;
    uint64_t begin = 0, row = UINT64_MAX, proc = 0;
    guint first = job->findings->len;

    if (job->locations.n_procs < 2 || !xtf_finding_has(job, job->selection, "imbalance"))
        return true;
    if (is_large)
        xtf_finding_add_skipped_large(job, "imbalance in tenths");
    for (uint64_t i = 0; i <= tenths->n; i++) {
        g_auto(Slowest) slowest = {.wanted = UINT64_MAX};
        if (i < tenths->n && xtf_key_bound(tenths, i) < xtf_key_bound(tenths, i + 1) &&
            !find_slowest_process(job, tenths, i, i + 1, &slowest, error))
            return false;
        double share = slowest.excess / (xtf_finding_seconds(job) / (double)tenths->n);
        bool is_imbalanced = slowest.is_set && slowest.excess > 0 && share >= rule->threshold - ROUNDING;
        if (is_imbalanced && slowest.row == row && slowest.proc == proc)
            continue;
        if (row != UINT64_MAX && !report_slowest(job, rule, tenths, begin, i, row, error))
            return false;
        begin = i;
        row = is_imbalanced ? slowest.row : UINT64_MAX;
        proc = slowest.proc;
    }
    keep_best_findings(job, first);
    return true;
}
