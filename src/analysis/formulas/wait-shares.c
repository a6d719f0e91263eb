#include "src/analysis/formulas/wait-shares.h"

#include "src/model/wait-kinds.h"

/* Subtracts the waiter's ticks on the same call path. */
static void subtract_sums(XtfCallpathSums *sums, const XtfCallpathSums *waiter)
{
    for (uint32_t i = 0; i < sums->n_touched; i++) {
        uint32_t callpath = sums->touched[i];
        sums->ticks[callpath] -= MIN(waiter->ticks[callpath], sums->ticks[callpath]);
    }
}

uint64_t xtf_wait_delays(const XtfWaitKind *kind, XtfCallpathSums *culprit, const XtfCallpathSums *waiter,
                         const XtfWaitTeams *teams)
{
    uint64_t sum = 0;

    if (kind->rule == XTF_WAIT_TEAM)
        xtf_team_paths_subtract(teams->paths, culprit, teams->culprit, waiter, teams->waiter);
    else if (kind->rule == XTF_WAIT_EXCESS)
        subtract_sums(culprit, waiter);
    for (uint32_t i = 0; i < culprit->n_touched; i++)
        sum = MIN(sum + (uint64_t)culprit->ticks[culprit->touched[i]], (uint64_t)INT64_MAX);
    return sum;
}

double xtf_wait_scale(const XtfWaitKind *kind, uint64_t wait, uint64_t delays, uint64_t waited)
{
    double whole = (double)(delays + waited);

    if (whole <= 0)
        return 0;
    return kind->limited ? MIN((double)wait / whole, 1) : (double)wait / whole;
}
