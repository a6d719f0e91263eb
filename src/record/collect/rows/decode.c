/* Records, one by one, to their decoders. */
#include <string.h>

#include "src/record/collect/rows/collect.h"

#define KIND_NAME(NAME, words)  #NAME,
#define KIND_WORDS(NAME, words) words,
static const char *const kind_names[] = {XTF_WIRE_KINDS(KIND_NAME)};
static const uint8_t kind_words[] = {XTF_WIRE_KINDS(KIND_WORDS)};

static const char *kind_name(XtfWireHead head)
{
    return head.kind < XTF_WIRE_N_KINDS ? kind_names[head.kind] : "a record";
}

/* Other records of the ring: of another thread. */
static bool decode_owner(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    ring->collector->counts.framing++;
    return xtf_collect_ring_end(ring) &&
           xtf_collect_ring_begin(ring, time, head.arg, (int32_t)more[0], head.region != 0);
}

static bool pass_over(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    if (head.kind == XTF_WIRE_NOTHING)
        return xtf_collect_malformed(ring, "it was never written");
    if (head.kind >= XTF_WIRE_N_KINDS)
        return xtf_collect_malformed(ring, "kind %u is none", (unsigned)head.kind);
    ring->collector->counts.unknown_kinds[head.kind]++;
    return true;
}

/* The last piece of a definition has come: `data` is all of it. */
static bool define(XtfCollectRing *ring, XtfDefinition what, uint64_t id, const uint8_t *data, size_t size)
{
    XtfCollectDefine definer = ring->collector->definitions[what];

    return !definer || definer(ring, id, data, size);
}

static bool begin_pieces(XtfCollectRing *ring, XtfWireHead head, uint64_t id, uint32_t size)
{
    XtfCollectPieces *pieces = &ring->pieces;

    if (size > XTF_COLLECT_DEFINITION_MAX)
        return xtf_collect_malformed(ring, "a definition of %" PRIu32 " bytes is too long", size);
    if (!pieces->data)
        pieces->data = g_byte_array_new();
    g_byte_array_set_size(pieces->data, 0);
    pieces->what = head.region;
    pieces->id = id;
    pieces->size = size;
    return true;
}

static bool end_pieces(XtfCollectRing *ring)
{
    XtfCollectPieces *pieces = &ring->pieces;
    bool good = define(ring, pieces->what, pieces->id, pieces->data->data, pieces->data->len);

    pieces->size = 0;
    if (pieces->data->len > 4096) /* few are long */
        g_clear_pointer(&pieces->data, g_byte_array_unref);
    return good;
}

/* The definition or a piece of it: its bytes are behind two words. */
static bool decode_define(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    XtfCollectPieces *pieces = &ring->pieces;
    uint32_t offset = xtf_collect_low(more[1]), size = xtf_collect_high(more[1]);
    const uint8_t *data = (const uint8_t *)(more + 2);

    ring->collector->counts.framing++;
    if (head.region >= XTF_N_DEFINITIONS)
        return xtf_collect_malformed(ring, "definition %u is none", (unsigned)head.region);
    if (head.arg > size || offset > size - head.arg)
        return xtf_collect_malformed(ring, "bytes from %" PRIu32 " to %" PRIu64 " of a definition of %" PRIu32, offset,
                                     (uint64_t)offset + head.arg, size);
    if (head.arg == size)
        return define(ring, head.region, more[0], data, size);
    if (offset == 0 && !begin_pieces(ring, head, more[0], size))
        return false;
    if (pieces->size != size || pieces->what != head.region || pieces->id != more[0] || pieces->data->len != offset)
        return xtf_collect_malformed(ring, "a piece of a definition does not follow the one before it");
    g_byte_array_append(pieces->data, data, head.arg);
    return pieces->data->len < size || end_pieces(ring);
}

static const XtfCollectKind kinds[] = {{XTF_WIRE_OWNER, decode_owner}, {XTF_WIRE_DEFINE, decode_define}, {0}};
const XtfCollectRows xtf_collect_framing = {.kinds = kinds};

