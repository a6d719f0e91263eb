#include "src/tables/match/match.h"

#include "libxtf/error.h"
#include "src/tables/match/message-doubts.h"
#include "src/tables/match/message-group.h"
#include "src/tables/match/message-shifts.h"
#include "src/tables/match/order/message-unposted.h"

const char *const xtf_pair_states[XTF_PAIR_N_STATES] = {
    [XTF_PAIR_CERTAIN] = "certain", [XTF_PAIR_LIKELY] = "likely", [XTF_PAIR_UNCERTAIN] = "uncertain"};

const char *const xtf_pair_doubts[XTF_N_DOUBTS] = {
    [XTF_DOUBT_NONE] = "-",
    [XTF_DOUBT_CANCELLED] = "the send was cancelled",
    [XTF_DOUBT_PEER] = "the communicator, or the other process, is not known",
    [XTF_DOUBT_COUNTS] = "the group has other numbers of sends and receives",
    [XTF_DOUBT_BYTES] = "as many bytes were not received as were sent",
    [XTF_DOUBT_THREADS] = "several threads were sending or receiving in the group at one time",
    [XTF_DOUBT_OPEN] = "a receive that was posted before this one was still open at the last commit",
    [XTF_DOUBT_POSTING] = "it is not known when this receive, or one of its group behind it, was posted",
    [XTF_DOUBT_REMOVED] = "the other end is before the kept time: its volume was removed",
    [XTF_DOUBT_PROBE] = "a probe matched this message, or one of its group that was open with it",
};

/* ---- Query: a message, and both sides of its group. */

typedef struct {
    XtfMatching *matching;
    XtfMessageProcess *sender, *receiver; /* taken; NULL: not taken yet */
    XtfMessageSide sends, postings;
    bool only_certain; /* true: skip the search for the other end of an uncertain pair */
    XtfMessage *message;
} Query;

static void query_finish(Query *query)
{
    xtf_message_process_put(&query->matching->processes, query->sender);
    xtf_message_process_put(&query->matching->processes, query->receiver);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Query, query_finish)

static XtfMessageProcess *take_process(Query *query, uint64_t proc, GError **error)
{
    XtfMatching *matching = query->matching;
    return xtf_message_process_take(&matching->processes, &matching->types, matching->context, proc, error);
}

/* Takes the process of an end, and finds the location in it. *at is its number of locations if the location has neither
 * sends nor postings. */
static XtfMessageProcess *take_end(Query *query, const XtfMessageEnd *end, uint32_t *at, GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(query->matching->context, error);

    if (!locations || !xtf_matching_check(query->matching, error))
        return NULL;
    XtfMessageProcess *process = take_process(query, locations->all[end->location].proc, error);
    if (process)
        *at = xtf_message_process_find(process, end->location);
    return process;
}

static void set_side(const Query *query, XtfMessagesKind kind, XtfMessageSide *side)
{
    const XtfMessageGroup *group = &query->message->group;
    bool sends = kind == XTF_MESSAGES_SENDS;

    *side = (XtfMessageSide){
        .types = &query->matching->types, .process = sends ? query->sender : query->receiver, .kind = kind};
    memcpy(side->envelope, sends ? group->at_sender : group->at_receiver, sizeof side->envelope);
}

/* Finds the group of a row, and takes the process at the other side. Sets has_group of the message. */
static bool find_group(Query *query, const XtfMessageType *type, const uint8_t *row, bool is_sender, GError **error)
{
    XtfMessage *message = query->message;
    uint64_t envelope[XTF_ENVELOPE_KEYS], proc = (is_sender ? query->sender : query->receiver)->proc;

    xtf_message_envelope(type, row, envelope);
    if (!xtf_message_group_find(query->matching->context, envelope, proc, is_sender, &message->group,
                                &message->has_group, error))
        return false;
    if (!message->has_group) {
        message->state = XTF_PAIR_UNCERTAIN;
        message->doubt = XTF_DOUBT_PEER;
        return true;
    }
    XtfMessageProcess **other_process = is_sender ? &query->receiver : &query->sender;
    *other_process = take_process(query, is_sender ? message->group.receiver : message->group.sender, error);
    if (!*other_process)
        return false;
    set_side(query, XTF_MESSAGES_SENDS, &query->sends);
    set_side(query, XTF_MESSAGES_POSTINGS, &query->postings);
    return true;
}

/* ---- Ends. */

