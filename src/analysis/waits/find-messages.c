/*
 * Waits for messages.
 *
 * A receive that its sender keeps waiting is a late sender; if a blocking probe took the message, the probe is. A send
 * that completes only once the receive is posted is a late receiver. Calls that wait for several messages count once,
 * for the longest wait, and for receivers only if no sender was late.
 *
 * Late senders in the wrong order: a location's last RECENT_MAX late senders are remembered. A message that was sent
 * before one of these, and is received after it, should have been received first: then that wait was in vain. A message
 * that a blocking probe took was received there: those that were waited for since then came in time. And what was taken
 * between a probe and the receive of its message is remembered until then: before, nothing is known of the probe's
 * wait.
 */
#include "src/analysis/waits/find-private.h"
#include "src/model/wait-kinds.h"

enum {
    RECENT_MAX = 100,
    KEPT_MAX = 512, /* pairs, before they rest: a page or two each */
};

/* Of the pairs of a call that waits for several. */
enum { LATE_SENDER, LATE_RECEIVER };

static XtfSent *sent_of(const XtfFind *find, uint64_t value)
{
    return &g_array_index(find->sent, XtfSent, value - 1);
}

static bool in_mpi(const XtfEnd *end)
{
    return end->kind != XTF_MPI_CALL_NONE;
}

/* ---- Calls that wait for several. */

static guint hash_many(gconstpointer key)
{
    const XtfManyWait *many = key;
    return (guint)(many->call * 2654435761U) ^ many->location;
}

static gboolean same_many(gconstpointer a, gconstpointer b)
{
    const XtfManyWait *x = a, *y = b;
    return x->call == y->call && x->location == y->location;
}

/* The call of an end, if it waits for several; made if it is not there and `add`. */
static XtfManyWait *many_of(XtfFind *find, const XtfEnd *end, bool add)
{
    if (end->kind != XTF_MPI_CALL_WAIT_MANY)
        return NULL;
    const XtfManyWait key = {.location = end->location, .call = end->call};
    XtfManyWait *many = find->by_location[end->location].many;
    if (many && many->call == end->call) /* mostly */
        return many;
    many = g_hash_table_lookup(find->many, &key);
    if (!many && add) {
        many = g_new0(XtfManyWait, 1);
        many->location = end->location;
        many->call = end->call;
        g_hash_table_add(find->many, many);
        find->by_location[end->location].many = many;
    }
    return many;
}

static void remember(XtfFind *find, uint32_t location, const XtfPoint *point, uint64_t sent, uint32_t sender)
{
    const XtfRecent recent = {point->seq, sent, point->wait, sender};
    XtfFindLocation *of = &find->by_location[location];

    if (!of->recent)
        of->recent = g_array_new(FALSE, FALSE, sizeof(XtfRecent));
    if (of->recent->len == RECENT_MAX)
        g_array_remove_index(of->recent, 0);
    g_array_append_val(of->recent, recent);
    of->latest = MAX(of->latest, sent);
}

static void add_pair(XtfFind *find, uint32_t location, const XtfPoint *waits, const XtfPoint *awaited)
{
    xtf_find_add(find, location, waits);
    xtf_find_add(find, waits->partner, awaited);
    xtf_find_progress_beside(find, location, waits);
}

/* NULL: there is none. */
static XtfFindPair *pair_of(const XtfFind *find, const XtfManyWait *many, unsigned which)
{
    return many->pairs[which] > 0 ? &find->pairs.all[many->pairs[which] - 1] : NULL;
}

/* The number of a pair that nobody uses, plus 1. */
static uint32_t take_pair(XtfFind *find)
{
    uint32_t number = find->pairs.free;

    if (number > 0) {
        find->pairs.free = find->pairs.all[number - 1].next_free;
        return number;
    }
    if (find->pairs.n == find->pairs.room) {
        find->pairs.room = MAX(32, find->pairs.room + find->pairs.room / 2);
        find->pairs.all = xtf_paged_grow(&find->pairs.paged, find->pairs.room * sizeof *find->pairs.all);
    }
    return ++find->pairs.n;
}

/* The longest wait of the call by now. Each location may be in such a call: so these need not stay in memory. */
static void keep_pair(XtfFind *find, XtfManyWait *many, unsigned which, const XtfPoint *waits, const XtfPoint *awaited)
{
    if (many->pairs[which] == 0)
        many->pairs[which] = take_pair(find);
    *pair_of(find, many, which) = (XtfFindPair){.waits = *waits, .awaited = *awaited};
    if (++find->pairs.n_kept >= KEPT_MAX) {
        find->pairs.n_kept = 0;
        xtf_paged_rest(&find->pairs.paged);
    }
}

