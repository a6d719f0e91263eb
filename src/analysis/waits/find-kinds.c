/* Waits that need no messages: their points are those of nobody else. */
#include "src/analysis/kinds/kinds.h"
#include "src/analysis/waits/find-private.h"

static bool add_wait(void *data, const XtfKindWait *wait, GError **error)
{
    XtfRawPoints *raw = data;
    const XtfEnd end = {.seq = wait->seq,
                        .time = wait->time,
                        .enter = wait->enter,
                        .leave = wait->leave,
                        .location = wait->location,
                        .region = wait->region,
                        .context = UINT32_MAX};
    XtfPoint point = xtf_find_point(&end, wait->kind, XTF_POINT_ALONE);

    point.wait = wait->end - wait->begin;
    point.end = wait->end;
    point.completion = wait->completion;
    point.match = wait->match;
    point.bytes = wait->bytes;
    point.comm = wait->comm;
    point.part = wait->part;
    point.part_kind = wait->part_kind;
    if (wait->culprit != wait->location) {
        point.partner = wait->culprit;
        point.partner_seq = wait->culprit_seq;
    }
    raw->locations[wait->location].kinds = true;
    return xtf_raw_points_add(raw, wait->location, &point, error);
}

bool xtf_find_kinds(XtfReplay *replay, XtfRawPoints *raw, GError **error)
{
    const XtfKindConsumer consumer = {.data = raw, .wait = add_wait};

    return xtf_kinds_find(xtf_replay_context(replay), xtf_replay_cancel(replay), &consumer, error);
}
