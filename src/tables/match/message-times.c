#include "src/tables/match/message-times.h"

#include <string.h>

#include "libxtf/error.h"
#include "libxtf/spans.h"
#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/model/schemas.h"
#include "src/model/wait-kinds.h"
#include "src/tables/match/order/message-rows.h"
#include "src/trace/context/name-index.h"

const char *xtf_message_wait_word(XtfMessageWait wait)
{
    switch (wait) {
    case XTF_WAIT_LATE_SENDER:
        return xtf_wait_kinds[XTF_LABEL_late_sender].name;
    case XTF_WAIT_LATE_RECEIVER:
        return xtf_wait_kinds[XTF_LABEL_late_receiver].name;
    case XTF_WAIT_CLOCK_VIOLATION:
        return "clock_violation";
    case XTF_WAIT_NONE:
        break;
    }
    return "-";
}

/* ---- Locations. */

void xtf_message_timer_init(XtfMessageTimer *timer, XtfMatching *matching)
{
    *timer = (XtfMessageTimer){.matching = matching};
}

static void leave_sender(XtfMessageTimer *timer)
{
    xtf_call_finder_finish(&timer->sends);
    xtf_call_finder_finish(&timer->completions);
    xtf_cursor_finish(&timer->send_row);
    timer->from = NULL;
    xtf_message_process_put(&timer->matching->processes, g_steal_pointer(&timer->sender));
}

static void leave_receiver(XtfMessageTimer *timer)
{
    xtf_call_finder_finish(&timer->postings);
    xtf_call_finder_finish(&timer->receives);
    xtf_cursor_finish(&timer->receive_row);
    timer->to = NULL;
    xtf_message_process_put(&timer->matching->processes, g_steal_pointer(&timer->receiver));
}

void xtf_message_timer_finish(XtfMessageTimer *timer)
{
    leave_sender(timer);
    leave_receiver(timer);
}

static bool take_location(XtfMessageTimer *timer, uint32_t index, XtfMessageProcess **process,
                          const XtfMessageLocation **location, GError **error)
{
    XtfMatching *matching = timer->matching;

    return xtf_message_process_take_location(&matching->processes, &matching->types, matching->context, index, process,
                                             location, error);
}

static bool enter_sender(XtfMessageTimer *timer, uint32_t index, GError **error)
{
    if (timer->from && timer->from->index == index)
        return true;
    leave_sender(timer);
    if (!take_location(timer, index, &timer->sender, &timer->from, error))
        return false;
    xtf_call_finder_init(&timer->sends, timer->matching, timer->from);
    xtf_call_finder_init(&timer->completions, timer->matching, timer->from);
    return true;
}

static bool enter_receiver(XtfMessageTimer *timer, uint32_t index, GError **error)
{
    if (timer->to && timer->to->index == index)
        return true;
    leave_receiver(timer);
    if (!take_location(timer, index, &timer->receiver, &timer->to, error))
        return false;
    xtf_call_finder_init(&timer->postings, timer->matching, timer->to);
    xtf_call_finder_init(&timer->receives, timer->matching, timer->to);
    return true;
}

/* ---- Calls. */

/* A message, and the calls around its ends. */
typedef struct {
    XtfMessageTimer *timer;
    const XtfMessage *message;
    const XtfMessageEnds *calls;
} Ends;

bool xtf_message_needs_send_call(const XtfMatching *matching, const XtfMessage *message)
{
    return message->has_send && (matching->types.site || message->has_receive);
}

bool xtf_message_timer_receive(XtfMessageTimer *timer, const XtfMessage *message, XtfMessageRecord *receive,
                               bool *blocking, GError **error)
{
    const XtfMessageTypes *types = &timer->matching->types;
    const uint8_t *row;

    if (!enter_receiver(timer, message->posting.location, error) ||
        !xtf_message_row(&timer->receive_row, &timer->to->recvs, message->receive, &row, error))
        return false;
    *receive = (XtfMessageRecord){xtf_field_get(&types->recvs->fields[0], row), xtf_field_get(types->recvs_seq, row)};
    *blocking = receive->t == message->posted.t && receive->seq == message->posted.seq;
    return true;
}

/* Finds the call of the send if it is needed, else only the time. */
static bool find_send_call(XtfMessageTimer *timer, const XtfMessage *message, XtfMessageCall *call, GError **error)
{
    const XtfMessageRecord *sent = &message->sent;

    if (xtf_message_needs_send_call(timer->matching, message))
        return enter_sender(timer, message->send.location, error) &&
               xtf_call_finder_at(&timer->sends, sent->t, sent->seq, call, error);
    *call = (XtfMessageCall){.record = sent->t, .site = XTF_NONE32};
    return true;
}

