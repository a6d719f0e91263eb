#include "libxtf/pack/read-streams.h"

#include "libxtf/pack/deflate.h"

bool xtf_pack_fail(XtfPackReader *reader, const char *fault)
{
    if (!reader->fault)
        reader->fault = fault;
    return false;
}

uint64_t xtf_read_varint(XtfPackReader *reader)
{
    uint64_t value = 0;

    for (unsigned shift = 0; shift < 64 && reader->at < reader->end; shift += 7) {
        uint8_t byte = *reader->at++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return shift < 63 || byte <= 1 ? value : (xtf_pack_fail(reader, "it has a number of more than 64 bits"), 0);
    }
    xtf_pack_fail(reader, "it has a number that does not end");
    return 0;
}

uint8_t xtf_read_byte(XtfPackReader *reader)
{
    if (reader->at < reader->end)
        return *reader->at++;
    xtf_pack_fail(reader, "it is cut short");
    return 0;
}

typedef struct {
    uint64_t length, stored; /* inflated bytes, packed bytes */
    unsigned kind;
} StreamHead;

static bool read_stream_head(XtfPackReader *reader, uint64_t least, uint64_t most, StreamHead *head)
{
    uint64_t code = xtf_read_varint(reader), n = code >> 2;
    unsigned kind = code & 3;
    uint64_t stored = kind == XTF_STREAM_DEFLATED ? xtf_read_varint(reader) : kind == XTF_STREAM_REPEATED ? 1 : n;

    if (!reader->fault && kind > XTF_STREAM_REPEATED)
        xtf_pack_fail(reader, "a stream of it has an unknown kind");
    if (!reader->fault && (n < least || n > most))
        xtf_pack_fail(reader, "a stream of it has a wrong length");
    if (!reader->fault && (stored > (uint64_t)(reader->end - reader->at) ||
                           (kind == XTF_STREAM_DEFLATED && n / XTF_DEFLATE_RATIO_MAX > stored)))
        xtf_pack_fail(reader, "a stream of it is cut short");
    *head = (StreamHead){.length = n, .stored = stored, .kind = kind};
    return !reader->fault;
}

bool xtf_skip_stream(XtfPackReader *reader)
{
    StreamHead head;

    if (!read_stream_head(reader, 0, UINT64_MAX, &head))
        return false;
    reader->at += head.stored;
    return true;
}

/* Sets the bytes of a stream, behind its head. */
static bool read_stream_bytes(XtfPackReader *reader, const StreamHead *head, const uint8_t *from, uint8_t *to)
{
    if (head->kind == XTF_STREAM_STORED)
        memcpy(to, from, head->length);
    else if (head->kind == XTF_STREAM_REPEATED)
        memset(to, *from, head->length);
    else if (!xtf_deflate->inflate(from, head->stored, to, head->length))
        return xtf_pack_fail(reader, "a stream of it does not inflate");
    return true;
}

const uint8_t *xtf_read_stream(XtfPackReader *reader, XtfScratchUse use, uint64_t least, uint64_t most, size_t *length)
{
    StreamHead head;

    if (!read_stream_head(reader, least, most, &head))
        return NULL;
    const uint8_t *from = reader->at;
    reader->at += head.stored;
    if (head.kind == XTF_STREAM_STORED && reader->end - reader->at >= XTF_READABLE_AFTER) {
        *length = (size_t)head.length;
        return from;
    }
    uint8_t *to = xtf_scratch(use, head.length + XTF_READABLE_AFTER);
    if (!read_stream_bytes(reader, &head, from, to))
        return NULL;
    memset(to + head.length, 0, XTF_READABLE_AFTER);
    *length = (size_t)head.length;
    return to;
}

bool xtf_read_stream_to(XtfPackReader *reader, uint8_t *to, size_t length, bool *repeats)
{
    StreamHead head;

    if (!read_stream_head(reader, length, length, &head))
        return false;
    const uint8_t *from = reader->at;
    reader->at += head.stored;
    *repeats = head.kind == XTF_STREAM_REPEATED;
    if (*repeats)
        to[0] = *from;
    return *repeats || read_stream_bytes(reader, &head, from, to);
}

const XtfHeads *xtf_heads(void)
{
    static XtfHeads heads;
    static gsize initialized;

    if (g_once_init_enter(&initialized)) {
        for (unsigned i = 0; i < XTF_HEAD_CLASSES; i++) {
            const XtfHeadClass *c = &xtf_head_classes[i];
            unsigned next = i + 1 < XTF_HEAD_CLASSES ? c[1].head : 256;
            for (unsigned head = c->head; head < next; head++) {
                heads.base[head] = c->base + ((uint64_t)(head - c->head) << 8 * (c->tail % XTF_TAIL_MAX));
                heads.mask[head] = c->tail > 0 ? UINT64_MAX >> (64 - 8 * c->tail) : 0;
                heads.tail[head] = c->tail;
            }
        }
        g_once_init_leave(&initialized, 1);
    }
    return &heads;
}

typedef uint8_t Bytes __attribute__((vector_size(16))); /* heads, or a counter for each */

/* Returns the bytes of tails of `count` heads. Each comparison is -1 in the bytes where it holds. So each class adds
 * what its tails are longer than the tails of the class before. */
static size_t count_tails(const XtfHeads *table, const uint8_t *heads, uint32_t count)
{
    enum { ROUNDS = UINT8_MAX / XTF_TAIL_MAX }; /* after which a sum may overflow */
    size_t tails = 0;
    uint32_t n = 0;

    while (count - n >= sizeof(Bytes)) {
        Bytes sums = {0}, head;
        for (uint32_t round = 0; round < ROUNDS && count - n >= sizeof head; round++, n += (uint32_t)sizeof head) {
            memcpy(&head, heads + n, sizeof head);
            sums -= (Bytes)(head >= 192) + (Bytes)(head >= 240) + (Bytes)(head >= 248) + (Bytes)(head >= 252) +
                    (Bytes)(head >= 253) + (Bytes)(head >= 254) + 2 * (Bytes)(head == 255);
        }
        for (unsigned i = 0; i < sizeof sums; i++)
            tails += sums[i];
    }
    for (; n < count; n++)
        tails += table->tail[heads[n]];
    return tails;
}

bool xtf_read_numbers(XtfPackReader *reader, uint32_t count, XtfNumberReader *numbers, size_t *tails)
{
    const XtfHeads *heads = xtf_heads();
    size_t length;
    const uint8_t *head = xtf_read_stream(reader, XTF_SCRATCH_STREAM, count, count, &length);

    if (!head)
        return false;
    size_t needed = count_tails(heads, head, count);
    const uint8_t *tail = xtf_read_stream(reader, XTF_SCRATCH_TAILS, needed, needed, &length);
    *numbers = (XtfNumberReader){heads, head, tail};
    if (tails)
        *tails = needed;
    return tail != NULL;
}
