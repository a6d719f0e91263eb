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
    [XTF_DOUBT_PROBE] = "a probe matched this message, or one of its group that was open with it",
};

/* ---- A question: a message, and both sides of its group. */

typedef struct {
    XtfMatching *matching;
    XtfMessageProcess *sender, *receiver; /* taken; NULL: not yet */
    XtfMessageSide sends, postings;
    bool only_certain; /* of a pair that is not certain, the other end is not looked for */
    XtfMessage *message;
} Question;

static void question_finish(Question *question)
{
    xtf_message_process_put(&question->matching->processes, question->sender);
    xtf_message_process_put(&question->matching->processes, question->receiver);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Question, question_finish)

static XtfMessageProcess *take_process(Question *question, uint64_t proc, GError **error)
{
    XtfMatching *matching = question->matching;
    return xtf_message_process_take(&matching->processes, &matching->types, matching->context, proc, error);
}

/* Takes the process of an end, and finds which of its locations that is; of none if it has neither sends nor postings.
 */
static XtfMessageProcess *take_end(Question *question, const XtfMessageEnd *end, uint32_t *at, GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(question->matching->context, error);

    if (!locations || !xtf_matching_check(question->matching, error))
        return NULL;
    XtfMessageProcess *process = take_process(question, locations->all[end->location].proc, error);
    if (process)
        *at = xtf_message_process_find(process, end->location);
    return process;
}

static void set_side(const Question *question, XtfMessagesKind kind, XtfMessageSide *side)
{
    const XtfMessageGroup *group = &question->message->group;
    bool sends = kind == XTF_MESSAGES_SENDS;

    *side = (XtfMessageSide){
        .types = &question->matching->types, .process = sends ? question->sender : question->receiver, .kind = kind};
    memcpy(side->envelope, sends ? group->at_sender : group->at_receiver, sizeof side->envelope);
}

/* Finds the group of a row, and takes the process at its other side. The message says whether there is one. */
static bool find_group(Question *question, const XtfMessageType *type, const uint8_t *row, bool is_sender,
                       GError **error)
{
    XtfMessage *message = question->message;
    uint64_t envelope[XTF_ENVELOPE_KEYS], proc = (is_sender ? question->sender : question->receiver)->proc;

    xtf_message_envelope(type, row, envelope);
    if (!xtf_message_group_find(question->matching->context, envelope, proc, is_sender, &message->group,
                                &message->has_group, error))
        return false;
    if (!message->has_group) {
        message->state = XTF_PAIR_UNCERTAIN;
        message->doubt = XTF_DOUBT_PEER;
        return true;
    }
    XtfMessageProcess **other = is_sender ? &question->receiver : &question->sender;
    *other = take_process(question, is_sender ? message->group.receiver : message->group.sender, error);
    if (!*other)
        return false;
    set_side(question, XTF_MESSAGES_SENDS, &question->sends);
    set_side(question, XTF_MESSAGES_POSTINGS, &question->postings);
    return true;
}

/* ---- The ends. */

static bool set_send(Question *question, const XtfMessagePlace *place, GError **error)
{
    const XtfMessageLocation *location = &question->sender->locations[place->location];
    XtfMessage *message = question->message;
    uint8_t row[XTF_ROW_MAX];

    if (!location->has[XTF_MESSAGES_SENDS])
        return xtf_damaged(error, "location %" PRIu64 " has lost its sends", location->id);
    if (!xtf_array_row(&location->arrays[XTF_MESSAGES_SENDS], place->row, row, error))
        return false;
    message->has_send = true;
    message->send = (XtfMessageEnd){location->index, place->row};
    message->sent_bytes = xtf_field_get(question->matching->types.types[XTF_MESSAGES_SENDS].bytes, row);
    return true;
}

static bool set_receive(Question *question, const XtfMessagePlace *place, GError **error)
{
    const XtfMessageLocation *location = &question->receiver->locations[place->location];
    const XtfMessageType *type = &question->matching->types.types[XTF_MESSAGES_POSTINGS];
    XtfMessage *message = question->message;
    uint8_t row[XTF_ROW_MAX];

    if (!xtf_array_row(&location->arrays[XTF_MESSAGES_POSTINGS], place->row, row, error))
        return false;
    message->has_receive = true;
    message->posting = (XtfMessageEnd){location->index, place->row};
    message->receive = xtf_field_get(type->message, row);
    message->received_bytes = xtf_field_get(type->bytes, row);
    if (location->has_recvs && message->receive < location->recvs.n_rows)
        return true;
    return xtf_damaged(error, "row %" PRIu64 " of postings of location %" PRIu64 " is of a receive that is not there",
                       place->row, location->id);
}

