/*
 * The open leaf of an array being written: rows side by side, until there are as many as fill a page.
 *
 * How many packed rows fill a page nobody knows before they are packed. So the leaf grows to a guess, made from what
 * the rows of the page before took, and is packed then. Mostly the guess is good. If the rows take more than the page,
 * fewer are packed, and those that are left stay for the next leaf; if they take much less, the leaf waits for more.
 */
#pragma once

#include "libxtf/pack/codec.h"
#include "libxtf/schema.h"

typedef struct {
    const XtfSchema *schema;
    uint8_t *rows;     /* NULL: there were none yet */
    uint8_t *next;     /* where the next row goes... */
    uint8_t *end;      /* ...unless it is here: then xtf_leaf_writer_grow(), or first _pack() */
    uint32_t allotted; /* bytes */
    uint32_t target;   /* rows, of which there are never more: then it is time to pack */
    uint32_t room;     /* bytes, of a page's payload */
    uint8_t codec;     /* XtfCodec */
    uint8_t level;     /* of packing */
} XtfLeafWriter;

void xtf_leaf_writer_init(XtfLeafWriter *leaf, const XtfSchema *schema, XtfCodec codec, unsigned level, uint32_t room);
void xtf_leaf_writer_finish(XtfLeafWriter *leaf); /* frees the rows; appending to it runs into `end` */

static inline uint32_t xtf_leaf_writer_count(const XtfLeafWriter *leaf)
{
    return (uint32_t)(leaf->next - leaf->rows) / leaf->schema->row_size;
}

/* Makes room for one row at least, `target` not being reached. */
void xtf_leaf_writer_grow(XtfLeafWriter *leaf);

/* Once `target` is reached: puts as many rows as fill a page, at most `room` bytes, into `payload`. The number of rows,
 * *length bytes being what they take; 0 if all of them do not fill it, and there may be more: `target` is greater then.
 * The rows stay until xtf_leaf_writer_drop(). */
uint32_t xtf_leaf_writer_pack(XtfLeafWriter *leaf, uint8_t *payload, uint32_t *length);

/* The first rows are sealed: they go, and the others move up. */
void xtf_leaf_writer_drop(XtfLeafWriter *leaf, uint32_t count);

/* Appends all rows, packed; that may be more than a page has room for. The number of bytes. */
uint32_t xtf_leaf_writer_pack_open(const XtfLeafWriter *leaf, GByteArray *bytes);

/* Takes over the rows of a leaf that another writer left open, which took so many bytes packed. */
void xtf_leaf_writer_resume(XtfLeafWriter *leaf, const uint8_t *rows, uint32_t count, uint32_t length);
