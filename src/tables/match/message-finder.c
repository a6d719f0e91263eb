#include "src/tables/match/message-finder.h"

#include <string.h>

#include "libxtf/error.h"
#include "src/tables/match/message-doubts.h"
#include "src/tables/match/message-group.h"
#include "src/tables/match/message-posting.h"
#include "src/tables/match/order/message-rows.h"
#include "src/tables/match/order/message-unposted.h"

/* ---- Finders. */

void xtf_message_finder_init(XtfMessageFinder *finder, XtfMatching *matching)
{
    *finder = (XtfMessageFinder){.matching = matching, .reach = XTF_WALK_REACH};
}

/* Forgets the group, but not the process at its other side. */
static void leave_group(XtfMessageFinder *finder)
{
    if (!finder->has_envelope)
        return;
    xtf_message_walk_finish(&finder->send_walk);
    xtf_message_walk_finish(&finder->posting_walk);
    finder->has_envelope = finder->has_group = finder->counted = false;
    finder->removed_known[0] = finder->removed_known[1] = false;
}

void xtf_message_finder_finish(XtfMessageFinder *finder)
{
    leave_group(finder);
    xtf_cursor_finish(&finder->sends_row);
    xtf_cursor_finish(&finder->postings_row);
    xtf_message_process_put(&finder->matching->processes, g_steal_pointer(&finder->sender));
    xtf_message_process_put(&finder->matching->processes, g_steal_pointer(&finder->receiver));
}

static XtfMessageProcess *take_process(XtfMessageFinder *finder, uint64_t proc, GError **error)
{
    XtfMatching *matching = finder->matching;
    return xtf_message_process_take(&matching->processes, &matching->types, matching->context, proc, error);
}

/* Takes the process of a queried end, and finds the location in it. *at is its number of locations if the location has
 * neither sends nor postings. */
static bool take_end(XtfMessageFinder *finder, const XtfMessageEnd *end, bool is_sender, uint32_t *at, GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(finder->matching->context, error);
    XtfMessageProcess **process = is_sender ? &finder->sender : &finder->receiver;

    if (!locations || !xtf_matching_check(finder->matching, error))
        return false;
    uint64_t proc = locations->all[end->location].proc;
    if (!*process || (*process)->proc != proc || finder->by_sender != is_sender) {
        xtf_message_finder_finish(finder);
        finder->by_sender = is_sender;
        *process = take_process(finder, proc, error);
        if (!*process)
            return false;
    }
    *at = xtf_message_process_find(*process, end->location);
    return true;
}

static void set_side(const XtfMessageFinder *finder, XtfMessagesKind kind, XtfMessageSide *side)
{
    bool sends = kind == XTF_MESSAGES_SENDS;

    *side = (XtfMessageSide){
        .types = &finder->matching->types, .process = sends ? finder->sender : finder->receiver, .kind = kind};
    memcpy(side->envelope, sends ? finder->group.at_sender : finder->group.at_receiver, sizeof side->envelope);
}

/* Prepares both sides of the group. */
static void begin_walks(XtfMessageFinder *finder)
{
    set_side(finder, XTF_MESSAGES_SENDS, &finder->sends);
    set_side(finder, XTF_MESSAGES_POSTINGS, &finder->postings);
    xtf_message_walk_init(&finder->send_walk, &finder->sends);
    xtf_message_walk_init(&finder->posting_walk, &finder->postings);
    finder->send_walk.reach = finder->posting_walk.reach = finder->reach;
}

/* Takes the process at the other side, unless it is taken already. */
static bool face_process(XtfMessageFinder *finder, uint64_t proc, GError **error)
{
    XtfMessageProcess **facing = finder->by_sender ? &finder->receiver : &finder->sender;

    if (*facing && (*facing)->proc == proc)
        return true;
    xtf_message_process_put(&finder->matching->processes, g_steal_pointer(facing));
    *facing = take_process(finder, proc, error);
    return *facing != NULL;
}