static void doubt(XtfMessage *message, XtfPairDoubt why)
{
    message->state = XTF_PAIR_UNCERTAIN;
    message->doubt = why;
}

/* The number of the other end; *known is false if that is a guess. */
static bool find_number(Question *question, bool is_sender, uint64_t *number, bool *known, GError **error)
{
    XtfMessage *message = question->message;
    const XtfShiftedGroup shifted = {question->matching, &question->sends, &question->postings, message->n_sends,
                                     message->n_receives};

    *number = message->k;
    *known = true;
    if (message->n_sends == message->n_receives)
        return true;
    if (question->only_certain)
        *known = false;
    else if (!(is_sender ? xtf_message_shift_send : xtf_message_shift_receive)(&shifted, message->k, number, known,
                                                                               error))
        return false;
    doubt(message, XTF_DOUBT_COUNTS);
    if (*known)
        message->state = XTF_PAIR_LIKELY;
    return true;
}

/* What else makes a pair doubtful. */
static bool find_doubts(Question *question, const XtfMessagePlace *send, const XtfMessagePlace *posting,
                        uint64_t posting_number, GError **error)
{
    XtfMatching *matching = question->matching;
    XtfMessage *message = question->message;
    bool overlaps, unknown, probed;

    if (message->sent_bytes != message->received_bytes) {
        doubt(message, XTF_DOUBT_BYTES);
        return true;
    }
    if (!xtf_message_overlaps(matching, &question->sends, send, &overlaps, error) ||
        (!overlaps && !xtf_message_overlaps(matching, &question->postings, posting, &overlaps, error)))
        return false;
    if (overlaps) {
        doubt(message, XTF_DOUBT_THREADS);
        return true;
    }
    if (!xtf_message_is_unposted(&question->postings, posting, &unknown, error) ||
        !xtf_message_is_probed(matching, &question->postings, posting, posting_number, &probed, error))
        return false;
    if (unknown)
        doubt(message, XTF_DOUBT_POSTING);
    else if (probed)
        doubt(message, XTF_DOUBT_PROBE);
    return true;
}

/* Finds the end on the other side that has the same number, and both sides' counts. */
static bool find_same_number(Question *question, const XtfMessagePlace *own, bool is_sender, XtfMessagePlace *other,
                             bool *found, GError **error)
{
    const XtfMessageSide *side = is_sender ? &question->sends : &question->postings;
    const XtfMessageSide *facing = is_sender ? &question->postings : &question->sends;
    XtfMessage *message = question->message;
    uint64_t *n_own = is_sender ? &message->n_sends : &message->n_receives;
    uint64_t *n_facing = is_sender ? &message->n_receives : &message->n_sends;

    if (!xtf_message_count_on(side, own, message->k, n_own, error) ||
        !xtf_message_select(facing, message->k, other, found, error))
        return false;
    return *found ? xtf_message_count_on(facing, other, message->k, n_facing, error)
                  : xtf_message_count(facing, n_facing, error);
}

/* Finds the other end of the one at a place, and how sure that is. */
static bool find_other(Question *question, const XtfMessagePlace *own, bool is_sender, GError **error)
{
    XtfMessage *message = question->message;
    XtfMessagePlace other;
    uint64_t number;
    bool known, found;

    if (!find_same_number(question, own, is_sender, &other, &found, error) ||
        !find_number(question, is_sender, &number, &known, error))
        return false;
    if (!known || number == UINT64_MAX)
        return true;
    if (number != message->k &&
        !xtf_message_select(is_sender ? &question->postings : &question->sends, number, &other, &found, error))
        return false;
    if (!found)
        return xtf_damaged(error, "a group of messages has fewer rows than its totals say");
    if (!(is_sender ? set_receive(question, &other, error) : set_send(question, &other, error)))
        return false;
    return find_doubts(question, is_sender ? own : &other, is_sender ? &other : own, is_sender ? number : message->k,
                       error);
}

