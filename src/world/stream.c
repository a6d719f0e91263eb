#include "src/world/stream.h"

enum {
    BATCH_BYTES = 256 << 10, /* a batch is sent when it has this many bytes */
    WAITING_MAX = 8,         /* messages that wait before xtf_world_stream_put() waits, too */
};

typedef struct {
    uint32_t kind, n_bytes;
} Head;

struct XtfWorldStream {
    XtfWorld *world;
    GByteArray **batches; /* by rank; NULL: none is open */
    bool is_shared;       /* batches of rank 0 for all others */
};

XtfWorldStream *xtf_world_stream_new(XtfWorld *world)
{
    XtfWorldStream *stream = g_new0(XtfWorldStream, 1);

    stream->world = world;
    stream->batches = g_new0(GByteArray *, xtf_world_size(world));
    return stream;
}

void xtf_world_stream_free(XtfWorldStream *stream)
{
    if (!stream)
        return;
    for (unsigned i = 0; i < xtf_world_size(stream->world); i++)
        g_clear_pointer(&stream->batches[i], g_byte_array_unref);
    g_free(stream->batches);
    g_free(stream);
}

/* Sends a batch of rank 0 to all others; NULL in these. Returns it in all ranks, once all have it. The caller unrefs
 * it. */
static GBytes *share_batch(XtfWorld *world, GByteArray *batch)
{
    g_autoptr(GBytes) own = batch ? g_byte_array_free_to_bytes(batch) : NULL;
    uint64_t zero = 0;
    GBytes *shared = xtf_world_broadcast(world, own);

    xtf_world_sum(world, &zero, 1);
    return shared;
}

/* Sends a batch. Does zero once a rank has failed. */
static void send_batch(XtfWorldStream *stream, unsigned to)
{
    g_autoptr(GByteArray) batch = g_steal_pointer(&stream->batches[to]);

    if (xtf_world_were_warned(stream->world))
        return;
    xtf_world_send(stream->world, to, batch->data, batch->len);
    while (xtf_world_n_waiting(stream->world) > WAITING_MAX && !xtf_world_were_warned(stream->world))
        xtf_world_wait(stream->world);
}

void *xtf_world_stream_put(XtfWorldStream *stream, unsigned to, uint32_t kind, uint32_t n_bytes)
{
    GByteArray **batch = &stream->batches[to];
    const Head head = {kind, n_bytes};

    if (*batch && (*batch)->len >= BATCH_BYTES && stream->is_shared)
        g_bytes_unref(share_batch(stream->world, g_steal_pointer(batch)));
    else if (*batch && (*batch)->len >= BATCH_BYTES)
        send_batch(stream, to);
    if (!*batch)
        *batch = g_byte_array_sized_new(BATCH_BYTES + n_bytes + (guint)sizeof head);
    g_byte_array_append(*batch, (const guint8 *)&head, sizeof head);
    g_byte_array_set_size(*batch, (*batch)->len + n_bytes);
    return (*batch)->data + (*batch)->len - n_bytes;
}

static bool read_items(GBytes *batch, unsigned from, XtfWorldRead read, void *data, GError **error)
{
    gsize length;
    const uint8_t *bytes = g_bytes_get_data(batch, &length);

    for (gsize at = 0; at < length;) {
        const Head *head = (const Head *)(const void *)(bytes + at);
        if (!read(data, from, head->kind, head + 1, head->n_bytes, error))
            return false;
        at += sizeof *head + head->n_bytes;
    }
    return true;
}

static void send_open_batches(XtfWorldStream *stream)
{
    for (unsigned i = 0; i < xtf_world_size(stream->world); i++)
        if (stream->batches[i])
            send_batch(stream, i);
}

bool xtf_world_stream_end(XtfWorldStream *stream, XtfWorldRead read, void *data, GError **error)
{
    XtfWorld *world = stream->world;
    unsigned from;

    send_open_batches(stream);
    while (!xtf_world_are_done(world)) {
        g_autoptr(GBytes) batch = xtf_world_receive(world, &from);
        if (xtf_world_were_warned(world))
            return false;
        if (!batch) {
            xtf_world_wait(world);
        } else if (!read_items(batch, from, read, data, error)) {
            xtf_world_warn(world);
            return false;
        }
    }
    return true;
}