static bool find_receive_calls(XtfMessageTimer *timer, const XtfMessage *message, XtfMessageEnds *calls, GError **error)
{
    const XtfMessageRecord *posted = &message->posted;
    XtfMessageRecord receive;

    if (!xtf_message_timer_receive(timer, message, &receive, &calls->blocking, error) ||
        !xtf_call_finder_at(&timer->postings, posted->t, posted->seq, &calls->posting, error))
        return false;
    return calls->blocking || xtf_call_finder_at(&timer->receives, receive.t, receive.seq, &calls->receive, error);
}

/* ---- Completion of a non-blocking send. */

typedef struct {
    XtfArray array;
    const XtfField *seq, *event, *request;
} Requests;

static bool find_requests(const Ends *ends, Requests *requests, bool *found, GError **error)
{
    const XtfSchema *schema = xtf_trace_find_schema(ends->timer->matching->context->trace, "requests");

    *found = false;
    if (!schema || schema->kind != XTF_SCHEMA_RECORD)
        return true;
    requests->seq = xtf_schema_field_by_role(schema, XTF_ROLE_SEQ);
    requests->event = xtf_schema_field_by_role(schema, XTF_ROLE_EVENT);
    requests->request = xtf_schema_field(schema, "request");
    if (!requests->seq || !requests->event || !requests->request)
        return true;
    return xtf_trace_find_array(ends->timer->matching->context->trace, ends->timer->from->id, schema->id,
                                &requests->array, found, error);
}

/* Moves to the row of `requests` after a record of time t. */
static bool seek_requests(const Requests *requests, uint64_t t, uint64_t seq, XtfCursor *cursor, bool *found,
                          GError **error)
{
    XtfSpan span = {.array = requests->array, .hi = requests->array.n_rows};
    uint64_t n;

    return xtf_array_rank(&requests->array, t, &n, error) &&
           xtf_span_rank_of_seq(&span, seq, n, requests->array.n_rows, &n, error) &&
           xtf_cursor_seek_n(cursor, n, found, error);
}

/* Finds the next record of a request that is no test. If it completes the send, finds the call around it. */
static bool follow_request(const Ends *ends, const Requests *requests, uint64_t id, uint64_t seq, XtfMessageCall *call,
                           bool *known, GError **error)
{
    g_auto(XtfCursor) cursor;
    bool found;

    xtf_cursor_init(&cursor, &requests->array);
    if (!seek_requests(requests, ends->message->sent.t, seq, &cursor, &found, error))
        return false;
    for (unsigned i = 0; found && i < XTF_REQUESTS_LOOKED_AT; i++) {
        const uint8_t *row = xtf_cursor_row(&cursor);
        const char *label = xtf_row_label(requests->event, row);
        if (xtf_field_get(requests->request, row) == id && label && !g_str_equal(label, "MPI_REQUEST_TEST")) {
            *known = g_str_equal(label, "MPI_ISEND_COMPLETE");
            return !*known || xtf_call_finder_at(&ends->timer->completions, xtf_cursor_time(&cursor),
                                                 xtf_field_get(requests->seq, row), call, error);
        }
        if (!xtf_cursor_next(&cursor, 1, &found, error))
            return false;
    }
    return true;
}

/* Finds the call that completes the send: its own call, or the one that completes its request. A late receiver needs a
 * call with one of *uses. */
static bool find_completion(const Ends *ends, XtfMessageCall *call, unsigned *uses, bool *known, GError **error)
{
    const XtfMessageType *type = &ends->timer->matching->types.types[XTF_MESSAGES_SENDS];
    XtfMessageTimer *timer = ends->timer;
    const uint8_t *row;
    Requests requests;
    bool found;

    *known = true;
    *uses = XTF_CALL_OF_MPI;
    *call = ends->calls->send;
    if (!enter_sender(timer, ends->message->send.location, error) ||
        !xtf_message_row(&timer->send_row, &timer->from->arrays[XTF_MESSAGES_SENDS], ends->message->send.row, &row,
                         error))
        return false;
    const char *label = xtf_row_label(type->event, row);
    if (!type->request || xtf_field_is_none(type->request, row) || (label && g_str_equal(label, "MPI_SEND")))
        return true;
    *known = false;
    *uses = XTF_CALL_WAITS;
    return find_requests(ends, &requests, &found, error) &&
           (!found || follow_request(ends, &requests, xtf_field_get(type->request, row), xtf_field_get(type->seq, row),
                                     call, known, error));
}

/* ---- Waits. */

