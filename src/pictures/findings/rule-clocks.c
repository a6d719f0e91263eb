/* Clocks that contradict each other: who is late, who is last and who waits for whom is not to be trusted. */
#include "src/pictures/findings/finding-rule.h"

bool xtf_rule_clocks(XtfFindingJob *job, const XtfFindingRule *rule, GError **error)
{
    g_autofree char *sentence = NULL;

    if (!xtf_clock_check_sentence(job->views->clocks, &sentence, error))
        return false;
    if (!sentence)
        return true;
    const XtfClockFigures *figures = xtf_clock_check_figures(job->views->clocks, error);
    if (!figures)
        return false;
    bool by_messages = xtf_clock_count_contradicts(&figures->messages.count);
    const XtfClockCount *count = by_messages ? &figures->messages.count : &figures->members.count;
    xtf_finding_add(job, rule, (double)count->impossible / (double)count->judged,
                    &(XtfFinding){.table = by_messages ? "messages" : "collectives/records"}, "%s", sentence);
    return true;
}
