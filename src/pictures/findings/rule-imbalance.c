/* A process that takes longer than the others in a region of the program, in tenths of the window. */
#include <math.h>

#include "src/pictures/findings/finding-rule.h"
#include "src/trace/select/grouping.h"

enum {
    TENTHS = 10,
    PERCENT_OF_TENTH = 100 / TENTHS,
    MOST = 3, /* findings */
};

#define ROUNDING 1e-12 /* of quotients: just the threshold counts */

static const double LEAST = 0.01; /* of the window */

enum { ROW, MEAN, MAX, MAX_PROC, REGION };
static const char *const columns[] = {"row", "mean", "max", "max_proc", "region"};

/* Of one table `imbalance`: the region of the program whose slowest process is farthest above the mean. */
typedef struct {
    const XtfFindingJob *job;
    uint64_t wanted; /* this row alone; UINT64_MAX: any of the program */
    bool found;
    uint64_t row, proc;
    double mean, above; /* seconds */
    char *name;
} Slowest;

static void slowest_clear(Slowest *slowest)
{
    g_clear_pointer(&slowest->name, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Slowest, slowest_clear)

/* The table is sorted by what is looked for. */
static bool take_line(const XtfRowCell *cells, void *data, GError **error)
{
    Slowest *slowest = data;

    if (slowest->found || cells[MAX_PROC].type == XTF_ROW_NOTHING)
        return true;
    uint64_t row = xtf_row_number(&cells[ROW]);
    bool of_program = XTF_CLASS_BIT(xtf_region_classes_of(slowest->job->classes, row)) & XTF_CLASSES_USEFUL;
    if (slowest->wanted == UINT64_MAX ? !of_program : row != slowest->wanted)
        return true;
    slowest->found = true;
    slowest->row = row;
    slowest->proc = xtf_row_number(&cells[MAX_PROC]);
    slowest->mean = xtf_finding_cell_seconds(slowest->job, &cells[MEAN]);
    unsigned __int128 max = xtf_finding_cell_units(slowest->job, &cells[MAX]);
    unsigned __int128 mean = xtf_finding_cell_units(slowest->job, &cells[MEAN]);
    slowest->above =
        max > mean ? (double)(max - mean) * pow(10, -(double)slowest->job->views->context->scale.digits) : 0;
    slowest->name = xtf_finding_name(cells[REGION].text);
    return true;
}

/* Of tenths [i, j). */
static bool find_slowest(XtfFindingJob *job, const XtfKeyValues *tenths, uint64_t i, uint64_t j, Slowest *slowest,
                         GError **error)
{
    g_autoptr(XtfSelection) selection = xtf_key_slices(tenths, job->selection, i, j - i);
    XtfRowPicker picker = XTF_ROW_PICKER(columns, take_line, slowest);

    slowest->job = job;
    return xtf_view_pick(job->views, "imbalance", selection, &picker, error);
}

static bool report(XtfFindingJob *job, const XtfFindingRule *rule, const XtfKeyValues *tenths, uint64_t i, uint64_t j,
                   uint64_t row, GError **error)
{
    g_auto(Slowest) slowest = {.wanted = row};
    XtfFinding place = {.table = "imbalance", .is_window = j - i < tenths->n};
    g_autofree char *source = NULL;
    char where[64] = "";

    if (!find_slowest(job, tenths, i, j, &slowest, error))
        return false;
    if (!slowest.found || slowest.mean <= 0 || slowest.above < (LEAST - ROUNDING) * xtf_finding_seconds(job))
        return true;
    if (!xtf_finding_source(job, slowest.row, &source, error))
        return false;
    place.from = xtf_key_bound(tenths, i);
    place.to = xtf_key_bound(tenths, j);
    if (place.is_window)
        g_snprintf(where, sizeof where, " between %u %% and %u %% of %s", (unsigned)i * PERCENT_OF_TENTH,
                   (unsigned)j * PERCENT_OF_TENTH, job->what);
    XtfFinding *finding = xtf_finding_add(
        job, rule, slowest.above / xtf_finding_seconds(job), &place,
        "process %" PRIu64 " takes %s times as long as the mean in %s%s%s: %s instead of %s", slowest.proc,
        xtf_word_ratio((slowest.mean + slowest.above) / slowest.mean).text, slowest.name, source, where,
        xtf_word_seconds(slowest.mean + slowest.above).text, xtf_word_seconds(slowest.mean).text);
    finding->culprit = slowest.proc;
    finding->region = slowest.row;
    return true;
}

/* Of the job's findings from `first` on, only the best stay. */
static void keep_best(XtfFindingJob *job, guint first)
{
    GArray *found = job->found;

    if (found->len <= first)
        return;
    g_qsort_with_data(&g_array_index(found, XtfFinding, first), (gint)(found->len - first), sizeof(XtfFinding),
                      xtf_finding_compare, NULL);
    if (found->len > first + MOST)
        g_array_set_size(found, first + MOST);
}

/* In a tenth, a process takes longer than the mean by the threshold's part of the tenth. Neighbouring tenths with the
 * same process and region are one. */
bool xtf_rule_imbalance(XtfFindingJob *job, const XtfFindingRule *rule, GError **error)
{
    bool is_large = xtf_finding_is_large(job);
    g_autoptr(XtfGrouping) grouping =
        xtf_grouping_new_slices(job->views->context, job->selection, is_large ? 1 : TENTHS);
    const XtfKeyValues *tenths = &grouping->values;
    uint64_t begin = 0, row = UINT64_MAX, proc = 0;
    guint first = job->found->len;

    if (job->locations.n_procs < 2 || !xtf_finding_has(job, job->selection, "imbalance"))
        return true;
    if (is_large)
        xtf_finding_leave_out_large(job, "imbalance in tenths");
    for (uint64_t i = 0; i <= tenths->n; i++) {
        g_auto(Slowest) slowest = {.wanted = UINT64_MAX};
        if (i < tenths->n && xtf_key_bound(tenths, i) < xtf_key_bound(tenths, i + 1) &&
            !find_slowest(job, tenths, i, i + 1, &slowest, error))
            return false;
        double share = slowest.above / (xtf_finding_seconds(job) / (double)tenths->n);
        bool stands_out = slowest.found && slowest.above > 0 && share >= rule->threshold - ROUNDING;
        if (stands_out && slowest.row == row && slowest.proc == proc)
            continue;
        if (row != UINT64_MAX && !report(job, rule, tenths, begin, i, row, error))
            return false;
        begin = i;
        row = stands_out ? slowest.row : UINT64_MAX;
        proc = slowest.proc;
    }
    keep_best(job, first);
    return true;
}
