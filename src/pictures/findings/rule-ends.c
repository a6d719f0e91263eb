/* A process whose records begin after those of all others, or end before them. */
#include <stdlib.h>

#include "src/pictures/findings/finding-rule.h"

/* When a process records. */
typedef struct {
    uint64_t proc, first, last;
} Life;

static int compare_first(const void *a, const void *b)
{
    const Life *x = a, *y = b;

    if (x->first != y->first)
        return x->first < y->first ? 1 : -1;
    return x->proc < y->proc ? -1 : x->proc > y->proc;
}

static int compare_last(const void *a, const void *b)
{
    const Life *x = a, *y = b;

    if (x->last != y->last)
        return x->last < y->last ? -1 : 1;
    return x->proc < y->proc ? -1 : x->proc > y->proc;
}

/* Of processes with records. */
static bool find_lives(XtfFindingJob *job, GArray *lives, GError **error)
{
    const XtfSelectedLocations *locations = &job->locations;
    g_auto(XtfLocationArrays) arrays = {0};

    for (uint32_t i = 0; i < locations->n_procs; i++) {
        const XtfSelectedProcess *proc = &locations->procs[i];
        Life life = {proc->proc, UINT64_MAX, 0};
        for (uint32_t j = proc->first; j < proc->first + proc->n; j++) {
            if (!xtf_location_arrays_load(&arrays, job->views->context, xtf_selected_location(locations, j), error))
                return false;
            if (arrays.first > arrays.last)
                continue;
            life.first = MIN(life.first, arrays.first);
            life.last = MAX(life.last, arrays.last);
        }
        if (life.first <= life.last)
            g_array_append_val(lives, life);
    }
    return true;
}

/* `one` begins or ends alone, and the next of the others is `next`. */
static void report(XtfFindingJob *job, const XtfFindingRule *rule, const Life *one, const Life *next, bool at_end)
{
    const XtfTimeScale *scale = &job->views->context->scale;
    uint64_t time = at_end ? one->last : one->first, other = at_end ? next->last : next->first;
    uint64_t gap = at_end ? other - time : time - other;
    double share = (double)gap / (double)(job->to - job->from);
    char proc[24];

    if (share <= rule->threshold)
        return;
    XtfWord when = xtf_word_time(xtf_seconds_of(scale, time - scale->origin), xtf_finding_seconds(job));
    g_snprintf(proc, sizeof proc, "%" PRIu64, one->proc);
    XtfFinding *finding =
        xtf_finding_add(job, rule, share / job->locations.n_procs, &(XtfFinding){.table = "records", .proc = proc},
                        at_end ? "process %s ends at %s, %s before the next, process %" PRIu64
                               : "process %s begins at %s, %s after the one before it, process %" PRIu64,
                        proc, when.text, xtf_word_seconds(xtf_seconds_of(scale, gap)).text, next->proc);
    finding->culprit = one->proc;
}

/* Of the whole run: the gap is more than the threshold's part of it. */
bool xtf_rule_ends(XtfFindingJob *job, const XtfFindingRule *rule, GError **error)
{
    g_autoptr(GArray) lives = g_array_new(FALSE, FALSE, sizeof(Life));

    if (!xtf_finding_is_of_processes(job) || !job->is_whole_run || !find_lives(job, lives, error))
        return !xtf_finding_is_of_processes(job) || !job->is_whole_run;
    if (lives->len < 2)
        return true;
    Life *all = &g_array_index(lives, Life, 0);
    qsort(all, lives->len, sizeof *all, compare_first);
    report(job, rule, &all[0], &all[1], false);
    if (job->goes_on)
        return true;
    qsort(all, lives->len, sizeof *all, compare_last);
    report(job, rule, &all[0], &all[1], true);
    return true;
}
