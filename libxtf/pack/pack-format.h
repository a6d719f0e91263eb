/*
 * Shared by packing and unpacking: the format of packed rows, and the scratch memory of a thread.
 *
 * Packed rows are a sequence of streams. Each stream is deflated by itself, stored, or one byte repeated:
 *
 *     the times, differences from row to row: heads and tails
 *     the templates, and the number of each row's template (left out if the schema has no field but the time)
 *     for each field with a column of its own, in the order of the schema: heads and tails, or planes
 *
 * Heads and tails. A number is a head, one byte, and a tail, whose length the head gives. Heads lie in one stream and
 * tails in another: deflate can shrink heads, while tails, the low bits, are mostly noise and then stored. The unpacker
 * knows the position of each tail from the heads alone, without waiting for the tail before.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libxtf/base/le.h"
#include "libxtf/field-load.h"

/* A stream begins with a varint, its length times four plus one of these. */
typedef enum {
    XTF_STREAM_STORED = 0,
    XTF_STREAM_DEFLATED = 1, /* a varint follows, the deflated length */
    XTF_STREAM_REPEATED = 2, /* one byte follows: every byte of the stream */
} XtfStreamKind;

/* Where a field's values are stored, and how. */
typedef enum {
    XTF_PACK_VALUE = 0,    /* templates hold them */
    XTF_PACK_STEP = 1,     /* templates hold the difference to the row before */
    XTF_PACK_DISTANCE = 2, /* templates hold the distance, or the mark CHAINED */
    XTF_PACK_COLUMN = 3,   /* a column of values */
    XTF_PACK_STEPS = 4,    /* a column of differences to the row before */
    XTF_PACK_PLANES = 5,   /* a column of first bytes, one of second bytes, and so on */
} XtfPackMode;

/*
 * CHAINED: the row before leads to some row; go where that one leads. In arrays of nested frames each row either leads
 * to the row before or is chained: a frame that begins or ends right after another frame has ended lies in the frame
 * around that one. So a distance that grows with each turn of a loop takes one template, not one a turn.
 */

enum {
    XTF_PACK_TEMPLATES_MAX = 256,            /* their numbers are bytes */
    XTF_VARINT_MAX = 10,                     /* bytes */
    XTF_STREAM_HEAD_MAX = 10,                /* bytes: two varints of 32-bit lengths */
    XTF_TAIL_MAX = 8,                        /* bytes */
    XTF_PACK_FIELD_MAX = 1 + XTF_VARINT_MAX, /* bytes of a field's mode, or of its entry in a template */
    XTF_PACK_CHAINED = 1,                    /* the byte before a distance is this, and no distance follows; else 0 */
};

/* A field, made ready for loops over rows. */
typedef struct {
    const XtfField *field;
    XtfFieldLoad load;
    uint64_t mask; /* as many bits as the field has */
    bool wide;     /* of more than 8 bytes, as only a type that is not known is: there is no load and no mask */
    XtfPackMode mode;
} XtfPackField;

static inline XtfPackField xtf_pack_field(const XtfField *field)
{
    if (field->width > sizeof(uint64_t))
        return (XtfPackField){.field = field, .wide = true};
    XtfFieldLoad load = xtf_field_load(field);
    return (XtfPackField){.field = field, .load = load, .mask = UINT64_MAX >> load.shift};
}

static inline uint64_t xtf_pack_get(const XtfPackField *field, const uint8_t *row)
{
    return xtf_load_bits(&field->load, row);
}

/* Signed numbers as small unsigned ones: 0, -1, 1, -2... Numbers of fewer bits are taken for signed ones of theirs. */
static inline uint64_t xtf_zigzag(uint64_t value, unsigned shift)
{
    int64_t number = (int64_t)(value << shift) >> shift;
    return (uint64_t)number << 1 ^ (uint64_t)(number >> 63);
}

static inline uint64_t xtf_unzigzag(uint64_t code)
{
    return code >> 1 ^ -(code & 1);
}

/* Seven bits a byte, the lowest first; the top bit of each but the last is set. */
static inline uint8_t *xtf_put_varint(uint8_t *at, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *at++ = (uint8_t)(value | 0x80);
    *at++ = (uint8_t)value;
    return at;
}

/*
 * The classes of heads. A head that is `head` plus k stands for `base` plus k * 256^tail plus the value of its tail.
 */
typedef struct {
    uint64_t base;
    uint16_t head; /* first of the class */
    uint8_t tail;  /* bytes */
} XtfHeadClass;

enum { XTF_HEAD_CLASSES = 8, XTF_HEAD_CLASSES_SMALL = 4 };

static const XtfHeadClass xtf_head_classes[XTF_HEAD_CLASSES] = {
    {0, 0, 0},        /* 192 heads */
    {192, 192, 1},    /* 48 */
    {12480, 240, 2},  /* 8 */
    {536768, 248, 3}, /* 4 */
    {67645632, 252, 4}, {0, 253, 5}, {0, 254, 6}, {0, 255, 8},
};

/* Where numbers are written. There is room for a head and 8 bytes of tail for each. */
typedef struct {
    uint8_t *head, *tail;
} XtfNumberWriter;

static inline void xtf_put_number(XtfNumberWriter *writer, uint64_t value)
{
    const XtfHeadClass *c = xtf_head_classes;

    if (G_LIKELY(value < xtf_head_classes[4].base)) /* without branches: the class is hard to predict */
        c += (value >= c[1].base) + (value >= c[2].base) + (value >= c[3].base);
    else
        c += value < c[4].base + (UINT64_C(1) << 32) ? 4 : value >> 40 == 0 ? 5 : value >> 48 == 0 ? 6 : 7;
    uint64_t above = value - c->base;
    *writer->head++ = (uint8_t)(c->head + (c->tail < 4 ? above >> 8 * c->tail : 0));
    xtf_store64(writer->tail, above);
    writer->tail += c->tail;
}

/* Scratch memory of a thread, by purpose. xtf_scratch_done() frees large blocks. */
typedef enum {
    XTF_SCRATCH_STREAM, /* a stream as it is written or read */
    XTF_SCRATCH_TAILS,
    XTF_SCRATCH_VECTORS,
    XTF_SCRATCH_PACKED,
    XTF_SCRATCH_N,
} XtfScratchUse;

uint8_t *xtf_scratch(XtfScratchUse use, size_t size);
void xtf_scratch_done(void);