/* ---- Turns. */

/* The kind of the last item of a turn. */
static const uint32_t TURN_ENDS = UINT32_MAX;

/* Waits for the next batch. NULL: a rank has failed. The caller unrefs it. */
static GBytes *wait_for_batch(XtfWorld *world, unsigned *from)
{
    while (!xtf_world_were_warned(world)) {
        GBytes *batch = xtf_world_receive(world, from);
        if (batch)
            return batch;
        xtf_world_wait(world);
    }
    return NULL;
}

/* The reading of a turn. */
typedef struct {
    XtfWorldRead read;
    void *data;
    GError **problem; /* of a shared item that could not be read */
    bool has_ended;
} Turn;

static bool read_of_turn(void *data, unsigned from, uint32_t kind, const void *bytes, uint32_t n_bytes, GError **error)
{
    Turn *turn = data;

    turn->has_ended = kind == TURN_ENDS;
    return turn->has_ended || turn->read(turn->data, from, kind, bytes, n_bytes, error);
}

/* Gives each rank its turn. */
static bool read_turns(XtfWorld *world, XtfWorldRead read, void *data, GError **error)
{
    const uint64_t go = 0;
    unsigned from;

    for (unsigned rank = 1; rank < xtf_world_size(world); rank++) {
        Turn turn = {.read = read, .data = data};
        xtf_world_send(world, rank, &go, sizeof go);
        while (!turn.has_ended) {
            g_autoptr(GBytes) batch = wait_for_batch(world, &from);
            if (!batch || !read_items(batch, from, read_of_turn, &turn, error))
                return false;
        }
    }
    return true;
}

/* Waits for the turn of this rank, and sends its items. */
static bool send_in_turn(XtfWorld *world, XtfWorldPut put, void *data, GError **error)
{
    g_autoptr(XtfWorldStream) stream = xtf_world_stream_new(world);
    unsigned from;
    g_autoptr(GBytes) go = wait_for_batch(world, &from);

    if (!go || !put(data, stream, error))
        return false;
    xtf_world_stream_put(stream, 0, TURN_ENDS, 0);
    send_open_batches(stream);
    return true;
}

bool xtf_world_take_turns(XtfWorld *world, XtfWorldPut put, XtfWorldRead read, void *data, GError **error)
{
    GError *own = NULL;

    if (xtf_world_rank(world) == 0)
        read_turns(world, read, data, &own);
    else
        send_in_turn(world, put, data, &own);
    return xtf_world_have_succeeded(world, own, error);
}

/* ---- From rank 0 to all. */

/* Ends the items also if `put` has failed, as all ranks wait for the end. */
static void put_shared(XtfWorld *world, XtfWorldPut put, void *data, GError **error)
{
    g_autoptr(XtfWorldStream) stream = xtf_world_stream_new(world);

    stream->is_shared = true;
    put(data, stream, error);
    xtf_world_stream_put(stream, 0, TURN_ENDS, 0);
    g_bytes_unref(share_batch(world, g_steal_pointer(&stream->batches[0])));
}

/* Reads an item, unless an earlier one has failed. */
static bool read_if_good(void *data, unsigned from, uint32_t kind, const void *bytes, uint32_t n_bytes, GError **error)
{
    Turn *turn = data;

    turn->has_ended = kind == TURN_ENDS;
    if (!turn->has_ended && !*turn->problem)
        turn->read(turn->data, from, kind, bytes, n_bytes, turn->problem);
    return true;
}

/* Takes all batches, also after an error: the other ranks wait for this one. */
static void read_shared(XtfWorld *world, XtfWorldRead read, void *data, GError **error)
{
    Turn turn = {.read = read, .data = data, .problem = error};

    while (!turn.has_ended) {
        g_autoptr(GBytes) batch = share_batch(world, NULL);
        read_items(batch, 0, read_if_good, &turn, error);
    }
}

bool xtf_world_share(XtfWorld *world, XtfWorldPut put, XtfWorldRead read, void *data, GError **error)
{
    GError *own = NULL;

    if (xtf_world_rank(world) == 0)
        put_shared(world, put, data, &own);
    else
        read_shared(world, read, data, &own);
    return xtf_world_have_succeeded(world, own, error);
}