static bool match_send(XtfMatching *matching, const XtfMessageEnd *send, bool only_certain, XtfMessage *message,
                       GError **error)
{
    g_auto(Question) question = {.matching = matching, .only_certain = only_certain, .message = message};
    XtfMessagePlace place = {.row = send->row};
    uint8_t row[XTF_ROW_MAX];
    bool cancelled;

    *message = (XtfMessage){0};
    question.sender = take_end(&question, send, &place.location, error);
    if (!question.sender)
        return false;
    if (place.location == question.sender->n)
        return xtf_damaged(error, "location %" PRIu64 " has lost its sends",
                           matching->context->locations.all[send->location].id);
    if (!set_send(&question, &place, error))
        return false;
    const XtfMessageLocation *location = &question.sender->locations[place.location];
    if (!xtf_array_row(&location->arrays[XTF_MESSAGES_SENDS], place.row, row, error) ||
        !xtf_message_is_cancelled(&matching->types, location, place.row, &cancelled, error) ||
        !find_group(&question, &matching->types.types[XTF_MESSAGES_SENDS], row, true, error))
        return false;
    if (!message->has_group)
        return true;
    if (cancelled) {
        message->doubt = XTF_DOUBT_CANCELLED;
        return true;
    }
    return xtf_message_rank(&question.sends, &place, &message->k, error) && find_other(&question, &place, true, error);
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

/* The posting that is looked for. */
typedef struct {
    const XtfMessageType *type;
    uint64_t seq, message;
} Posting;

/* The first row whose seq is not less than the posting's, near row m: steps of growing length, and then halves. */
static bool gallop(const XtfArray *array, const Posting *posting, uint64_t near, uint64_t *n, GError **error)
{
    uint64_t low = 0, high = array->n_rows, at = MIN(near, array->n_rows - 1), step = 1;
    uint8_t row[XTF_ROW_MAX];

    while (low < high) {
        if (!xtf_array_row(array, at, row, error))
            return false;
        if (xtf_field_get(posting->type->seq, row) < posting->seq)
            low = at + 1;
        else
            high = at;
        bool bounded = low > 0 && high < array->n_rows;
        if (bounded)
            at = low + (high - low) / 2;
        else
            at = low > 0 ? MIN(low + step, array->n_rows - 1) : high - MIN(step, high);
        step *= 2;
    }
    *n = low;
    return true;
}

/* The row of `postings` of row m of `recvs`. *found is false if it would stand behind all rows: they are written in the
 * order of posting, once they are complete. */
static bool find_posting(const XtfMatching *matching, const XtfMessageLocation *location, uint64_t m, uint64_t *n,
                         bool *found, GError **error)
{
    const XtfMessageTypes *types = &matching->types;
    const XtfArray *postings = &location->arrays[XTF_MESSAGES_POSTINGS];
    uint8_t row[XTF_ROW_MAX];

    *found = false;
    if (!location->has_recvs || m >= location->recvs.n_rows)
        return xtf_damaged(error, "location %" PRIu64 " has lost its receives", location->id);
    if (!location->has[XTF_MESSAGES_POSTINGS])
        return true;
    if (!xtf_array_row(&location->recvs, m, row, error))
        return false;
    uint64_t seq = xtf_field_get(types->recvs_seq, row), posted = xtf_field_get(types->recvs_posted, row);
    Posting posting = {&types->types[XTF_MESSAGES_POSTINGS], seq - MIN(seq, posted), m};
    if (!gallop(postings, &posting, m, n, error))
        return false;
    if (*n == postings->n_rows)
        return true;
    for (; *n < postings->n_rows; ++*n) {
        if (!xtf_array_row(postings, *n, row, error))
            return false;
        *found = xtf_field_get(posting.type->message, row) == m;
        if (*found)
            return true;
        if (xtf_field_get(posting.type->seq, row) != posting.seq)
            break;
    }
    return xtf_damaged(error, "row %" PRIu64 " of recvs of location %" PRIu64 " has no posting", m, location->id);
}

static bool match_receive(XtfMatching *matching, const XtfMessageEnd *receive, bool only_certain, XtfMessage *message,
                          GError **error)
{
    g_auto(Question) question = {.matching = matching, .only_certain = only_certain, .message = message};
    const XtfMessageType *type = &matching->types.types[XTF_MESSAGES_POSTINGS];
    XtfMessagePlace place;
    uint8_t row[XTF_ROW_MAX];
    bool found = false;

    *message = (XtfMessage){0};
    question.receiver = take_end(&question, receive, &place.location, error);
    if (!question.receiver)
        return false;
    const XtfMessageLocation *location = &question.receiver->locations[place.location];
    if (place.location < question.receiver->n &&
        !find_posting(matching, location, receive->row, &place.row, &found, error))
        return false;
    if (!found) {
        doubt(message, XTF_DOUBT_OPEN);
        return true;
    }
    if (!set_receive(&question, &place, error) ||
        !xtf_array_row(&location->arrays[XTF_MESSAGES_POSTINGS], place.row, row, error) ||
        !find_group(&question, type, row, false, error))
        return false;
    return !message->has_group || (xtf_message_rank(&question.postings, &place, &message->k, error) &&
                                   find_other(&question, &place, false, error));
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
