/*
 * The format of packed rows, and the scratch memory of a thread; used by packing and unpacking.
 *
 * Packed rows are a sequence of streams. Each stream is separately deflated, stored, or one byte repeated:
 *
 *     the times, differences from row to row: heads and tails
 *     the templates, and the number of each row's template (left out if the schema has no field but the time)
 *     for each field with its own column, in the order of the schema: heads and tails, or planes
 *
 * Heads and tails. A number is a head of one byte, and a tail, whose length the head gives. Heads are in one stream and
 * tails in another. Deflate shrinks heads; tails, the low bits, are mostly noise and are then stored. The unpacker
 * knows the position of each tail from the heads alone, without waiting for the previous tail.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libxtf/base/le.h"
#include "libxtf/field-load.h"

/* The kinds of streams. A stream begins with a varint: its length times four plus its kind. */
typedef enum {
    XTF_STREAM_STORED = 0,
    XTF_STREAM_DEFLATED = 1, /* followed by a varint, the deflated length */
    XTF_STREAM_REPEATED = 2, /* followed by one byte: every byte of the stream */
} XtfStreamKind;

/* The storage of a field's values. */
typedef enum {
    XTF_PACK_VALUE = 0,    /* the templates hold the values */
    XTF_PACK_STEP = 1,     /* differences from the previous row in templates */
    XTF_PACK_DISTANCE = 2, /* distances, or the mark CHAINED, in templates */
    XTF_PACK_COLUMN = 3,   /* a column of values */
    XTF_PACK_STEPS = 4,    /* a column of differences from the previous row */
    XTF_PACK_PLANES = 5,   /* a column of first bytes, one of second bytes, and so on */
} XtfPackMode;

/*
 * CHAINED distances. The row refers to the row that the previous row's target refers to. In arrays of nested frames
 * each row either refers to the previous row or is chained. A frame that begins or ends right after another frame has
 * ended lies in that frame's outer frame. A distance that grows with each iteration of a loop therefore takes one
 * template, and not one for each iteration.
 */

enum {
    XTF_PACK_TEMPLATES_MAX = 256,            /* a template's number is one byte */
    XTF_VARINT_MAX = 10,                     /* most bytes of a varint */
    XTF_STREAM_HEAD_MAX = 10,                /* bytes of a stream's head: two varints of 32-bit lengths */
    XTF_TAIL_MAX = 8,                        /* most bytes of a number's tail */
    XTF_READABLE_AFTER = 16,                 /* readable bytes behind a stream that was read */
    XTF_PACK_FIELD_MAX = 1 + XTF_VARINT_MAX, /* most bytes of a field's mode, or of its value in a template */
    /* In a template: the byte of a distance that is CHAINED; any other distance follows a byte 0. */
    XTF_PACK_CHAINED = 1,
};

/* A field, prepared for loops over rows. */
typedef struct {
    const XtfField *field;
    XtfFieldLoad load;
    uint64_t mask; /* bits of the field */
    bool wide;     /* more than 8 bytes, only for an unknown type: load and mask are unused */
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

/* Returns small unsigned numbers for signed numbers near 0: 0, -1, 1, -2... `shift` is 64 less the number of bits of a
 * number, which is interpreted as signed. */
static inline uint64_t xtf_zigzag(uint64_t value, unsigned shift)
{
    int64_t number = (int64_t)(value << shift) >> shift;
    return (uint64_t)number << 1 ^ (uint64_t)(number >> 63);
}

static inline uint64_t xtf_unzigzag(uint64_t code)
{
    return code >> 1 ^ -(code & 1);
}

/* Writes a varint: seven bits per byte, lowest first; the top bit of each byte but the last is set. */
static inline uint8_t *xtf_put_varint(uint8_t *at, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *at++ = (uint8_t)(value | 0x80);
    *at++ = (uint8_t)value;
    return at;
}

/*
 * The classes of heads. A head `head` + k means the number `base` + k * 256^tail + the value of its tail.
 */
typedef struct {
    uint64_t base;
    uint16_t head; /* first head of the class */
    uint8_t tail;  /* bytes of each number's tail */
} XtfHeadClass;

enum { XTF_HEAD_CLASSES = 8, XTF_HEAD_CLASSES_SMALL = 4 };

static const XtfHeadClass xtf_head_classes[XTF_HEAD_CLASSES] = {
    {0, 0, 0},        /* heads 0 to 191 */
    {192, 192, 1},    /* heads 192 to 239 */
    {12480, 240, 2},  /* heads 240 to 247 */
    {536768, 248, 3}, /* heads 248 to 251 */
    {67645632, 252, 4}, {0, 253, 5}, {0, 254, 6}, {0, 255, 8},
};

/* The positions where numbers are written. Each number needs space for a head and 8 bytes of tail. */
typedef struct {
    uint8_t *head, *tail;
} XtfNumberWriter;

static inline void xtf_put_number(XtfNumberWriter *writer, uint64_t value)
{
    const XtfHeadClass *c = xtf_head_classes;

    if (G_LIKELY(value < xtf_head_classes[4].base)) /* no branches, because the class is hard to predict */
        c += (value >= c[1].base) + (value >= c[2].base) + (value >= c[3].base);
    else
        c += value < c[4].base + (UINT64_C(1) << 32) ? 4 : value >> 40 == 0 ? 5 : value >> 48 == 0 ? 6 : 7;
    uint64_t offset = value - c->base;
    *writer->head++ = (uint8_t)(c->head + (c->tail < 4 ? offset >> 8 * c->tail : 0));
    xtf_store64(writer->tail, offset);
    writer->tail += c->tail;
}

/* Scratch memory of a thread, by purpose. xtf_scratch_done() frees large blocks. */
typedef enum {
    XTF_SCRATCH_STREAM, /* a stream that is being written or read */
    XTF_SCRATCH_TAILS,
    XTF_SCRATCH_VECTORS,
    XTF_SCRATCH_PACKED,
    XTF_SCRATCH_PLANES,
    XTF_SCRATCH_N,
} XtfScratchUse;

uint8_t *xtf_scratch(XtfScratchUse use, size_t size);
void xtf_scratch_done(void);
