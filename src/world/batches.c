#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "src/world/world-private.h"

enum {
    YIELDS = 64, /* calls of xtf_world_wait() that only yield */
    FIRST_SLEEP_US = 20,
    MOST_SLEEP_US = 2000,
};

/* ---- Sending. */

/* Takes over the bytes of a message. */
static void send_message(XtfWorld *world, unsigned to, uint8_t *bytes, size_t length)
{
    XtfSentMessage sent = {.handle = world->module->send(to, bytes, length), .bytes = bytes};

    if (!sent.handle)
        g_error("out of memory: a message cannot be sent");
    g_array_append_val(world->sent, sent);
}

static uint8_t *make_message(XtfMessageHead head, const void *bytes, size_t length)
{
    uint8_t *message = g_malloc(sizeof head + length);

    memcpy(message, &head, sizeof head);
    if (length > 0)
        memcpy(message + sizeof head, bytes, length);
    return message;
}

static void free_sent_messages(XtfWorld *world)
{
    guint kept = 0;

    for (guint i = 0; i < world->sent->len; i++) {
        XtfSentMessage sent = g_array_index(world->sent, XtfSentMessage, i);
        if (world->module->has_sent(sent.handle))
            g_free(sent.bytes);
        else
            g_array_index(world->sent, XtfSentMessage, kept++) = sent;
    }
    g_array_set_size(world->sent, kept);
}

/* Sends messages that wait, as far as there is credit. */
static void send_waiting(XtfWorld *world, unsigned to)
{
    XtfPeer *peer = &world->peers[to];

    while (peer->uncredited < XTF_WORLD_CREDIT && !g_queue_is_empty(&peer->waiting)) {
        gsize length;
        uint8_t *message = g_bytes_unref_to_data(g_queue_pop_head(&peer->waiting), &length);
        world->n_waiting--;
        peer->uncredited++;
        send_message(world, to, message, length);
    }
}

/* Sends bytes in pieces. Pieces of batches wait for credit. */
static void send_pieces(XtfWorld *world, unsigned to, XtfMessageKind kind, const uint8_t *bytes, size_t length)
{
    size_t at = 0;

    do {
        size_t n = MIN(length - at, (size_t)XTF_WORLD_PIECE);
        const XtfMessageHead head = {.kind = kind, .is_last = at + n == length};
        uint8_t *message = make_message(head, bytes + at, n);
        if (kind == XTF_MESSAGE_BATCH) {
            g_queue_push_tail(&world->peers[to].waiting, g_bytes_new_take(message, sizeof head + n));
            world->n_waiting++;
        } else {
            send_message(world, to, message, sizeof head + n);
        }
        at += n;
    } while (at < length);
    send_waiting(world, to);
}

static void add_arrived(XtfWorld *world, unsigned from, GBytes *bytes, uint32_t pieces)
{
    const XtfArrivedBatch batch = {.bytes = bytes, .from = from, .pieces = pieces};

    g_queue_push_tail(&world->arrived, g_memdup2(&batch, sizeof batch));
}

void xtf_world_send(XtfWorld *world, unsigned to, const void *bytes, size_t length)
{
    world->n_sent++;
    if (to == world->rank)
        add_arrived(world, to, g_bytes_new(bytes, length), 0);
    else
        send_pieces(world, to, XTF_MESSAGE_BATCH, bytes, length);
}

void xtf_world_send_together(XtfWorld *world, unsigned to, GBytes *bytes)
{
    gsize length;
    const uint8_t *data = g_bytes_get_data(bytes, &length);

    send_pieces(world, to, XTF_MESSAGE_TOGETHER, data, length);
}

/* Ranks warn rank 0, which warns all others once: all ranks may fail at the same time. */
void xtf_world_warn(XtfWorld *world)
{
    const XtfMessageHead head = {.kind = XTF_MESSAGE_WARNING};

    for (unsigned to = 0; to < (world->rank == 0 ? world->size : 1); to++)
        if (to != world->rank && !world->warned)
            send_message(world, to, make_message(head, NULL, 0), sizeof head);
    world->warned = true;
}

/* ---- Receiving. */

/* Adds a piece. Returns the whole batch after its last piece, else NULL. */
static GBytes *add_piece(GByteArray **pieces, const XtfMessageHead *head, const uint8_t *bytes, size_t length)
{
    if (!*pieces)
        *pieces = g_byte_array_new();
    g_byte_array_append(*pieces, bytes, (guint)length);
    return head->is_last ? g_byte_array_free_to_bytes(g_steal_pointer(pieces)) : NULL;
}