/* Enters the group of an envelope that the queried end recorded, and takes the process at the other side. */
static bool enter_group(XtfMessageFinder *finder, const uint64_t envelope[XTF_ENVELOPE_KEYS], GError **error)
{
    bool is_sender = finder->by_sender;
    uint64_t proc = (is_sender ? finder->sender : finder->receiver)->proc;

    leave_group(finder);
    if (!xtf_message_group_find(finder->matching->context, envelope, proc, is_sender, &finder->group,
                                &finder->has_group, error))
        return false;
    memcpy(finder->envelope, envelope, sizeof finder->envelope);
    if (finder->has_group) {
        if (!face_process(finder, is_sender ? finder->group.receiver : finder->group.sender, error))
            return false;
        begin_walks(finder);
    }
    finder->has_envelope = true;
    return true;
}

/* Finds the group of a row of the queried end. Sets has_group of the message. */
static bool find_group(XtfMessageFinder *finder, const uint8_t *row, GError **error)
{
    XtfMessage *message = finder->message;
    uint64_t envelope[XTF_ENVELOPE_KEYS];

    xtf_message_envelope(&finder->matching->types.types[finder->by_sender ? XTF_MESSAGES_SENDS : XTF_MESSAGES_POSTINGS],
                         row, envelope);
    if ((!finder->has_envelope || !xtf_envelope_equal(envelope, finder->envelope)) &&
        !enter_group(finder, envelope, error))
        return false;
    message->group = finder->group;
    message->has_group = finder->has_group;
    if (!message->has_group) {
        message->state = XTF_PAIR_UNCERTAIN;
        message->doubt = XTF_DOUBT_PEER;
    }
    return true;
}

/* ---- Ends. */

static XtfMessageRecord read_record(const XtfMessageType *type, const uint8_t *row)
{
    return (XtfMessageRecord){xtf_field_get(&type->schema->fields[0], row), xtf_field_get(type->seq, row)};
}

static bool set_send(XtfMessageFinder *finder, const XtfMessagePlace *place, const uint8_t **row, GError **error)
{
    const XtfMessageLocation *location = &finder->sender->locations[place->location];
    const XtfMessageType *type = &finder->matching->types.types[XTF_MESSAGES_SENDS];
    XtfMessage *message = finder->message;

    if (!location->has[XTF_MESSAGES_SENDS])
        return xtf_damaged(error, "location %" PRIu64 " has no sends, but messages refer to them", location->id);
    if (!xtf_message_row(&finder->sends_row, &location->arrays[XTF_MESSAGES_SENDS], place->row, row, error))
        return false;
    message->has_send = true;
    message->send = (XtfMessageEnd){location->index, place->row};
    message->sent_bytes = xtf_field_get(type->bytes, *row);
    message->sent = read_record(type, *row);
    return true;
}

static bool set_receive(XtfMessageFinder *finder, const XtfMessagePlace *place, const uint8_t **row, GError **error)
{
    const XtfMessageLocation *location = &finder->receiver->locations[place->location];
    const XtfMessageType *type = &finder->matching->types.types[XTF_MESSAGES_POSTINGS];
    XtfMessage *message = finder->message;

    if (!xtf_message_row(&finder->postings_row, &location->arrays[XTF_MESSAGES_POSTINGS], place->row, row, error))
        return false;
    message->has_receive = true;
    message->posting = (XtfMessageEnd){location->index, place->row};
    message->receive = xtf_field_get(type->message, *row);
    message->received_bytes = xtf_field_get(type->bytes, *row);
    message->posted = read_record(type, *row);
    if (location->has_recvs && message->receive < location->recvs.n_rows)
        return true;
    return xtf_damaged(error, "row %" PRIu64 " of postings of location %" PRIu64 " names a receive that does not exist",
                       place->row, location->id);
}

static void set_doubt(XtfMessage *message, XtfPairDoubt reason)
{
    message->state = XTF_PAIR_UNCERTAIN;
    message->doubt = reason;
}

/* Finds the number of the other end. *known is false if the number is a guess. */
static bool find_number(XtfMessageFinder *finder, uint64_t *number, bool *known, GError **error)
{
    XtfMessage *message = finder->message;

    *number = message->k;
    *known = true;
    if (message->n_sends == message->n_receives)
        return true;
    if (finder->only_certain)
        *known = false;
    else if (!(finder->by_sender ? xtf_message_shift_send : xtf_message_shift_receive)(&finder->shifted, message->k,
                                                                                       number, known, error))
        return false;
    set_doubt(message, XTF_DOUBT_COUNTS);
    if (*known)
        message->state = XTF_PAIR_LIKELY;
    return true;
}

