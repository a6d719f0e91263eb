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
    xtf_cursor_finish(&timer->posting_row);
    xtf_cursor_finish(&timer->receive_row);
    timer->to = NULL;
    xtf_message_process_put(&timer->matching->processes, g_steal_pointer(&timer->receiver));
}

void xtf_message_timer_finish(XtfMessageTimer *timer)
{
    leave_sender(timer);
    leave_receiver(timer);
}

static bool take_location(XtfMatching *matching, uint32_t index, XtfMessageProcess **process,
                          const XtfMessageLocation **location, GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(matching->context, error);

    if (!locations || !(*process = xtf_message_process_take(&matching->processes, &matching->types, matching->context,
                                                            locations->all[index].proc, error)))
        return false;
    uint32_t at = xtf_message_process_find(*process, index);
    if (at == (*process)->n)
        return xtf_damaged(error, "a location has no messages, but a message names it");
    *location = &(*process)->locations[at];
    return true;
}

static bool enter_sender(XtfMessageTimer *timer, uint32_t index, GError **error)
{
    if (timer->from && timer->from->index == index)
        return true;
    leave_sender(timer);
    if (!take_location(timer->matching, index, &timer->sender, &timer->from, error))
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
    if (!take_location(timer->matching, index, &timer->receiver, &timer->to, error))
        return false;
    xtf_call_finder_init(&timer->postings, timer->matching, timer->to);
    xtf_call_finder_init(&timer->receives, timer->matching, timer->to);
    return true;
}

/* ---- Calls. */

/* The calls around both ends of a message. */
typedef struct {
    XtfMessageTimer *timer;
    const XtfMessage *message;
    XtfMessageCall send, posting, receive;
} Ends;

/* Finds the time of the send. Finds its call only if it is used: for the wait of a message with both ends, or for the
 * site. */
static bool find_send_call(Ends *ends, GError **error)
{
    XtfMessageTimer *timer = ends->timer;
    const XtfMessageTypes *types = &timer->matching->types;
    const XtfMessageEnd *send = &ends->message->send;
    const uint8_t *row;

    if (!enter_sender(timer, send->location, error) ||
        !xtf_message_row(&timer->send_row, &timer->from->arrays[XTF_MESSAGES_SENDS], send->row, &row, error))
        return false;
    if (types->site || ends->message->has_receive)
        return xtf_call_finder_of(&timer->sends, XTF_MESSAGES_SENDS, row, &ends->send, error);
    ends->send.record = xtf_field_get(&types->types[XTF_MESSAGES_SENDS].schema->fields[0], row);
    ends->send.site = XTF_NONE32;
    return true;
}

static bool find_receive_calls(Ends *ends, GError **error)
{
    XtfMessageTimer *timer = ends->timer;
    const XtfMessageType *type = &timer->matching->types.types[XTF_MESSAGES_POSTINGS];
    const XtfMessageEnd *posting = &ends->message->posting;
    const uint8_t *row, *receive;

    if (!enter_receiver(timer, posting->location, error) ||
        !xtf_message_row(&timer->posting_row, &timer->to->arrays[XTF_MESSAGES_POSTINGS], posting->row, &row, error) ||
        !xtf_call_finder_of(&timer->postings, XTF_MESSAGES_POSTINGS, row, &ends->posting, error) ||
        !xtf_message_row(&timer->receive_row, &timer->to->recvs, ends->message->receive, &receive, error))
        return false;
    /* A blocking receive is its own posting. */
    if (xtf_field_get(timer->matching->types.recvs_seq, receive) == xtf_field_get(type->seq, row) &&
        xtf_field_get(&timer->matching->types.recvs->fields[0], receive) == ends->posting.record) {
        ends->receive = ends->posting;
        return true;
    }
    return xtf_call_finder_of_receive(&timer->receives, receive, &ends->receive, error);
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
    if (!seek_requests(requests, ends->send.record, seq, &cursor, &found, error))
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

/* Finds the call that completes the send: its own call, or the one that completes its request. */
static bool find_completion(const Ends *ends, XtfMessageCall *call, bool *known, GError **error)
{
    const XtfMessageType *type = &ends->timer->matching->types.types[XTF_MESSAGES_SENDS];
    const XtfField *request = xtf_schema_field(type->schema, "request");
    const XtfMessageTimer *timer = ends->timer;
    const uint8_t *row;
    Requests requests;
    bool found;

    *known = false;
    *call = ends->send;
    if (!xtf_message_row(&ends->timer->send_row, &timer->from->arrays[XTF_MESSAGES_SENDS], ends->message->send.row,
                         &row, error))
        return false;
    const char *label = xtf_row_label(type->event, row);
    if (!request || xtf_field_is_none(request, row) || (label && g_str_equal(label, "MPI_SEND"))) {
        *known = call->use & XTF_CALL_OF_MPI;
        return true;
    }
    if (!find_requests(ends, &requests, &found, error))
        return false;
    if (found && !follow_request(ends, &requests, xtf_field_get(request, row), xtf_field_get(type->seq, row), call,
                                 known, error))
        return false;
    *known &= (call->use & XTF_CALL_WAITS) != 0;
    return true;
}

/* ---- Waits. */

/* Finds the wait of a message. If MPI_Mprobe received the message, the wait is in the probe's call. */
static bool find_wait(const Ends *ends, XtfMessageTimes *times, GError **error)
{
    const XtfMessageCall *send = &ends->send, *posting = &ends->posting,
                         *receive = posting->use & XTF_CALL_MPROBE ? posting : &ends->receive;
    XtfMessageCall completion;
    bool known;

    if (send->enter > receive->leave) {
        times->wait = XTF_WAIT_CLOCK_VIOLATION;
        return true;
    }
    uint64_t until = MIN(send->enter, receive->leave);
    if ((receive->use & (XTF_CALL_OF_MPI | XTF_CALL_TESTS)) == XTF_CALL_OF_MPI && until > receive->enter) {
        times->wait = XTF_WAIT_LATE_SENDER;
        times->ticks = until - receive->enter;
        return true;
    }
    if (posting->enter <= send->enter) /* the send is not complete before the posting */
        return true;
    if (!find_completion(ends, &completion, &known, error))
        return false;
    if (known && completion.leave > posting->enter && posting->enter > completion.enter) {
        times->wait = XTF_WAIT_LATE_RECEIVER;
        times->ticks = posting->enter - completion.enter;
    }
    return true;
}

bool xtf_message_timer_times(XtfMessageTimer *timer, const XtfMessage *message, XtfMessageTimes *times, GError **error)
{
    Ends ends = {.timer = timer, .message = message};

    *times = (XtfMessageTimes){0};
    if ((message->has_send && !find_send_call(&ends, error)) ||
        (message->has_receive && !find_receive_calls(&ends, error)))
        return false;
    times->sent = ends.send.record;
    times->posted = ends.posting.record;
    times->received = ends.receive.record;
    times->sent_from = message->has_send ? ends.send.site : XTF_NONE32;
    times->posted_from = message->has_receive ? ends.posting.site : XTF_NONE32;
    return !message->has_send || !message->has_receive || find_wait(&ends, times, error);
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
