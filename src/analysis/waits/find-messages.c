/*
 * Waits for messages.
 *
 * A late sender is a send that begins after the receive has begun to wait. If a blocking probe took the message, the
 * probe is the wait. A late receiver is a send that completes only once the receive is posted. A call that waits for
 * several messages counts once, by its longest wait. It counts for a receiver only if no sender was late.
 *
 * Late senders in the wrong order: each location keeps its last RECENT_MAX late senders. If a message is received
 * after one of them but was sent before it, the program should have received that message first. Then the earlier wait
 * was in vain. A message that a blocking probe took counts as received at the probe, so a late sender after the probe
 * is in the right order. Messages taken between a probe and the receive of its message are kept until that receive,
 * since the probe's wait is unknown before.
 */
#include "src/analysis/waits/find-private.h"
#include "src/model/wait-kinds.h"

enum {
    RECENT_MAX = 100,
    KEEPS_PER_RELEASE = 512, /* pairs that are kept before their pages are released: each takes a page or two */
};

/* Indexes in XtfManyWait.pairs. */
enum { LATE_SENDER, LATE_RECEIVER };

static bool is_in_mpi(const XtfEnd *end)
{
    return end->kind != XTF_MPI_CALL_NONE;
}

/* ---- Calls that wait for several messages. */

static guint hash_many(gconstpointer key)
{
    const XtfManyWait *many = key;
    return (guint)(many->call * 2654435761U) ^ many->location;
}

static gboolean equal_many(gconstpointer a, gconstpointer b)
{
    const XtfManyWait *x = a, *y = b;
    return x->call == y->call && x->location == y->location;
}