/* Finds further reasons that make a pair uncertain. */
static bool find_doubts(XtfMessageFinder *finder, const XtfMessagePlace *send, const XtfMessagePlace *posting,
                        uint64_t posting_number, GError **error)
{
    XtfMatching *matching = finder->matching;
    XtfMessage *message = finder->message;
    bool overlaps, unknown, probed;

    if (message->sent_bytes != message->received_bytes) {
        set_doubt(message, XTF_DOUBT_BYTES);
        return true;
    }
    if (!xtf_message_overlaps(matching, &finder->sends, send, &overlaps, error) ||
        (!overlaps && !xtf_message_overlaps(matching, &finder->postings, posting, &overlaps, error)))
        return false;
    if (overlaps) {
        set_doubt(message, XTF_DOUBT_THREADS);
        return true;
    }
    if (!xtf_message_is_unposted(&finder->postings, posting, &unknown, error) ||
        !xtf_message_is_probed(matching, &finder->postings, posting, posting_number, &probed, error))
        return false;
    if (unknown)
        set_doubt(message, XTF_DOUBT_POSTING);
    else if (probed)
        set_doubt(message, XTF_DOUBT_PROBE);
    return true;
}

/* Counts both sides of the group, given the numbered end that is queried. */
static bool count_group(XtfMessageFinder *finder, const XtfMessagePlace *this_end, GError **error)
{
    bool is_sender = finder->by_sender;
    uint64_t k = finder->message->k, *n_own = is_sender ? &finder->n_sends : &finder->n_receives;
    uint64_t *n_facing = is_sender ? &finder->n_receives : &finder->n_sends;
    const XtfMessageSide *facing = is_sender ? &finder->postings : &finder->sends;
    XtfMessagePlace other_end;
    bool found;

    if (finder->counted)
        return true;
    if (!xtf_message_count_on(is_sender ? &finder->sends : &finder->postings, this_end, k, n_own, error) ||
        !xtf_message_walk_select(is_sender ? &finder->posting_walk : &finder->send_walk, k, &other_end, &found,
                                 error) ||
        !(found ? xtf_message_count_on(facing, &other_end, k, n_facing, error)
                : xtf_message_count(facing, n_facing, error)))
        return false;
    finder->shifted = (XtfShiftedGroup){.matching = finder->matching,
                                        .sends = &finder->sends,
                                        .postings = &finder->postings,
                                        .n_sends = finder->n_sends,
                                        .n_receives = finder->n_receives};
    finder->counted = true;
    return true;
}

/* Counts the messages of a side before the kept time. */
static bool count_removed(XtfMessageFinder *finder, bool sends, uint64_t *removed, GError **error)
{
    if (!finder->removed_known[sends] &&
        !xtf_message_count_removed(sends ? &finder->sends : &finder->postings, &finder->removed[sends], error))
        return false;
    finder->removed_known[sends] = true;
    *removed = finder->removed[sends];
    return true;
}

/* Finds the other end of the one at a place, and the state of the pair. */
static bool find_facing_end(XtfMessageFinder *finder, const XtfMessagePlace *this_end, GError **error)
{
    bool is_sender = finder->by_sender, known, found;
    XtfMessage *message = finder->message;
    XtfMessagePlace other_end;
    uint64_t number, removed;
    const uint8_t *row;

    if (!count_group(finder, this_end, error))
        return false;
    message->n_sends = finder->n_sends;
    message->n_receives = finder->n_receives;
    if (!find_number(finder, &number, &known, error))
        return false;
    if (!known || number == UINT64_MAX)
        return true;
    if (!count_removed(finder, !is_sender, &removed, error))
        return false;
    if (number < removed) {
        set_doubt(message, XTF_DOUBT_REMOVED);
        return true;
    }
    if (!xtf_message_walk_select(is_sender ? &finder->posting_walk : &finder->send_walk, number, &other_end, &found,
                                 error))
        return false;
    if (!found)
        return xtf_damaged(error, "a group of messages has fewer rows than its totals say");
    if (!(is_sender ? set_receive : set_send)(finder, &other_end, &row, error))
        return false;
    return find_doubts(finder, is_sender ? this_end : &other_end, is_sender ? &other_end : this_end,
                       is_sender ? number : message->k, error);
}