static void forget_many(XtfFind *find, XtfManyWait *many)
{
    for (unsigned which = 0; which < G_N_ELEMENTS(many->pairs); which++) {
        XtfFindPair *pair = pair_of(find, many, which);
        if (!pair)
            continue;
        pair->next_free = find->pairs.free;
        find->pairs.free = many->pairs[which];
    }
    g_hash_table_remove(find->many, many);
}

/* All its records have come. */
static void close_many(XtfFind *find, XtfManyWait *many)
{
    XtfFindLocation *of = &find->by_location[many->location];

    if (of->many == many)
        of->many = NULL;
    const XtfFindPair *sender = pair_of(find, many, LATE_SENDER), *receiver = pair_of(find, many, LATE_RECEIVER);
    if (!many->closed && sender) {
        add_pair(find, many->location, &sender->waits, &sender->awaited);
        remember(find, many->location, &sender->waits, many->sent, many->sender);
    }
    many->closed = true;
    if (many->pending > 0 && !sender)
        return;
    if (receiver && !sender)
        add_pair(find, many->location, &receiver->waits, &receiver->awaited);
    forget_many(find, many);
}

/* A record of the location comes, of another call than it was in. */
static void enter_call(XtfFind *find, const XtfReplayEvent *at)
{
    XtfManyWait *many = find->by_location[xtf_find_location(find, at)].many;

    if (many && many->call != at->call->row)
        close_many(find, many);
}

/* ---- Late senders. */

/* `waiting`: where the message was taken. */
static void find_wrong_order(XtfFind *find, const XtfEnd *waiting, const XtfEnd *send)
{
    XtfFindLocation *of = &find->by_location[waiting->location];
    GArray *recent = of->recent;

    if (of->latest <= send->time)
        return;
    of->latest = 0;
    for (guint i = 0; recent && i < recent->len;) {
        const XtfRecent *late = &g_array_index(recent, XtfRecent, i);
        if (late->sent <= send->time || late->seq > waiting->seq) {
            of->latest = MAX(of->latest, late->sent);
            i++;
            continue;
        }
        const XtfPoint part = {.seq = late->seq,
                               .side = XTF_POINT_PART,
                               .part = late->amount,
                               .part_kind = late->sender == send->location};
        xtf_find_add(find, waiting->location, &part);
        g_array_remove_index(recent, i);
    }
}

/* A probe has waited, for what `send` sent; other messages have been received since then. */
static void find_wrong_order_of_probe(XtfFind *find, const XtfEnd *probe, const XtfEnd *send)
{
    const XtfFindLocation *of = &find->by_location[probe->location];
    const XtfRecent *late =
        of->recent && of->recent->len > 0 ? &g_array_index(of->recent, XtfRecent, of->recent->len - 1) : NULL;
    const XtfTaken *first = NULL;

    if (!late || late->seq != probe->seq)
        return;
    for (guint i = 0; of->taken && i < of->taken->len; i++) {
        const XtfTaken *taken = &g_array_index(of->taken, XtfTaken, i);
        if (taken->seq > probe->seq && taken->sent < send->time && (!first || taken->seq < first->seq))
            first = taken;
    }
    if (!first)
        return;
    const XtfPoint part = {
        .seq = late->seq, .side = XTF_POINT_PART, .part = late->amount, .part_kind = first->sender == send->location};
    xtf_find_add(find, probe->location, &part);
    g_array_set_size(of->recent, of->recent->len - 1);
}

/* For the probes before. */
static void remember_taken(XtfFind *find, const XtfEnd *waiting, const XtfEnd *send)
{
    XtfFindLocation *of = &find->by_location[waiting->location];
    const XtfTaken taken = {waiting->seq, send->time, send->location};

    if (of->probes == 0)
        return;
    if (!of->taken)
        of->taken = g_array_new(FALSE, FALSE, sizeof(XtfTaken));
    if (of->taken->len == RECENT_MAX)
        g_array_remove_index(of->taken, 0);
    g_array_append_val(of->taken, taken);
}

static void count_probe(XtfFind *find, const XtfEnd *posting, int step)
{
    XtfFindLocation *of = &find->by_location[posting->location];

    if (posting->kind != XTF_MPI_CALL_MPROBE)
        return;
    of->probes += (uint32_t)step;
    if (of->probes == 0)
        g_clear_pointer(&of->taken, g_array_unref);
}

