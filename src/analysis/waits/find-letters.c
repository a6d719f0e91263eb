/*
 * The messages of a share, and letters to other shares about them. For a message between two shares, the receiver's
 * share adopts a copy of the send, and finds the waits of the receiver. Then it writes back both ends of the receive,
 * and the sender's share finds the waits of the sender.
 */
#include "src/analysis/waits/find-private.h"

/* A send for the share of its receiver. */
typedef struct {
    XtfEnd send;
    uint64_t bytes, beside, origin;
    uint32_t sender, unused;
} Described;

G_STATIC_ASSERT(sizeof(Described) == XTF_FIND_DESCRIBED_BYTES);

void xtf_find_describe(void *data, uint64_t value, void *to)
{
    const XtfFind *find = data;
    const XtfSent *message = xtf_find_sent_of(find, value);
    Described *described = to;

    *described = (Described){.send = message->send,
                             .bytes = message->bytes,
                             .beside = message->beside,
                             .origin = value,
                             .sender = xtf_find_process(find, message->send.location)};
}

uint64_t xtf_find_adopt(void *data, const void *from)
{
    XtfFind *find = data;
    const Described *described = from;
    uint64_t value;
    XtfSent *message = xtf_find_allot_sent(find, &value);

    message->send = described->send;
    message->bytes = described->bytes;
    message->beside = described->beside;
    message->adopted = true;
    message->sender = described->sender;
    message->origin = described->origin;
    return value;
}

void xtf_find_write_received(XtfFind *find, XtfSent *message, const XtfEnd *posting)
{
    XtfFindReceivedLetter *letter = xtf_replay_share_write(find->share, message->sender, sizeof *letter);

    *letter = (XtfFindReceivedLetter){.letter = XTF_FIND_RECEIVED,
                                      .comm = message->comm,
                                      .tag = message->tag,
                                      .value = message->origin,
                                      .recv_row = message->recv_row,
                                      .posting = *posting,
                                      .recv = message->recv};
    xtf_find_free_sent(find, message);
}

void xtf_find_write_dropped(XtfFind *find, XtfSent *message)
{
    XtfFindDroppedLetter *letter = xtf_replay_share_write(find->share, message->sender, sizeof *letter);

    *letter = (XtfFindDroppedLetter){.letter = XTF_FIND_DROPPED, .value = message->origin};
    xtf_find_free_sent(find, message);
}