bool xtf_message_finder_send(XtfMessageFinder *finder, const XtfMessageEnd *send, XtfMessage *message, GError **error)
{
    XtfMatching *matching = finder->matching;
    XtfMessagePlace place = {.row = send->row};
    const uint8_t *row;
    bool cancelled;

    *message = (XtfMessage){0};
    finder->message = message;
    if (!take_end(finder, send, true, &place.location, error))
        return false;
    if (place.location == finder->sender->n)
        return xtf_damaged(error, "location %" PRIu64 " has no sends, but messages refer to them",
                           matching->context->locations.all[send->location].id);
    if (!set_send(finder, &place, &row, error) ||
        !xtf_message_is_cancelled(&matching->types, &finder->sender->locations[place.location], place.row, &cancelled,
                                  error) ||
        !find_group(finder, row, error))
        return false;
    if (!message->has_group)
        return true;
    if (cancelled) {
        message->doubt = XTF_DOUBT_CANCELLED;
        return true;
    }
    return xtf_message_walk_rank(&finder->send_walk, &place, &message->k, error) &&
           find_facing_end(finder, &place, error);
}

/* ---- From a receive. */

/* Finds the posting of a row of `recvs`, the group, and the number of the receive in it. If *found is false, the
 * message has the reason as its doubt; if the group is unknown, too. */
static bool find_receive(XtfMessageFinder *finder, const XtfMessageEnd *receive, XtfMessagePlace *place, bool *found,
                         GError **error)
{
    XtfPairDoubt reason = XTF_DOUBT_OPEN;
    const uint8_t *row;

    *finder->message = (XtfMessage){0};
    *found = false;
    if (!take_end(finder, receive, false, &place->location, error))
        return false;
    if (place->location < finder->receiver->n &&
        !xtf_message_posting_find(finder->matching, &finder->receiver->locations[place->location], receive->row,
                                  &place->row, found, &reason, error))
        return false;
    if (!*found) {
        set_doubt(finder->message, reason);
        return true;
    }
    return set_receive(finder, place, &row, error) && find_group(finder, row, error) &&
           (!finder->message->has_group ||
            xtf_message_walk_rank(&finder->posting_walk, place, &finder->message->k, error));
}

bool xtf_message_finder_receive(XtfMessageFinder *finder, const XtfMessageEnd *receive, XtfMessage *message,
                                GError **error)
{
    XtfMessagePlace place;
    bool found;

    finder->message = message;
    return find_receive(finder, receive, &place, &found, error) &&
           (!found || !message->has_group || find_facing_end(finder, &place, error));
}

bool xtf_message_finder_was_sent_before(XtfMessageFinder *finder, const XtfMessageEnd *receive, bool *before,
                                        GError **error)
{
    XtfMessage message;
    XtfMessagePlace place;
    uint64_t removed;
    bool found;

    *before = false;
    finder->message = &message;
    if (!find_receive(finder, receive, &place, &found, error))
        return false;
    if (!found || !message.has_group)
        return true;
    if (!count_removed(finder, true, &removed, error))
        return false;
    *before = message.k < removed;
    return true;
}

bool xtf_message_finder_count_removed(XtfMessageFinder *finder, uint32_t location, const uint8_t *posting,
                                      uint64_t *sends, uint64_t *postings, GError **error)
{
    const XtfMessageEnd end = {.location = location};
    XtfMessage message = {0};
    uint32_t at;

    *sends = *postings = 0;
    finder->message = &message;
    if (!take_end(finder, &end, false, &at, error) || !find_group(finder, posting, error))
        return false;
    return !message.has_group ||
           (count_removed(finder, true, sends, error) && count_removed(finder, false, postings, error));
}