static bool set_send(Query *query, const XtfMessagePlace *place, GError **error)
{
    const XtfMessageLocation *location = &query->sender->locations[place->location];
    XtfMessage *message = query->message;
    uint8_t row[XTF_ROW_MAX];

    if (!location->has[XTF_MESSAGES_SENDS])
        return xtf_damaged(error, "location %" PRIu64 " has no sends, but messages refer to them", location->id);
    if (!xtf_array_row(&location->arrays[XTF_MESSAGES_SENDS], place->row, row, error))
        return false;
    message->has_send = true;
    message->send = (XtfMessageEnd){location->index, place->row};
    message->sent_bytes = xtf_field_get(query->matching->types.types[XTF_MESSAGES_SENDS].bytes, row);
    return true;
}

static bool set_receive(Query *query, const XtfMessagePlace *place, GError **error)
{
    const XtfMessageLocation *location = &query->receiver->locations[place->location];
    const XtfMessageType *type = &query->matching->types.types[XTF_MESSAGES_POSTINGS];
    XtfMessage *message = query->message;
    uint8_t row[XTF_ROW_MAX];

    if (!xtf_array_row(&location->arrays[XTF_MESSAGES_POSTINGS], place->row, row, error))
        return false;
    message->has_receive = true;
    message->posting = (XtfMessageEnd){location->index, place->row};
    message->receive = xtf_field_get(type->message, row);
    message->received_bytes = xtf_field_get(type->bytes, row);
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
static bool find_number(Query *query, bool is_sender, uint64_t *number, bool *known, GError **error)
{
    XtfMessage *message = query->message;
    const XtfShiftedGroup shifted = {query->matching, &query->sends, &query->postings, message->n_sends,
                                     message->n_receives};

    *number = message->k;
    *known = true;
    if (message->n_sends == message->n_receives)
        return true;
    if (query->only_certain)
        *known = false;
    else if (!(is_sender ? xtf_message_shift_send : xtf_message_shift_receive)(&shifted, message->k, number, known,
                                                                               error))
        return false;
    set_doubt(message, XTF_DOUBT_COUNTS);
    if (*known)
        message->state = XTF_PAIR_LIKELY;
    return true;
}

/* Finds further reasons that make a pair uncertain. */
static bool find_doubts(Query *query, const XtfMessagePlace *send, const XtfMessagePlace *posting,
                        uint64_t posting_number, GError **error)
{
    XtfMatching *matching = query->matching;
    XtfMessage *message = query->message;
    bool overlaps, unknown, probed;

    if (message->sent_bytes != message->received_bytes) {
        set_doubt(message, XTF_DOUBT_BYTES);
        return true;
    }
    if (!xtf_message_overlaps(matching, &query->sends, send, &overlaps, error) ||
        (!overlaps && !xtf_message_overlaps(matching, &query->postings, posting, &overlaps, error)))
        return false;
    if (overlaps) {
        set_doubt(message, XTF_DOUBT_THREADS);
        return true;
    }
    if (!xtf_message_is_unposted(&query->postings, posting, &unknown, error) ||
        !xtf_message_is_probed(matching, &query->postings, posting, posting_number, &probed, error))
        return false;
    if (unknown)
        set_doubt(message, XTF_DOUBT_POSTING);
    else if (probed)
        set_doubt(message, XTF_DOUBT_PROBE);
    return true;
}

/* Finds the end of the same number on the other side, and counts both sides. */
static bool find_same_number(Query *query, const XtfMessagePlace *this_end, bool is_sender, XtfMessagePlace *other_end,
                             bool *found, GError **error)
{
    const XtfMessageSide *side = is_sender ? &query->sends : &query->postings;
    const XtfMessageSide *facing = is_sender ? &query->postings : &query->sends;
    XtfMessage *message = query->message;
    uint64_t *n_own = is_sender ? &message->n_sends : &message->n_receives;
    uint64_t *n_facing = is_sender ? &message->n_receives : &message->n_sends;

    if (!xtf_message_count_on(side, this_end, message->k, n_own, error) ||
        !xtf_message_select(facing, message->k, other_end, found, error))
        return false;
    return *found ? xtf_message_count_on(facing, other_end, message->k, n_facing, error)
                  : xtf_message_count(facing, n_facing, error);
}

/* Finds the other end of the one at a place, and the state of the pair. */
static bool find_other_end(Query *query, const XtfMessagePlace *this_end, bool is_sender, GError **error)
{
    XtfMessage *message = query->message;
    XtfMessagePlace other_end;
    uint64_t number, removed;
    bool known, found;

    if (!find_same_number(query, this_end, is_sender, &other_end, &found, error) ||
        !find_number(query, is_sender, &number, &known, error))
        return false;
    if (!known || number == UINT64_MAX)
        return true;
    if (!xtf_message_count_removed(is_sender ? &query->postings : &query->sends, &removed, error))
        return false;
    if (number < removed) {
        set_doubt(message, XTF_DOUBT_REMOVED);
        return true;
    }
    if (number != message->k &&
        !xtf_message_select(is_sender ? &query->postings : &query->sends, number, &other_end, &found, error))
        return false;
    if (!found)
        return xtf_damaged(error, "a group of messages has fewer rows than its totals say");
    if (!(is_sender ? set_receive(query, &other_end, error) : set_send(query, &other_end, error)))
        return false;
    return find_doubts(query, is_sender ? this_end : &other_end, is_sender ? &other_end : this_end,
                       is_sender ? number : message->k, error);
}

static bool match_send(XtfMatching *matching, const XtfMessageEnd *send, bool only_certain, XtfMessage *message,
                       GError **error)
{
    g_auto(Query) query = {.matching = matching, .only_certain = only_certain, .message = message};
    XtfMessagePlace place = {.row = send->row};
    uint8_t row[XTF_ROW_MAX];
    bool cancelled;

    *message = (XtfMessage){0};
    query.sender = take_end(&query, send, &place.location, error);
    if (!query.sender)
        return false;
    if (place.location == query.sender->n)
        return xtf_damaged(error, "location %" PRIu64 " has no sends, but messages refer to them",
                           matching->context->locations.all[send->location].id);
    if (!set_send(&query, &place, error))
        return false;
    const XtfMessageLocation *location = &query.sender->locations[place.location];
    if (!xtf_array_row(&location->arrays[XTF_MESSAGES_SENDS], place.row, row, error) ||
        !xtf_message_is_cancelled(&matching->types, location, place.row, &cancelled, error) ||
        !find_group(&query, &matching->types.types[XTF_MESSAGES_SENDS], row, true, error))
        return false;
    if (!message->has_group)
        return true;
    if (cancelled) {
        message->doubt = XTF_DOUBT_CANCELLED;
        return true;
    }
    return xtf_message_rank(&query.sends, &place, &message->k, error) && find_other_end(&query, &place, true, error);
}

bool xtf_match_send(XtfMatching *matching, const XtfMessageEnd *send, XtfMessage *message, GError **error)
{
    return match_send(matching, send, false, message, error);
}

bool xtf_match_send_if_certain(XtfMatching *matching, const XtfMessageEnd *send, XtfMessage *message, GError **error)
{
    return match_send(matching, send, true, message, error);
}

/* ---- From a receive to its posting. */

/* The key of the posting to find. */
typedef struct {
    const XtfMessageType *type;
    uint64_t seq, message;
} Posting;

/* Finds the first row from *n on whose seq is not less than the posting's. Searches from row `near` in steps that
 * double, then by bisection. */
static bool find_seq_near(const XtfArray *array, const Posting *posting, uint64_t near, uint64_t *n, GError **error)
{
    uint64_t low = *n, high = array->n_rows, at = CLAMP(near, low, array->n_rows - 1), step = 1;
    uint8_t row[XTF_ROW_MAX];

    while (low < high) {
        if (!xtf_array_row(array, at, row, error))
            return false;
        if (xtf_field_get(posting->type->seq, row) < posting->seq)
            low = at + 1;
        else
            high = at;
        bool bounded = low > *n && high < array->n_rows;
        if (bounded)
            at = low + (high - low) / 2;
        else
            at = low > *n ? MIN(low + step, array->n_rows - 1) : high - MIN(step, high - low);
        step *= 2;
    }
    *n = low;
    return true;
}

/* Finds the row of `postings` for row m of `recvs`. If it is not found, *reason says why. The writer adds postings in
 * the order of posting, once they are complete: the row may not be written yet. */
static bool find_posting(const XtfMatching *matching, const XtfMessageLocation *location, uint64_t m, uint64_t *n,
                         bool *found, XtfPairDoubt *reason, GError **error)
{
    const XtfMessageTypes *types = &matching->types;
    const XtfArray *postings = &location->arrays[XTF_MESSAGES_POSTINGS];
    uint64_t first_kept;
    uint8_t row[XTF_ROW_MAX];

    *found = false;
    *reason = XTF_DOUBT_OPEN;
    if (!location->has_recvs || m >= location->recvs.n_rows)
        return xtf_damaged(error, "location %" PRIu64 " has no receives, or fewer than a message names", location->id);
    if (!location->has[XTF_MESSAGES_POSTINGS])
        return true;
    if (!xtf_array_row(&location->recvs, m, row, error))
        return false;
    uint64_t seq = xtf_field_get(types->recvs_seq, row), posted = xtf_field_get(types->recvs_posted, row);
    Posting posting = {&types->types[XTF_MESSAGES_POSTINGS], seq - MIN(seq, posted), m};
    if (!xtf_array_first_kept(postings, &first_kept, error))
        return false;
    *n = first_kept;
    if (!find_seq_near(postings, &posting, m, n, error))
        return false;
    if (*n == postings->n_rows)
        return true;
    if (first_kept > 0 && *n == first_kept)
        *reason = XTF_DOUBT_REMOVED;
    for (; *n < postings->n_rows; ++*n) {
        if (!xtf_array_row(postings, *n, row, error))
            return false;
        *found = xtf_field_get(posting.type->message, row) == m;
        if (*found)
            return true;
        if (xtf_field_get(posting.type->seq, row) != posting.seq)
            break;
    }
    return *reason == XTF_DOUBT_REMOVED ||
           xtf_damaged(error, "row %" PRIu64 " of recvs of location %" PRIu64 " has no posting", m, location->id);
}

/* Finds the posting of a row of `recvs`, the group, and the number of the receive in it. If *found is false, the
 * message has the reason as its doubt; if the group is unknown, too. */
static bool find_receive(Query *query, const XtfMessageEnd *receive, XtfMessagePlace *place, bool *found,
                         GError **error)
{
    XtfMatching *matching = query->matching;
    const XtfMessageType *type = &matching->types.types[XTF_MESSAGES_POSTINGS];
    XtfPairDoubt reason = XTF_DOUBT_OPEN;
    uint8_t row[XTF_ROW_MAX];

    *query->message = (XtfMessage){0};
    *found = false;
    query->receiver = take_end(query, receive, &place->location, error);
    if (!query->receiver)
        return false;
    const XtfMessageLocation *location = &query->receiver->locations[place->location];
    if (place->location < query->receiver->n &&
        !find_posting(matching, location, receive->row, &place->row, found, &reason, error))
        return false;
    if (!*found) {
        set_doubt(query->message, reason);
        return true;
    }
    return set_receive(query, place, error) &&
           xtf_array_row(&location->arrays[XTF_MESSAGES_POSTINGS], place->row, row, error) &&
           find_group(query, type, row, false, error) &&
           (!query->message->has_group || xtf_message_rank(&query->postings, place, &query->message->k, error));
}

static bool match_receive(XtfMatching *matching, const XtfMessageEnd *receive, bool only_certain, XtfMessage *message,
                          GError **error)
{
    g_auto(Query) query = {.matching = matching, .only_certain = only_certain, .message = message};
    XtfMessagePlace place;
    bool found;

    return find_receive(&query, receive, &place, &found, error) &&
           (!found || !message->has_group || find_other_end(&query, &place, false, error));
}

bool xtf_match_receive(XtfMatching *matching, const XtfMessageEnd *receive, XtfMessage *message, GError **error)
{
    return match_receive(matching, receive, false, message, error);
}

bool xtf_match_receive_if_certain(XtfMatching *matching, const XtfMessageEnd *receive, XtfMessage *message,
                                  GError **error)
{
    return match_receive(matching, receive, true, message, error);
}

bool xtf_match_was_sent_before(XtfMatching *matching, const XtfMessageEnd *receive, bool *before, GError **error)
{
    XtfMessage message;
    g_auto(Query) query = {.matching = matching, .message = &message};
    XtfMessagePlace place;
    uint64_t removed;
    bool found;

    *before = false;
    if (!find_receive(&query, receive, &place, &found, error))
        return false;
    if (!found || !message.has_group)
        return true;
    if (!xtf_message_count_removed(&query.sends, &removed, error))
        return false;
    *before = message.k < removed;
    return true;
}

bool xtf_match_count_removed(XtfMatching *matching, uint32_t location, const uint8_t *posting, uint64_t *sends,
                             uint64_t *postings, GError **error)
{
    XtfMessage message = {0};
    g_auto(Query) query = {.matching = matching, .message = &message};
    const XtfMessageEnd end = {.location = location};
    uint32_t at;

    *sends = *postings = 0;
    query.receiver = take_end(&query, &end, &at, error);
    if (!query.receiver || !find_group(&query, &matching->types.types[XTF_MESSAGES_POSTINGS], posting, false, error))
        return false;
    return !message.has_group || (xtf_message_count_removed(&query.sends, sends, error) &&
                                  xtf_message_count_removed(&query.postings, postings, error));
}
