/* Passes each record to its decoder. */
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

/* Switches the ring to the records of another thread. */
static bool decode_owner(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    ring->collector->counts.framing++;
    return xtf_collect_ring_end(ring) &&
           xtf_collect_ring_begin(ring, time, head.arg, (int32_t)more[0], head.region != 0);
}

static bool skip_record(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    if (head.kind == XTF_WIRE_NOTHING)
        return xtf_collect_malformed(ring, "it was never written");
    if (head.kind >= XTF_WIRE_N_KINDS)
        return xtf_collect_malformed(ring, "kind %u does not exist", (unsigned)head.kind);
    ring->collector->counts.unknown_kinds[head.kind]++;
    return true;
}

/* Calls the decoder of a definition. `data` is the whole definition. */
static bool decode_definition(XtfCollectRing *ring, XtfDefinition type, uint64_t id, const uint8_t *data, size_t size)
{
    XtfCollectDefine definer = ring->collector->definitions[type];

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
    pieces->type = head.region;
    pieces->id = id;
    pieces->size = size;
    return true;
}

static bool end_pieces(XtfCollectRing *ring)
{
    XtfCollectPieces *pieces = &ring->pieces;
    bool good = decode_definition(ring, pieces->type, pieces->id, pieces->data->data, pieces->data->len);

    pieces->size = 0;
    if (pieces->data->len > 4096) /* long definitions are rare */
        g_clear_pointer(&pieces->data, g_byte_array_unref);
    return good;
}

/* Decodes a definition, or a piece of one. Its bytes follow two words. */
static bool decode_define(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    XtfCollectPieces *pieces = &ring->pieces;
    uint32_t offset = xtf_collect_low(more[1]), size = xtf_collect_high(more[1]);
    const uint8_t *data = (const uint8_t *)(more + 2);

    ring->collector->counts.framing++;
    if (head.region >= XTF_N_DEFINITIONS)
        return xtf_collect_malformed(ring, "definition %u does not exist", (unsigned)head.region);
    if (head.arg > size || offset > size - head.arg)
        return xtf_collect_malformed(ring, "bytes from %" PRIu32 " to %" PRIu64 " of a definition of %" PRIu32, offset,
                                     (uint64_t)offset + head.arg, size);
    if (head.arg == size)
        return decode_definition(ring, head.region, more[0], data, size);
    if (offset == 0 && !begin_pieces(ring, head, more[0], size))
        return false;
    if (pieces->size != size || pieces->type != head.region || pieces->id != more[0] || pieces->data->len != offset)
        return xtf_collect_malformed(ring, "a piece of a definition does not follow the one before it");
    g_byte_array_append(pieces->data, data, head.arg);
    return pieces->data->len < size || end_pieces(ring);
}

static const XtfCollectKind kinds[] = {{XTF_WIRE_OWNER, decode_owner}, {XTF_WIRE_DEFINE, decode_define}, {0}};
const XtfCollectRows xtf_collect_framing = {.kinds = kinds};

/* Returns the number of a record's words, at least 2; 0 if the record is malformed. */
static unsigned record_words(XtfCollectRing *ring, XtfWireHead head)
{
    if (head.kind == XTF_WIRE_DEFINE) {
        if (head.arg <= 8 * (XTF_WIRE_WORDS_MAX - 4))
            return 4 + (head.arg + 7) / 8;
        xtf_collect_malformed(ring, "a piece of %" PRIu32 " bytes is longer than a record", head.arg);
        return 0;
    }
    return G_LIKELY(head.kind < XTF_WIRE_N_KINDS) ? kind_words[head.kind] : 2;
}

/* Reads the head of the record at `data`, where `size` bytes are left. Returns the record's words; 0 if it is
 * malformed. */
static unsigned read_head(XtfCollectRing *ring, const uint8_t *data, size_t size, XtfWireHead *head)
{
    if (size < sizeof *head) {
        xtf_collect_malformed(ring, "%zu bytes are too few for a record", size);
        return 0;
    }
    memcpy(head, data, sizeof *head);
    unsigned words = record_words(ring, *head);
    if (8 * words <= size)
        return words;
    xtf_collect_malformed(ring, "%s extends beyond the published bytes", kind_name(*head));
    return 0;
}

/* True if the record has a thread, or needs none: definitions are per process. */
static bool has_owner(XtfCollectRing *ring, XtfWireHead head)
{
    if (G_LIKELY(ring->open) || head.kind == XTF_WIRE_OWNER || head.kind == XTF_WIRE_DEFINE)
        return true;
    return xtf_collect_malformed(ring, "%s has no thread: OWNER must be the first record of a ring", kind_name(head));
}

/* Appends the operation that the last call began, unless this record is FAILED. WAITED may precede any record, so after
 * it FAILED may still follow: the operation stays. */
static bool append_begun_operation(XtfCollectRing *ring, XtfWireHead head)
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
        unsigned words = read_head(ring, data + at, size - at, &head);
        XtfCollectDecode decode = decoders[head.kind] ? decoders[head.kind] : skip_record;
        good = words > 0 && has_owner(ring, head) && append_begun_operation(ring, head) &&
               decode(ring, xtf_collect_clock_ns(&clock, head.time), head, (const uint64_t *)(data + at + sizeof head));
        at += good ? 8 * words : 0;
        ring->events += good;
    }
    ring->position = begin + at;
    *taken = at;
    return good;
}

/* True if the decoder of the record's kind counts it as framing. */
static bool is_framing(XtfWireHead head)
{
    return head.kind == XTF_WIRE_OWNER || head.kind == XTF_WIRE_DEFINE || head.kind == XTF_WIRE_MEASUREMENT ||
           head.kind == XTF_WIRE_WAITED || head.kind == XTF_WIRE_DROPPED || head.kind == XTF_WIRE_BRAKED ||
           head.kind == XTF_WIRE_ATTRIBUTE;
}

uint64_t xtf_collect_count(const uint8_t *data, size_t size)
{
    XtfCollectRing ring = {0};
    XtfWireHead head;
    uint64_t n = 0;
    unsigned words;

    for (size_t at = 0; at < size; at += 8 * words) {
        if ((words = read_head(&ring, data + at, size - at, &head)) == 0)
            break;
        n += !is_framing(head);
    }
    g_free(ring.fault);
    return n;
}
