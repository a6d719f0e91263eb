#include "src/query/match/match.h"

#include "libxtf/error.h"
#include "src/query/match/message-group.h"

const char *const xtf_pair_states[XTF_PAIR_N_STATES] = {
    [XTF_PAIR_CERTAIN] = "certain", [XTF_PAIR_LIKELY] = "likely", [XTF_PAIR_UNCERTAIN] = "uncertain"};

void xtf_matching_init(XtfMatching *matching, XtfTraceContext *context)
{
    *matching = (XtfMatching){.context = context};
    xtf_message_types_find(&matching->types, context);
    xtf_message_processes_init(&matching->processes);
}

void xtf_matching_finish(XtfMatching *matching)
{
    xtf_keeper_finish(&matching->processes);
}

/* ---- A question: a message, and both sides of its group. */

typedef struct {
    XtfMatching *matching;
    XtfMessageProcess *sender, *receiver; /* taken; NULL: not yet */
    XtfMessageSide sends, postings;
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

/* Takes the process of an end, and finds which of its locations that is. */
static XtfMessageProcess *take_end(Question *question, const XtfMessageEnd *end, uint32_t *at, GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(question->matching->context, error);
    const char *missing = question->matching->types.missing;

    if (!locations)
        return NULL;
    if (missing) {
        xtf_fail(error, XTF_ERROR_UNSUPPORTED, "messages are not matched: %s", missing);
        return NULL;
    }
    XtfMessageProcess *process = take_process(question, locations->all[end->location].proc, error);
    if (!process)
        return NULL;
    *at = xtf_message_process_find(process, end->location);
    if (*at < process->n)
        return process;
    xtf_message_process_put(&question->matching->processes, process);
    xtf_damaged(error, "location %" G_GUINT64_FORMAT " has messages, but no postings of what it received",
                locations->all[end->location].id);
    return NULL;
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
    return xtf_damaged(error,
                       "row %" G_GUINT64_FORMAT " of postings of location %" G_GUINT64_FORMAT
                       " is of a receive that is not there",
                       place->row, location->id);
}

static void doubt(XtfMessage *message, XtfPairDoubt why)
{
    message->state = XTF_PAIR_UNCERTAIN;
    message->doubt = why;
}

/* Finds the other end, whose number in the group is the same, and how sure that is. */
static bool find_other(Question *question, bool is_sender, GError **error)
{
    XtfMessage *message = question->message;
    XtfMessagePlace place;
    bool found;

    if (!xtf_message_count(&question->sends, &message->n_sends, error) ||
        !xtf_message_count(&question->postings, &message->n_receives, error) ||
        !xtf_message_select(is_sender ? &question->postings : &question->sends, message->k, &place, &found, error))
        return false;
    if (found && !(is_sender ? set_receive(question, &place, error) : set_send(question, &place, error)))
        return false;
    if (message->n_sends != message->n_receives)
        doubt(message, XTF_DOUBT_COUNTS);
    else if (message->sent_bytes != message->received_bytes)
        doubt(message, XTF_DOUBT_BYTES);
    return true;
}

bool xtf_match_send(XtfMatching *matching, const XtfMessageEnd *send, XtfMessage *message, GError **error)
{
    g_auto(Question) question = {.matching = matching, .message = message};
    XtfMessagePlace place = {.row = send->row};
    uint8_t row[XTF_ROW_MAX];
    bool cancelled;

    *message = (XtfMessage){0};
    question.sender = take_end(&question, send, &place.location, error);
    if (!question.sender || !set_send(&question, &place, error))
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
    return xtf_message_rank(&question.sends, &place, &message->k, error) && find_other(&question, true, error);
}

/* ---- From a receive to its posting. */

/* Whether the posting of row m of `recvs` is at or behind the cursor; sets its number if it is right there. */
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

/* The row of `postings` of row m of `recvs`. */
static bool find_posting(const XtfMatching *matching, const XtfMessageLocation *location, uint64_t m, uint64_t *n,
                         GError **error)
{
    const XtfMessageTypes *types = &matching->types;
    const XtfArray *postings = &location->arrays[XTF_MESSAGES_POSTINGS];
    uint8_t row[XTF_ROW_MAX];

    if (!location->has_recvs || !location->has[XTF_MESSAGES_POSTINGS] || m >= location->recvs.n_rows)
        return xtf_damaged(error, "location %" G_GUINT64_FORMAT " has no postings of its receives", location->id);
    if (!xtf_array_row(&location->recvs, m, row, error))
        return false;
    uint64_t seq = xtf_field_get(types->recvs_seq, row), posted = xtf_field_get(types->recvs_posted, row);
    Posting posting = {&types->types[XTF_MESSAGES_POSTINGS], seq - MIN(seq, posted), m};
    if (!gallop(postings, &posting, m, n, error))
        return false;
    for (; *n < postings->n_rows; ++*n) {
        if (!xtf_array_row(postings, *n, row, error))
            return false;
        if (xtf_field_get(posting.type->message, row) == m)
            return true;
        if (xtf_field_get(posting.type->seq, row) != posting.seq)
            break;
    }
    return xtf_damaged(error, "row %" G_GUINT64_FORMAT " of recvs of location %" G_GUINT64_FORMAT " has no posting", m,
                       location->id);
}

bool xtf_match_receive(XtfMatching *matching, const XtfMessageEnd *receive, XtfMessage *message, GError **error)
{
    g_auto(Question) question = {.matching = matching, .message = message};
    const XtfMessageType *type = &matching->types.types[XTF_MESSAGES_POSTINGS];
    XtfMessagePlace place;
    uint8_t row[XTF_ROW_MAX];

    *message = (XtfMessage){0};
    question.receiver = take_end(&question, receive, &place.location, error);
    if (!question.receiver)
        return false;
    const XtfMessageLocation *location = &question.receiver->locations[place.location];
    if (!find_posting(matching, location, receive->row, &place.row, error) || !set_receive(&question, &place, error) ||
        !xtf_array_row(&location->arrays[XTF_MESSAGES_POSTINGS], place.row, row, error) ||
        !find_group(&question, type, row, false, error))
        return false;
    return !message->has_group ||
           (xtf_message_rank(&question.postings, &place, &message->k, error) && find_other(&question, false, error));
}