/* The words of a record, by its first two; 0: it is malformed. At least 2. */
static unsigned words_of(XtfCollectRing *ring, XtfWireHead head)
{
    if (head.kind == XTF_WIRE_DEFINE) {
        if (head.arg <= 8 * (XTF_WIRE_WORDS_MAX - 4))
            return 4 + (head.arg + 7) / 8;
        xtf_collect_malformed(ring, "a piece of %" PRIu32 " bytes is longer than a record", head.arg);
        return 0;
    }
    return G_LIKELY(head.kind < XTF_WIRE_N_KINDS) ? kind_words[head.kind] : 2;
}

/* The record at `data`, of which `size` bytes are there; its words, 0: it is malformed. */
static unsigned see_record(XtfCollectRing *ring, const uint8_t *data, size_t size, XtfWireHead *head)
{
    if (size < sizeof *head) {
        xtf_collect_malformed(ring, "%zu bytes are no record", size);
        return 0;
    }
    memcpy(head, data, sizeof *head);
    unsigned words = words_of(ring, *head);
    if (8 * words <= size)
        return words;
    xtf_collect_malformed(ring, "%s ends behind what was published", kind_name(*head));
    return 0;
}

/* Definitions belong to the process. */
static bool has_owner(XtfCollectRing *ring, XtfWireHead head)
{
    if (G_LIKELY(ring->open) || head.kind == XTF_WIRE_OWNER || head.kind == XTF_WIRE_DEFINE)
        return true;
    return xtf_collect_malformed(ring, "%s is of no thread: OWNER is the first record of a ring", kind_name(head));
}

/* The next record does not take back what has begun. The one behind WAITED may: WAITED is written in front of any. */
static bool settle(XtfCollectRing *ring, XtfWireHead head)
{
    if (G_LIKELY(ring->begun.kind == XTF_WIRE_NOTHING) || head.kind == XTF_WIRE_FAILED)
        return true;
    bool good = xtf_collect_append_begun(ring);
    if (head.kind != XTF_WIRE_WAITED)
        ring->begun.kind = XTF_WIRE_NOTHING;
    return good;
}

bool xtf_collect_decode(XtfCollectRing *ring, const uint8_t *data, size_t size, size_t limit, size_t *taken)
{
    const XtfCollectDecode *decoders = ring->collector->kinds;
    const XtfCollectClock clock = ring->collector->clock;
    uint64_t begin = ring->position;
    bool good = true;
    size_t at = 0;

    while (good && at < limit) {
        XtfWireHead head = {0};
        ring->position = begin + at;
        unsigned words = see_record(ring, data + at, size - at, &head);
        XtfCollectDecode decode = decoders[head.kind] ? decoders[head.kind] : pass_over;
        good = words > 0 && has_owner(ring, head) && settle(ring, head) &&
               decode(ring, xtf_collect_clock_ns(&clock, head.time), head, (const uint64_t *)(data + at + sizeof head));
        at += good ? 8 * words : 0;
        ring->events += good;
    }
    ring->position = begin + at;
    *taken = at;
    return good;
}

/* Those whose decoders count themselves as framing. */
static bool is_framing(XtfWireHead head)
{
    return head.kind == XTF_WIRE_OWNER || head.kind == XTF_WIRE_DEFINE || head.kind == XTF_WIRE_MEASUREMENT ||
           head.kind == XTF_WIRE_WAITED || head.kind == XTF_WIRE_DROPPED || head.kind == XTF_WIRE_BRAKED;
}

uint64_t xtf_collect_count(const uint8_t *data, size_t size)
{
    XtfCollectRing ring = {0};
    XtfWireHead head;
    uint64_t n = 0;
    unsigned words;

    for (size_t at = 0; at < size; at += 8 * words) {
        if ((words = see_record(&ring, data + at, size - at, &head)) == 0)
            break;
        n += !is_framing(head);
    }
    g_free(ring.fault);
    return n;
}