/* The two points of a message: where the waiter waits until `end`, and where the other side is late. */
static XtfPoint waiting_point(const XtfSent *message, uint8_t kind, const XtfEnd *waiter, const XtfEnd *late,
                              uint64_t end)
{
    XtfPoint point = xtf_find_point(waiter, kind, XTF_POINT_WAITS);

    point.wait = end - waiter->enter;
    point.end = end;
    point.partner = late->location;
    point.partner_seq = late->seq;
    point.bytes = message->bytes;
    point.comm = message->comm;
    point.tag = message->tag;
    return point;
}

static XtfPoint awaited_point(uint8_t kind, const XtfEnd *late, const XtfEnd *waiter)
{
    XtfPoint point = xtf_find_point(late, kind, XTF_POINT_AWAITED);

    point.completion = late->leave > waiter->leave ? (int64_t)(late->leave - waiter->leave) : 0;
    point.partner = waiter->location;
    point.partner_seq = waiter->seq;
    return point;
}

/* Where a message is waited for. A blocking probe posts the receive of what it takes. */
static const XtfEnd *waiting_end(const XtfEnd *posting, const XtfEnd *recv)
{
    return posting->kind == XTF_MPI_CALL_MPROBE ? posting : recv;
}

static void find_late_sender(XtfFind *find, const XtfEnd *recv, const XtfSent *message)
{
    const XtfEnd *send = &message->send;
    uint64_t end = MIN(send->enter, recv->leave);

    if (recv->kind == XTF_MPI_CALL_TEST || end <= recv->enter)
        return;
    XtfPoint waits = waiting_point(message, XTF_LABEL_late_sender, recv, send, end);
    XtfPoint awaited = awaited_point(XTF_LABEL_late_sender, send, recv);
    waits.completion = recv->leave > send->leave ? (int64_t)(recv->leave - send->leave) : 0;
    waits.match = send->row;
    XtfManyWait *many = many_of(find, recv, true);
    if (!many) {
        add_pair(find, recv->location, &waits, &awaited);
        remember(find, recv->location, &waits, send->time, send->location);
    } else if (!many->pairs[LATE_SENDER] || waits.wait > pair_of(find, many, LATE_SENDER)->waits.wait) {
        keep_pair(find, many, LATE_SENDER, &waits, &awaited);
        many->sent = send->time;
        many->sender = send->location;
    }
}

/* ---- Late receivers. */

static void find_late_receiver(XtfFind *find, XtfSent *message, const XtfEnd *sent, const XtfEnd *posting)
{
    XtfManyWait *many = many_of(find, sent, false);
    bool single = sent->kind == XTF_MPI_CALL_SEND || sent->kind == XTF_MPI_CALL_WAIT;

    if (many)
        many->pending--;
    xtf_find_progress(find, message, sent, posting);
    if ((single || many) && in_mpi(posting) && sent->leave > posting->enter && posting->enter > sent->enter) {
        XtfPoint waits = waiting_point(message, XTF_LABEL_late_receiver, sent, posting, posting->enter);
        XtfPoint awaited = awaited_point(XTF_LABEL_late_receiver, posting, sent);
        waits.completion = sent->leave < posting->leave ? -(int64_t)(posting->leave - sent->leave) : 0;
        waits.match = message->recv_row;
        const XtfFindPair *kept = single ? NULL : pair_of(find, many, LATE_RECEIVER);
        if (single) {
            add_pair(find, sent->location, &waits, &awaited);
        } else if (!kept || waits.wait > kept->waits.wait ||
                   (waits.wait == kept->waits.wait && message->send.seq > many->receiver_seq)) {
            keep_pair(find, many, LATE_RECEIVER, &waits, &awaited);
            many->receiver_seq = message->send.seq;
        }
    }
    if (many && many->closed && many->pending == 0)
        close_many(find, many);
}

/* ---- Messages on their way. */

static void forget(XtfFind *find, XtfSent *message)
{
    message->used = false;
    message->next_free = find->free_sent;
    find->free_sent = (uint32_t)(message - (XtfSent *)(void *)find->sent->data) + 1;
}

uint64_t xtf_find_send(void *data, const XtfReplayEvent *at)
{
    XtfFind *find = data;
    uint32_t value = find->free_sent;

    enter_call(find, at);
    if (value == 0) {
        g_array_set_size(find->sent, find->sent->len + 1);
        value = find->sent->len;
    }
    XtfSent *message = sent_of(find, value);
    find->free_sent = find->free_sent ? message->next_free : 0;
    *message = (XtfSent){.send = xtf_find_end(find, at),
                         .bytes = at->bytes,
                         .beside = find->beside->send(find->beside->data, at),
                         .used = true,
                         .is_sent = at->blocks};
    if (at->blocks)
        message->other = message->send;
    return value;
}