/* Finds the use of a call around an end of the message. */
static bool find_use(const Ends *ends, const XtfMessageCall *call, bool at_sender, unsigned *use, GError **error)
{
    XtfMessageTimer *timer = ends->timer;

    timer->n_uses++;
    if (!(at_sender ? enter_sender(timer, ends->message->send.location, error)
                    : enter_receiver(timer, ends->message->posting.location, error)))
        return false;
    return xtf_call_finder_use(at_sender ? &timer->completions : &timer->receives, call, use, error);
}

/* Finds the call in which the message is received. If MPI_Mprobe received it, that is the probe's call. */
static bool find_receive(const Ends *ends, const XtfMessageCall **receive, GError **error)
{
    const XtfMessageEnds *calls = ends->calls;
    unsigned use = 0;

    if (calls->blocking || !ends->timer->matching->has_mprobe) {
        *receive = calls->blocking ? &calls->posting : &calls->receive;
        return true;
    }
    if (!find_use(ends, &calls->posting, false, &use, error))
        return false;
    *receive = use & XTF_CALL_MPROBE ? &calls->posting : &calls->receive;
    return true;
}

/* Sets a wait for the receiver, if the call that completes the send waits for it. */
static bool find_late_receiver(const Ends *ends, XtfMessageTimes *times, GError **error)
{
    uint64_t posted = ends->calls->posting.enter;
    XtfMessageCall completion;
    unsigned uses, use;
    bool known;

    if (!find_completion(ends, &completion, &uses, &known, error))
        return false;
    if (!known || completion.leave <= posted || posted <= completion.enter)
        return true;
    if (!find_use(ends, &completion, true, &use, error))
        return false;
    if (use & uses) {
        times->wait = XTF_WAIT_LATE_RECEIVER;
        times->ticks = posted - completion.enter;
    }
    return true;
}

/* Finds the wait of a message. Finds the uses of calls last: most waits follow from the times alone. */
static bool find_wait(const Ends *ends, XtfMessageTimes *times, GError **error)
{
    uint64_t send_enter = ends->calls->send.enter;
    const XtfMessageCall *receive;
    unsigned use;

    if (!find_receive(ends, &receive, error))
        return false;
    if (send_enter > receive->leave) {
        times->wait = XTF_WAIT_CLOCK_VIOLATION;
        return true;
    }
    uint64_t until = MIN(send_enter, receive->leave);
    if (until > receive->enter) {
        if (!find_use(ends, receive, false, &use, error))
            return false;
        if ((use & (XTF_CALL_OF_MPI | XTF_CALL_TESTS)) == XTF_CALL_OF_MPI) {
            times->wait = XTF_WAIT_LATE_SENDER;
            times->ticks = until - receive->enter;
            return true;
        }
    }
    /* Otherwise the send is not complete before the posting. */
    return ends->calls->posting.enter <= send_enter || find_late_receiver(ends, times, error);
}

bool xtf_message_timer_wait(XtfMessageTimer *timer, const XtfMessage *message, const XtfMessageEnds *calls,
                            XtfMessageTimes *times, GError **error)
{
    const XtfMessageCall *receive = calls->blocking ? &calls->posting : &calls->receive;

    *times = (XtfMessageTimes){.sent = calls->send.record,
                               .posted = calls->posting.record,
                               .received = receive->record,
                               .sent_from = message->has_send ? calls->send.site : XTF_NONE32,
                               .posted_from = message->has_receive ? calls->posting.site : XTF_NONE32};
    return !message->has_send || !message->has_receive || find_wait(&(Ends){timer, message, calls}, times, error);
}

bool xtf_message_timer_times(XtfMessageTimer *timer, const XtfMessage *message, XtfMessageTimes *times, GError **error)
{
    XtfMessageEnds calls = {0};

    return (!message->has_send || find_send_call(timer, message, &calls.send, error)) &&
           (!message->has_receive || find_receive_calls(timer, message, &calls, error)) &&
           xtf_message_timer_wait(timer, message, &calls, times, error);
}

bool xtf_message_times(XtfMatching *matching, const XtfMessage *message, XtfMessageTimes *times, GError **error)
{
    g_auto(XtfMessageTimer) timer;

    xtf_message_timer_init(&timer, matching);
    return xtf_message_timer_times(&timer, message, times, error);
}

bool xtf_message_record_times(XtfMatching *matching, const XtfMessage *message, uint64_t *sent, uint64_t *received,
                              GError **error)
{
    g_auto(XtfMessageTimer) timer;

    xtf_message_timer_init(&timer, matching);
    return enter_sender(&timer, message->send.location, error) &&
           enter_receiver(&timer, message->posting.location, error) &&
           xtf_array_time(&timer.from->arrays[XTF_MESSAGES_SENDS], message->send.row, sent, error) &&
           xtf_array_time(&timer.to->recvs, message->receive, received, error);
}
