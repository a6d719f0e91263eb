/* A process whose records begin after the records of all others, or end before them. */
#include <stdlib.h>

#include "src/pictures/findings/finding-rule.h"

/* The times of the first and the last record of a process. */
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

/* Finds the lives of all processes with records. */
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

/* Reports a process that begins or ends alone, if the gap to the next one is long enough. */
static void report_gap(XtfFindingJob *job, const XtfFindingRule *rule, const Life *first_life, const Life *next_life,
                       bool at_end)
{
    const XtfTimeScale *scale = &job->views->context->scale;
    uint64_t time = at_end ? first_life->last : first_life->first,
             next_time = at_end ? next_life->last : next_life->first;
    uint64_t gap = at_end ? next_time - time : time - next_time;
    double share = (double)gap / (double)(job->to - job->from);
    char proc[24];

    if (share <= rule->threshold)
        return;
    XtfWord time_word = xtf_word_time(xtf_seconds_of(scale, time - scale->origin), xtf_finding_seconds(job));
    g_snprintf(proc, sizeof proc, "%" PRIu64, first_life->proc);
    XtfFinding *finding =
        xtf_finding_add(job, rule, share / job->locations.n_procs, &(XtfFinding){.table = "records", .proc = proc},
                        at_end ? "process %s ends at %s, %s before the next, process %" PRIu64
                               : "process %s begins at %s, %s after the one before it, process %" PRIu64,
                        proc, time_word.text, xtf_word_seconds(xtf_seconds_of(scale, gap)).text, next_life->proc);
    finding->culprit = first_life->proc;
}

/* Reports gaps of more than the threshold's part of the run. Looks at whole runs only. */
bool xtf_rule_ends(XtfFindingJob *job, const XtfFindingRule *rule, GError **error)
{
    g_autoptr(GArray) lives = g_array_new(FALSE, FALSE, sizeof(Life));

    if (!xtf_finding_is_of_processes(job) || !job->is_whole_run || !find_lives(job, lives, error))
        return !xtf_finding_is_of_processes(job) || !job->is_whole_run;
    if (lives->len < 2)
        return true;
    Life *all = &g_array_index(lives, Life, 0);
    qsort(all, lives->len, sizeof *all, compare_first);
    report_gap(job, rule, &all[0], &all[1], false);
    if (job->is_growing)
        return true;
    qsort(all, lives->len, sizeof *all, compare_last);
    report_gap(job, rule, &all[0], &all[1], true);
    return true;
}
