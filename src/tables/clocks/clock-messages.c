/* Messages that contradict clocks. */
#include "src/tables/clocks/clock-counts.h"
#include "src/tables/clocks/clock-rows.h"
#include "src/tables/match/match.h"
#include "src/tables/match/message-times.h"

static bool sample_message(XtfMatching *matching, const XtfMessageEnd *end, bool is_send, XtfClockSample *sample,
                           void *data, GError **error)
{
    XtfMessage message;
    uint64_t sent, received;

    if (!(is_send ? xtf_match_send_if_certain : xtf_match_receive_if_certain)(matching, end, &message, error))
        return false;
    if (message.state != XTF_PAIR_CERTAIN || !message.has_send || !message.has_receive)
        return true;
    if (!xtf_message_record_times(matching, &message, &sent, &received, error))
        return false;
    sample(&message, sent, received, data);
    return true;
}

/* Takes sends or receives, whichever are fewer. Some recorders record most sends without their receives. */
bool xtf_clock_sample_messages(XtfClockCheck *check, XtfClockSample *sample, void *data, bool *sampled, GError **error)
{
    const XtfMessageTypes *types = &check->matching->types;
    g_auto(XtfClockRows) sends = {0}, receives = {0};
    uint64_t row;

    *sampled = false;
    if (types->missing)
        return true;
    if (!xtf_clock_rows_init(&sends, check->resolver, types->types[XTF_MESSAGES_SENDS].schema, error) ||
        !xtf_clock_rows_init(&receives, check->resolver, types->recvs, error))
        return false;
    bool by_sends = sends.n < receives.n;
    const XtfClockRows *rows = by_sends ? &sends : &receives;
    uint64_t n = MIN(rows->n, (uint64_t)MAX(XTF_CLOCK_MESSAGES_MOST / MAX(sends.widest, receives.widest), 1));
    *sampled = n < rows->n;
    for (uint64_t i = 0; i < n; i++) {
        const XtfSpan *span = xtf_clock_rows_at(rows, xtf_clock_rows_chosen(rows, i, n), &row);
        const XtfMessageEnd end = {span->tag, row};
        if (!sample_message(check->matching, &end, by_sends, sample, data, error))
            return false;
    }
    return true;
}

static void count_message(const XtfMessage *message, uint64_t sent, uint64_t received, void *data)
{
    xtf_clock_effects_add(data, received, sent);
}

bool xtf_clock_count_messages(XtfClockCheck *check, XtfClockEffects *messages, GError **error)
{
    return xtf_clock_sample_messages(check, count_message, messages, &messages->sampled, error);
}
