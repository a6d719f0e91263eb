/* Clocks that contradict each other: who is late, who is last and who waits for whom is not to be trusted. */
#include "src/pictures/findings/finding-rule.h"

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
