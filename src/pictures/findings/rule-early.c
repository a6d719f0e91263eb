/* Processes whose records end before they did: what all other findings say of them is too little. */
#include <inttypes.h>

#include "src/model/process-properties.h"
#include "src/pictures/findings/finding-rule.h"

enum { SHOWN = 3 }; /* processes; of others their number is told */

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