/* Returns the call of an end if it waits for several messages, else NULL. Adds a missing call if `add` is true. */
static XtfManyWait *many_wait_of(XtfFind *find, const XtfEnd *end, bool add)
{
    if (end->kind != XTF_MPI_CALL_WAIT_MANY)
        return NULL;
    const XtfManyWait key = {.location = end->location, .call = end->call};
    XtfManyWait *many = find->by_location[end->location].many;
    if (many && many->call == end->call) /* most ends are in the call that the location is in */
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

static void keep_recent(XtfFind *find, uint32_t location, const XtfPoint *point, uint64_t sent, uint32_t sender)
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

/* Returns the longest wait of a call for a sender or for a receiver; NULL: none. */
static XtfFindPair *pair_of(const XtfFind *find, const XtfManyWait *many, unsigned which)
{
    return many->pairs[which] > 0 ? &find->pairs.all[many->pairs[which] - 1] : NULL;
}

/* Returns the number of a free pair, plus 1. */
static uint32_t allot_pair(XtfFind *find)
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

/* Keeps the longest wait of the call so far. Each location may be in such a call, so the pairs' pages are released
 * regularly. */
static void keep_pair(XtfFind *find, XtfManyWait *many, unsigned which, const XtfPoint *waits, const XtfPoint *awaited)
{
    if (many->pairs[which] == 0)
        many->pairs[which] = allot_pair(find);
    *pair_of(find, many, which) = (XtfFindPair){.waits = *waits, .awaited = *awaited};
    if (++find->pairs.n_kept >= KEEPS_PER_RELEASE) {
        find->pairs.n_kept = 0;
        xtf_paged_page_out(&find->pairs.paged);
    }
}

static void free_many(XtfFind *find, XtfManyWait *many)
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

/* Closes a call that has no more records. Adds its late sender at once. Without one, adds its late receiver once all
 * its sends are received. */
static void close_many(XtfFind *find, XtfManyWait *many)
{
    XtfFindLocation *of = &find->by_location[many->location];

    if (of->many == many)
        of->many = NULL;
    const XtfFindPair *sender = pair_of(find, many, LATE_SENDER), *receiver = pair_of(find, many, LATE_RECEIVER);
    if (!many->closed && sender) {
        add_pair(find, many->location, &sender->waits, &sender->awaited);
        keep_recent(find, many->location, &sender->waits, many->sent, many->sender);
    }
    many->closed = true;
    if (many->pending > 0 && !sender)
        return;
    if (receiver && !sender)
        add_pair(find, many->location, &receiver->waits, &receiver->awaited);
    free_many(find, many);
}

/* Closes the call that waits for several messages if the location's next record is in another call. */
static void enter_call(XtfFind *find, const XtfReplayEvent *at)
{
    XtfManyWait *many = find->by_location[xtf_find_location(find, at)].many;

    if (many && many->call != at->call->row)
        close_many(find, many);
}

/* ---- Late senders. */

/* Finds late senders that were received before a message though that message was sent first. `waiting` is the end
 * that took the message. */
static void find_wrong_order(XtfFind *find, const XtfEnd *waiting, const XtfEnd *send)
{
    XtfFindLocation *of = &find->by_location[waiting->location];
    GArray *recent = of->recent;

    if (of->latest <= send->time)
        return;
    of->latest = 0;
    for (guint i = 0; recent && i < recent->len;) {
        const XtfRecent *recent_wait = &g_array_index(recent, XtfRecent, i);
        if (recent_wait->sent <= send->time || recent_wait->seq > waiting->seq) {
            of->latest = MAX(of->latest, recent_wait->sent);
            i++;
            continue;
        }
        const XtfPoint part = {.seq = recent_wait->seq,
                               .side = XTF_POINT_PART,
                               .part = recent_wait->amount,
                               .part_kind = recent_wait->sender == send->location};
        xtf_find_add(find, waiting->location, &part);
        g_array_remove_index(recent, i);
    }
}

/* Marks the wait of a probe as in the wrong order if a message that was sent before `send` was received since the
 * probe. */
static void find_wrong_order_of_probe(XtfFind *find, const XtfEnd *probe, const XtfEnd *send)
{
    const XtfFindLocation *of = &find->by_location[probe->location];
    const XtfRecent *recent_wait =
        of->recent && of->recent->len > 0 ? &g_array_index(of->recent, XtfRecent, of->recent->len - 1) : NULL;
    const XtfTaken *first = NULL;

    if (!recent_wait || recent_wait->seq != probe->seq)
        return;
    for (guint i = 0; of->taken && i < of->taken->len; i++) {
        const XtfTaken *taken = &g_array_index(of->taken, XtfTaken, i);
        if (taken->seq > probe->seq && taken->sent < send->time && (!first || taken->seq < first->seq))
            first = taken;
    }
    if (!first)
        return;
    const XtfPoint part = {.seq = recent_wait->seq,
                           .side = XTF_POINT_PART,
                           .part = recent_wait->amount,
                           .part_kind = first->sender == send->location};
    xtf_find_add(find, probe->location, &part);
    g_array_set_size(of->recent, of->recent->len - 1);
}

/* Keeps a taken message for open blocking probes. */
static void keep_taken(XtfFind *find, const XtfEnd *waiting, const XtfEnd *send)
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

/* Returns the point of the waiting side, which waits until `end` for the late side. */
static XtfPoint waiting_point(const XtfSent *message, uint8_t kind, const XtfEnd *waiter, const XtfEnd *culprit,
                              uint64_t end)
{
    XtfPoint point = xtf_find_point(waiter, kind, XTF_POINT_WAITS);

    point.wait = end - waiter->enter;
    point.end = end;
    point.partner = culprit->location;
    point.partner_seq = culprit->seq;
    point.bytes = message->bytes;
    point.comm = message->comm;
    point.tag = message->tag;
    return point;
}

static XtfPoint awaited_point(uint8_t kind, const XtfEnd *culprit, const XtfEnd *waiter)
{
    XtfPoint point = xtf_find_point(culprit, kind, XTF_POINT_AWAITED);

    point.completion = culprit->leave > waiter->leave ? (int64_t)(culprit->leave - waiter->leave) : 0;
    point.partner = waiter->location;
    point.partner_seq = waiter->seq;
    return point;
}

/* Returns the end that waits for a message. A blocking probe also posts the receive, so then it is the posting. */
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
    XtfManyWait *many = many_wait_of(find, recv, true);
    if (!many) {
        add_pair(find, recv->location, &waits, &awaited);
        keep_recent(find, recv->location, &waits, send->time, send->location);
    } else if (!many->pairs[LATE_SENDER] || waits.wait > pair_of(find, many, LATE_SENDER)->waits.wait) {
        keep_pair(find, many, LATE_SENDER, &waits, &awaited);
        many->sent = send->time;
        many->sender = send->location;
    }
}

/* ---- Late receivers. */

