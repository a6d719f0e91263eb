/* Records that cannot be trusted: records that end before their process did, and clocks that contradict each other. */
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