static void handle_message(XtfWorld *world, unsigned from, const uint8_t *message, size_t length)
{
    XtfPeer *peer = &world->peers[from];
    XtfMessageHead head;

    memcpy(&head, message, sizeof head);
    message += sizeof head;
    length -= sizeof head;
    if (head.kind == XTF_MESSAGE_CREDIT) {
        peer->uncredited -= head.value;
        send_waiting(world, from);
    } else if (head.kind == XTF_MESSAGE_WARNING) {
        if (world->rank == 0)
            xtf_world_warn(world);
        world->warned = true;
    } else if (head.kind == XTF_MESSAGE_TOGETHER) {
        GBytes *bytes = add_piece(&peer->pieces[1], &head, message, length);
        if (bytes)
            g_queue_push_tail(&peer->together, bytes);
    } else {
        /* A batch of many pieces may need more than all credit: a piece that does not end its batch gives it back. */
        peer->n_pieces++;
        GBytes *bytes = add_piece(&peer->pieces[0], &head, message, length);
        uint32_t pieces = peer->n_pieces;
        peer->n_pieces = 0;
        if (bytes) {
            add_arrived(world, from, bytes, pieces);
        } else {
            const XtfMessageHead credit = {.kind = XTF_MESSAGE_CREDIT, .value = pieces};
            send_message(world, from, make_message(credit, NULL, 0), sizeof credit);
        }
    }
}

bool xtf_world_deliver(XtfWorld *world)
{
    XtfWorldArrival arrival;
    bool any = false;

    if (!world->module)
        return false;
    while (world->module->find(&arrival)) {
        g_autofree uint8_t *message = g_malloc(arrival.length);
        world->module->read(&arrival, message);
        handle_message(world, arrival.from, message, arrival.length);
        any = true;
    }
    free_sent_messages(world);
    return any;
}

GBytes *xtf_world_receive(XtfWorld *world, unsigned *from)
{
    if (g_queue_is_empty(&world->arrived))
        xtf_world_deliver(world);
    g_autofree XtfArrivedBatch *batch = g_queue_pop_head(&world->arrived);
    if (!batch)
        return NULL;
    const XtfMessageHead credit = {.kind = XTF_MESSAGE_CREDIT, .value = batch->pieces};
    if (batch->pieces > 0)
        send_message(world, batch->from, make_message(credit, NULL, 0), sizeof credit);
    world->n_received++;
    *from = batch->from;
    return batch->bytes;
}

bool xtf_world_has_batch(const XtfWorld *world)
{
    return world->arrived.length > 0;
}

bool xtf_world_deliver_batches(XtfWorld *world)
{
    xtf_world_deliver(world);
    return xtf_world_has_batch(world);
}

size_t xtf_world_n_waiting(const XtfWorld *world)
{
    return world->n_waiting;
}

bool xtf_world_were_warned(XtfWorld *world)
{
    xtf_world_deliver(world);
    return world->warned;
}

/* ---- Waiting. */

void xtf_world_wait(XtfWorld *world)
{
    if (xtf_world_deliver(world)) {
        world->idle = 0;
        return;
    }
    if (world->idle++ < YIELDS) {
        sched_yield();
        return;
    }
    unsigned doublings = MIN((world->idle - YIELDS) / 16, 16);
    usleep(MIN(FIRST_SLEEP_US << doublings, MOST_SLEEP_US));
}

void xtf_world_flush(XtfWorld *world)
{
    while (world->sent->len > 0)
        xtf_world_wait(world);
}

/* ---- The end. */

static void begin_sum(XtfWorld *world)
{
    world->n_sums++;
    world->is_summing = true;
    world->module->begin_sum((const uint64_t[]){world->n_sent, world->n_received});
}

/* Batches may be on their way while sums are taken. Two equal sums of ranks that all have nothing to do show that none
 * is: no rank has received one between them. */
bool xtf_world_are_done(XtfWorld *world)
{
    uint64_t sums[2];

    xtf_world_deliver(world);
    if (!g_queue_is_empty(&world->arrived))
        return false;
    if (!world->module)
        return true;
    if (!world->is_summing)
        begin_sum(world);
    if (!world->module->has_sum(sums))
        return false;
    world->is_summing = false;
    bool done = sums[0] == sums[1] && world->last_sum == sums[0];
    world->last_sum = sums[0] == sums[1] && !done ? sums[0] : UINT64_MAX;
    return done;
}

void xtf_world_complete_sums(XtfWorld *world, uint64_t n)
{
    uint64_t sums[2];

    while (world->is_summing || world->n_sums < n) {
        if (!world->is_summing)
            begin_sum(world);
        world->is_summing = !world->module->has_sum(sums);
        if (world->is_summing)
            xtf_world_wait(world);
    }
}
