/* Records that mislead: they end before their process did, their clocks contradict each other, or their times include
 * waiting for a CPU. */
#include <inttypes.h>

#include "src/model/process-properties.h"
#include "src/pictures/findings/finding-rule.h"

enum { PROCS_MAX = 3 }; /* most processes that are named; of the others a finding gives the number */

/* Reports processes whose records end early: all other findings underestimate their times. */
bool xtf_rule_early(XtfFindingJob *job, const XtfFindingRule *rule, GError **error)
{
    if (!job->is_whole_run || !xtf_finding_is_of_processes(job))
        return true;
    g_autoptr(GArray) ends = xtf_early_ends(job->views->context->trace, error);
    if (!ends)
        return false;
    for (guint i = 0; i < MIN(ends->len, PROCS_MAX); i++) {
        const XtfEarlyEnd *end = &g_array_index(ends, XtfEarlyEnd, i);
        xtf_finding_add(job, rule, 1, &(XtfFinding){.table = "info"},
                        "the records of process %" PRIu32 " end early, since nothing could be written: %s", end->proc,
                        end->reason);
    }
    if (ends->len > PROCS_MAX)
        xtf_finding_add(job, rule, 1, &(XtfFinding){.table = "info"}, "the records of %u more processes end early",
                        ends->len - PROCS_MAX);
    return true;
}

/* Reports clocks that contradict each other: times of different processes cannot be compared then. */
bool xtf_rule_clocks(XtfFindingJob *job, const XtfFindingRule *rule, GError **error)
{
    g_autofree char *sentence = xtf_clock_check_sentence(job->views->clocks);
    const XtfClockFigures *figures = xtf_clock_check_figures(job->views->clocks, NULL);

    if (!sentence)
        return true;
    bool by_messages = !figures || xtf_clock_count_contradicts(&figures->messages.count);
    const XtfClockCount *count = !figures ? NULL : by_messages ? &figures->messages.count : &figures->members.count;
    xtf_finding_add(job, rule, count ? (double)count->impossible / (double)count->judged : 1,
                    &(XtfFinding){.table = by_messages ? "messages" : "collectives/records"}, "%s", sentence);
    return true;
}

/* Reports processes that share CPUs: their calls and waits then include time in which another process had the CPU. */
bool xtf_rule_cpus(XtfFindingJob *job, const XtfFindingRule *rule, GError **error)
{
    if (!job->is_whole_run || !xtf_finding_is_of_processes(job) || job->selection->procs)
        return true;
    g_autoptr(GArray) all = xtf_shared_cpus(job->views->context->trace, error);
    const XtfSharedCpus *worst = NULL;

    if (!all)
        return false;
    for (guint i = 0; i < all->len; i++) {
        const XtfSharedCpus *shared = &g_array_index(all, XtfSharedCpus, i);
        if (!worst || (uint64_t)shared->n_procs * worst->n_cpus > (uint64_t)worst->n_procs * shared->n_cpus)
            worst = shared;
    }
    if (!worst)
        return true;
    g_autofree char *more_hosts =
        all->len == 1 ? g_strdup("")
                      : g_strdup_printf(", as do processes of %u other host%s", all->len - 1, all->len == 2 ? "" : "s");
    xtf_finding_add(job, rule, 1 - (double)worst->n_cpus / worst->n_procs,
                    &(XtfFinding){.table = "definitions/definition_properties"},
                    "%u processes share %u CPU%s of %s (%s)%s: calls and waits include time without a CPU",
                    worst->n_procs, worst->n_cpus, worst->n_cpus == 1 ? "" : "s", worst->host, worst->cpus, more_hosts);
    return true;
}
