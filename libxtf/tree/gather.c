/*
 * Gathering: reads of many arrays by few requests, for sources whose requests are slow.
 */
#include "libxtf/base/fetching-source.h"
#include "libxtf/tree/trace-private.h"

/* Most reads that wait for one another: nodes of the P index, a right edge, the pages of a descent. */
enum { ROUNDS_MAX = XTF_HEIGHT_MAX + 4 };

void xtf_trace_gather(XtfTrace *trace, XtfGatherWork work, void *data)
{
    g_auto(XtfGathering) gathering;

    if (!xtf_gathering_begin(&gathering, trace->source, XTF_GATHER_NOTED))
        return;
    for (unsigned i = 0; i < ROUNDS_MAX; i++) {
        work(data);
        if (!xtf_gathering_fetch(&gathering))
            return;
    }
}
