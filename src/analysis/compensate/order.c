#include "src/analysis/compensate/order.h"

static bool put_change(XtfRetimedLocation *location, const XtfReceived *earlier, const XtfReceived *received,
                       GError **error)
{
    uint8_t *to = xtf_log_begin(&location->order_log, error);

    if (!to)
        return false;
    to = xtf_log_put(to, received->seq - location->order_seq);
    to = xtf_log_put(to, received->seq - earlier->seq);
    to = xtf_log_put(to, received->sent_local);
    to = xtf_log_put(to, earlier->sent_local);
    to = xtf_log_put(to, received->process);
    to = xtf_log_put(to, earlier->process);
    to = xtf_log_put(to, received->comm);
    to = xtf_log_put(to, received->tag);
    xtf_log_end(&location->order_log, to);
    location->order_seq = received->seq;
    return true;
}

static bool changes_order(const XtfReceived *earlier, const XtfReceived *received)
{
    return earlier->comm == received->comm && earlier->tag == received->tag && earlier->process != received->process &&
           earlier->sent_time < received->sent_time && earlier->sent_local > received->sent_local;
}

bool xtf_order_note(XtfRetime *retime, XtfRetimedLocation *location, const XtfReceived *received, GError **error)
{
    uint32_t n = MIN(location->n_received, XTF_RECEIVES_COMPARED);

    for (uint32_t i = 0; i < n; i++) {
        const XtfReceived *earlier = &location->received[(location->n_received - 1 - i) % XTF_RECEIVES_COMPARED];
        if (!changes_order(earlier, received))
            continue;
        retime->counts.order_changes++;
        if (!put_change(location, earlier, received, error))
            return false;
    }
    location->received[location->n_received++ % XTF_RECEIVES_COMPARED] = *received;
    if (location->n_received == 2 * XTF_RECEIVES_COMPARED)
        location->n_received -= XTF_RECEIVES_COMPARED;
    return true;
}

bool xtf_order_next(XtfOrderReader *reader, XtfOrderChange *change, bool *found, GError **error)
{
    const uint8_t *record, *end;

    if (!xtf_log_next(&reader->log, &record, &end, error))
        return false;
    *found = record != NULL;
    if (!record)
        return true;
    reader->seq += xtf_log_get(&record);
    *change = (XtfOrderChange){.seq = reader->seq};
    change->back = xtf_log_get(&record);
    change->sent = xtf_log_get(&record);
    change->earlier_sent = xtf_log_get(&record);
    change->process = (uint32_t)xtf_log_get(&record);
    change->earlier_process = (uint32_t)xtf_log_get(&record);
    change->comm = (uint32_t)xtf_log_get(&record);
    change->tag = (uint32_t)xtf_log_get(&record);
    return true;
}