void xtf_find_sent(void *data, const XtfReplayEvent *at, uint64_t value)
{
    XtfFind *find = data;
    XtfSent *message = sent_of(find, value);
    const XtfEnd sent = xtf_find_end(find, at);

    enter_call(find, at);
    if (message->gone) {
        forget(find, message);
        return;
    }
    XtfManyWait *many = many_of(find, &sent, true);
    if (many)
        many->pending++;
    message->is_sent = true;
    if (message->is_received) {
        const XtfEnd posting = message->other;
        find_late_receiver(find, message, &sent, &posting);
        forget(find, message);
    } else {
        message->other = sent;
    }
}

uint64_t xtf_find_post(void *data, const XtfReplayEvent *at)
{
    XtfFind *find = data;
    uint32_t value = find->postings->len + 1;

    enter_call(find, at);
    if (find->free_postings->len > 0) {
        value = g_array_index(find->free_postings, uint32_t, find->free_postings->len - 1);
        g_array_set_size(find->free_postings, find->free_postings->len - 1);
    } else {
        g_array_set_size(find->postings, value);
    }
    XtfEnd *posting = &g_array_index(find->postings, XtfEnd, value - 1);
    *posting = xtf_find_end(find, at);
    count_probe(find, posting, 1);
    return value;
}

void xtf_find_probe(void *data, const XtfReplayEvent *at, uint64_t value)
{
    const XtfFind *find = data;

    if (find->beside->probe)
        find->beside->probe(find->beside->data, at, sent_of(find, value)->beside);
}

void xtf_find_drop_posting(void *data, uint64_t value)
{
    XtfFind *find = data;
    uint32_t number = (uint32_t)value;

    if (value == 0)
        return;
    count_probe(find, &g_array_index(find->postings, XtfEnd, value - 1), -1);
    g_array_append_val(find->free_postings, number);
}

void xtf_find_receive(void *data, const XtfReplayEvent *at, const XtfReplayMessage *what)
{
    XtfFind *find = data;
    XtfSent *message = sent_of(find, what->value);
    const XtfEnd recv = xtf_find_end(find, at), posting = g_array_index(find->postings, XtfEnd, what->posted - 1);

    XtfReplayMessage beside = *what;
    beside.value = message->beside;
    find->beside->receive(find->beside->data, at, &beside);
    enter_call(find, at);
    message->recv = recv;
    message->recv_row = at->row;
    message->comm = what->comm;
    message->tag = what->tag;
    message->is_received = true;
    const XtfEnd *waiting = waiting_end(&posting, &recv);
    if (in_mpi(waiting) && in_mpi(&message->send)) {
        find->found->judged++;
        find->found->violations += message->send.enter > waiting->leave;
        find_late_sender(find, waiting, message);
        if (waiting == &posting)
            find_wrong_order_of_probe(find, waiting, &message->send);
        find_wrong_order(find, waiting, &message->send);
        remember_taken(find, waiting, &message->send);
    }
    xtf_find_drop_posting(find, what->posted);
    if (message->is_sent) {
        const XtfEnd sent = message->other;
        find_late_receiver(find, message, &sent, &posting);
        forget(find, message);
    } else {
        message->other = posting;
    }
}

/* Of a send that is complete, or will be. */
void xtf_find_drop(void *data, uint64_t value)
{
    XtfFind *find = data;
    XtfSent *message = sent_of(find, value);
    XtfManyWait *many = message->is_sent ? many_of(find, &message->other, false) : NULL;

    if (many && --many->pending == 0 && many->closed)
        close_many(find, many);
    if (message->is_sent)
        forget(find, message);
    else
        message->gone = true;
}

void xtf_find_messages_init(XtfFind *find)
{
    find->sent = g_array_new(FALSE, TRUE, sizeof(XtfSent));
    find->postings = g_array_new(FALSE, FALSE, sizeof(XtfEnd));
    find->free_postings = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    find->many = g_hash_table_new_full(hash_many, same_many, g_free, NULL);
}

void xtf_find_messages_end(XtfFind *find)
{
    g_autoptr(GList) all = g_hash_table_get_keys(find->many);

    for (GList *item = all; item; item = item->next) {
        XtfManyWait *many = item->data;
        many->pending = 0;
        close_many(find, many);
    }
}

void xtf_find_messages_finish(XtfFind *find)
{
    g_clear_pointer(&find->sent, g_array_unref);
    g_clear_pointer(&find->postings, g_array_unref);
    g_clear_pointer(&find->free_postings, g_array_unref);
    g_clear_pointer(&find->many, g_hash_table_unref);
    xtf_paged_free(&find->pairs.paged);
}