static void find_late_receiver(XtfFind *find, const XtfSent *message, const XtfEnd *sent, const XtfEnd *posting)
{
    XtfManyWait *many = many_wait_of(find, sent, false);
    bool single = sent->kind == XTF_MPI_CALL_SEND || sent->kind == XTF_MPI_CALL_WAIT;

    if (many)
        many->pending--;
    xtf_find_progress(find, message, sent, posting);
    if ((single || many) && is_in_mpi(posting) && sent->leave > posting->enter && posting->enter > sent->enter) {
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

uint64_t xtf_find_send(void *data, const XtfReplayEvent *at)
{
    XtfFind *find = data;
    uint64_t value;

    enter_call(find, at);
    XtfSent *message = xtf_find_allot_sent(find, &value);
    message->send = xtf_find_end(find, at);
    message->bytes = at->bytes;
    message->beside = find->beside->send(find->beside->data, at);
    message->is_sent = at->blocks;
    if (at->blocks)
        message->first_known = message->send;
    return value;
}

void xtf_find_sent(void *data, const XtfReplayEvent *at, uint64_t value)
{
    XtfFind *find = data;
    XtfSent *message = xtf_find_sent_of(find, value);
    const XtfEnd sent = xtf_find_end(find, at);

    enter_call(find, at);
    if (message->dropped) {
        xtf_find_free_sent(find, message);
        return;
    }
    XtfManyWait *many = many_wait_of(find, &sent, true);
    if (many)
        many->pending++;
    message->is_sent = true;
    if (message->is_received) {
        find_late_receiver(find, message, &sent, &message->first_known);
        xtf_find_free_sent(find, message);
    } else {
        message->first_known = sent;
    }
}

/* Returns the number of a free posting, plus 1. */
static uint32_t allot_posting(XtfFind *find)
{
    uint32_t number = find->postings.free;

    if (number > 0) {
        find->postings.free = find->postings.all[number - 1].next_free;
        return number;
    }
    if (find->postings.n == find->postings.room) {
        find->postings.room = MAX(32, find->postings.room + find->postings.room / 2);
        find->postings.all = g_renew(XtfFindPosting, find->postings.all, find->postings.room);
    }
    return ++find->postings.n;
}

uint64_t xtf_find_post(void *data, const XtfReplayEvent *at)
{
    XtfFind *find = data;
    uint32_t value = allot_posting(find);
    XtfFindPosting *posting = &find->postings.all[value - 1];

    enter_call(find, at);
    posting->end = xtf_find_end(find, at);
    count_probe(find, &posting->end, 1);
    return value;
}

void xtf_find_probe(void *data, const XtfReplayEvent *at, uint64_t value)
{
    const XtfFind *find = data;

    if (find->beside->probe)
        find->beside->probe(find->beside->data, at, xtf_find_sent_of(find, value)->beside);
}

void xtf_find_drop_posting(void *data, uint64_t value)
{
    XtfFind *find = data;

    if (value == 0)
        return;
    XtfFindPosting *posting = &find->postings.all[value - 1];
    count_probe(find, &posting->end, -1);
    posting->next_free = find->postings.free;
    find->postings.free = (uint32_t)value;
}

void xtf_find_received(XtfFind *find, XtfSent *message, const XtfEnd *posting)
{
    message->is_received = true;
    if (!message->is_sent) {
        message->first_known = *posting;
        return;
    }
    find_late_receiver(find, message, &message->first_known, posting);
    xtf_find_free_sent(find, message);
}

void xtf_find_receive(void *data, const XtfReplayEvent *at, const XtfReplayMessage *received)
{
    XtfFind *find = data;
    XtfSent *message = xtf_find_sent_of(find, received->value);
    const XtfEnd *recv = &message->recv, *posting = &find->postings.all[received->posted - 1].end;

    XtfReplayMessage beside = *received;
    beside.value = message->beside;
    find->beside->receive(find->beside->data, at, &beside);
    enter_call(find, at);
    message->recv = xtf_find_end(find, at);
    message->recv_row = at->row;
    message->comm = received->comm;
    message->tag = received->tag;
    const XtfEnd *waiting = waiting_end(posting, recv);
    if (is_in_mpi(waiting) && is_in_mpi(&message->send)) {
        find->found.judged++;
        find->found.violations += message->send.enter > waiting->leave;
        find_late_sender(find, waiting, message);
        if (waiting == posting)
            find_wrong_order_of_probe(find, waiting, &message->send);
        find_wrong_order(find, waiting, &message->send);
        keep_taken(find, waiting, &message->send);
    }
    if (message->adopted)
        xtf_find_write_received(find, message, posting);
    else
        xtf_find_received(find, message, posting);
    xtf_find_drop_posting(find, received->posted);
}

/* Drops a send that no receive will match. If the send is not complete yet, its completion frees the message. */
void xtf_find_drop(void *data, uint64_t value)
{
    XtfFind *find = data;
    XtfSent *message = xtf_find_sent_of(find, value);

    if (message->adopted) {
        xtf_find_write_dropped(find, message);
        return;
    }
    XtfManyWait *many = message->is_sent ? many_wait_of(find, &message->first_known, false) : NULL;
    if (many && --many->pending == 0 && many->closed)
        close_many(find, many);
    if (message->is_sent)
        xtf_find_free_sent(find, message);
    else
        message->dropped = true;
}

void xtf_find_messages_init(XtfFind *find)
{
    find->sent = g_array_new(FALSE, TRUE, sizeof(XtfSent));
    find->many = g_hash_table_new_full(hash_many, equal_many, g_free, NULL);
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
    g_clear_pointer(&find->postings.all, g_free);
    g_clear_pointer(&find->many, g_hash_table_unref);
    xtf_paged_free(&find->pairs.paged);
}
