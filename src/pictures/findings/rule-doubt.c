/* Records that cannot be trusted: of processes whose records end before they did, and of clocks that contradict each
 * other. */
#include <inttypes.h>

#include "src/model/process-properties.h"
#include "src/pictures/findings/finding-rule.h"

enum { SHOWN = 3 }; /* processes; of others their number is told */

/* What all other findings say of a process whose records end early is too little. */
bool xtf_rule_early(XtfFindingJob *job, const XtfFindingRule *rule, GError **error)
{
    if (!job->is_whole_run || !xtf_finding_is_of_processes(job))
        return true;
    g_autoptr(GArray) ends = xtf_early_ends(job->views->context->trace, error);
    if (!ends)
        return false;
    for (guint i = 0; i < MIN(ends->len, SHOWN); i++) {
        const XtfEarlyEnd *end = &g_array_index(ends, XtfEarlyEnd, i);
        xtf_finding_add(job, rule, 1, &(XtfFinding){.table = "info"},
                        "the records of process %" PRIu32 " end early, since nothing could be written: %s", end->proc,
                        end->why);
    }
    if (ends->len > SHOWN)
        xtf_finding_add(job, rule, 1, &(XtfFinding){.table = "info"}, "the records of %u more processes end early",
                        ends->len - SHOWN);
    return true;
}

/* Who is late, who is last and who waits for whom is not to be trusted. */
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
