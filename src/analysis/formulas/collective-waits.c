#include "src/analysis/formulas/collective-waits.h"

#include "src/model/wait-kinds.h"

#include <glib.h>

void xtf_member_time_latest(XtfMemberTime *latest, uint64_t index, uint64_t time)
{
    if (!latest->known || time > latest->time)
        *latest = (XtfMemberTime){true, index, time};
}

static void keep_earliest(XtfMemberTime *least, uint64_t index, uint64_t time)
{
    if (!least->known || time < least->time)
        *least = (XtfMemberTime){true, index, time};
}

void xtf_collective_summary_add(XtfCollectiveSummary *summary, const XtfCollectiveTimes *times)
{
    keep_earliest(&summary->first, times->index, times->begin);
    xtf_member_time_latest(&summary->last, times->index, times->begin);
    keep_earliest(&summary->first_end, times->index, times->end);
    if (times->sends)
        xtf_member_time_latest(&summary->last_sender, times->index, times->begin);
    if (times->is_root && !summary->root.known)
        summary->root = (XtfMemberTime){true, times->index, times->begin};
}

bool xtf_collective_is_partial(const XtfCollectiveSummary *summary, XtfCollectiveShape shape)
{
    return (shape == XTF_COLLECTIVE_ALL_TO_ALL || shape == XTF_COLLECTIVE_HANDLES) && summary->first_end.known &&
           summary->first_end.time <= summary->last.time;
}

static bool takes_part(const XtfCollectiveSummary *summary, const XtfCollectiveTimes *times)
{
    const XtfMemberTime *last = &summary->last_sender;
    return last->known && (times->index == last->index || (times->receives && times->begin < last->time));
}

void xtf_collective_summary_add_partial(XtfCollectiveSummary *summary, const XtfCollectiveTimes *times)
{
    if (takes_part(summary, times))
        keep_earliest(&summary->first_partial_end, times->index, times->end);
}

/* Returns the ticks from the member's begin to `until`, or to its end if that is earlier. */
static uint64_t wait_until(const XtfCollectiveTimes *times, uint64_t until)
{
    uint64_t end = MIN(until, times->end);
    return end > times->begin ? end - times->begin : 0;
}

/* Computes the wait for the last member, and the time after the first member's end. */
static void wait_for_all(const XtfCollectiveTimes *times, uint64_t last, uint64_t first_end, uint64_t *wait,
                         uint64_t *completion)
{
    uint64_t released = MAX(first_end, MIN(last, times->end));

    *wait = wait_until(times, last);
    *completion = times->end > released ? times->end - released : 0;
}

void xtf_collective_waits(const XtfCollectiveSummary *summary, XtfCollectiveShape shape,
                          const XtfCollectiveTimes *times, XtfMemberTime last_sender, uint64_t *wait,
                          uint64_t *completion)
{
    *wait = *completion = 0;
    switch (shape) {
    case XTF_COLLECTIVE_ALL_TO_ALL:
    case XTF_COLLECTIVE_HANDLES:
        if (xtf_collective_is_partial(summary, shape)) {
            if (takes_part(summary, times))
                wait_for_all(times, summary->last_sender.time, summary->first_partial_end.time, wait, completion);
            break;
        }
        /* fall through */
    case XTF_COLLECTIVE_BARRIER:
        wait_for_all(times, summary->last.time, summary->first_end.time, wait, completion);
        break;
    case XTF_COLLECTIVE_FROM_ROOT:
        if (times->receives && summary->root.known)
            *wait = wait_until(times, summary->root.time);
        break;
    case XTF_COLLECTIVE_TO_ROOT:
        if (times->is_root && summary->last_sender.known)
            *wait = wait_until(times, summary->last_sender.time);
        break;
    case XTF_COLLECTIVE_SCAN:
        if (last_sender.known)
            *wait = wait_until(times, last_sender.time);
        break;
    case XTF_COLLECTIVE_SOME_TO_SOME:
    case XTF_COLLECTIVE_UNKNOWN:
        break;
    }
}

uint8_t xtf_collective_wait_kind(XtfCollectiveShape shape, bool destroys)
{
    switch (shape) {
    case XTF_COLLECTIVE_BARRIER:
        return XTF_LABEL_wait_barrier;
    case XTF_COLLECTIVE_HANDLES:
        break;
    case XTF_COLLECTIVE_FROM_ROOT:
        return XTF_LABEL_late_broadcast;
    case XTF_COLLECTIVE_TO_ROOT:
        return XTF_LABEL_early_reduce;
    case XTF_COLLECTIVE_SCAN:
        return XTF_LABEL_early_scan;
    case XTF_COLLECTIVE_ALL_TO_ALL:
    case XTF_COLLECTIVE_SOME_TO_SOME:
    case XTF_COLLECTIVE_UNKNOWN:
        return XTF_LABEL_wait_nxn;
    }
    return destroys ? XTF_LABEL_wait_destroy : XTF_LABEL_wait_create;
}
