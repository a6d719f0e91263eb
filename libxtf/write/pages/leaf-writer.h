/*
 * The open leaf of an array being written: rows side by side, until there are enough to fill a page.
 *
 * The number of packed rows that fill a page is known only once they are packed. So the leaf grows to a guess, made
 * from the bytes that the rows of the page before took, and is packed then. Mostly the guess is good. If the rows take
 * more than the page, fewer are packed, and the rest stays for the next leaf; if they take much less, the leaf waits
 * for more.
 */
#pragma once

#include "libxtf/disk/codec.h"
#include "libxtf/schema.h"

typedef struct {
    const XtfSchema *schema;
    uint8_t *rows;     /* NULL: there were none yet */
    uint8_t *next;     /* where the next row goes... */
    uint8_t *end;      /* ...unless it is here: then xtf_leaf_writer_grow(), or first _pack() */
    uint32_t allotted; /* bytes */
    uint32_t target;   /* rows at which it is time to pack; there are never more */
    uint32_t room;     /* bytes of a page's payload */
    uint32_t most;     /* rows of a leaf */
    XtfPackForecast forecast;
    uint8_t codec; /* XtfCodecId */
    uint8_t level; /* of packing */
} XtfLeafWriter;

void xtf_leaf_writer_init(XtfLeafWriter *leaf, const XtfSchema *schema, XtfCodecId codec, unsigned level,
                          uint32_t room);
void xtf_leaf_writer_finish(XtfLeafWriter *leaf); /* frees the rows; appending to it runs into `end` */

static inline uint32_t xtf_leaf_writer_count(const XtfLeafWriter *leaf)
{
    return (uint32_t)(leaf->next - leaf->rows) / leaf->schema->row_size;
}

/* Makes room for one row at least, `target` not being reached. */
void xtf_leaf_writer_grow(XtfLeafWriter *leaf);

/* Once `target` is reached: packs the rows that fill a page, at most `room` bytes, into `payload`; *length is the bytes
 * that they take. Returns their number, or 0 if all rows together do not fill the page and more may come: `target` is
 * greater then. The rows stay until xtf_leaf_writer_drop(). */
uint32_t xtf_leaf_writer_pack(XtfLeafWriter *leaf, uint8_t *payload, uint32_t *length);

/* Drops the first rows, which are sealed; the others move up. */
void xtf_leaf_writer_drop(XtfLeafWriter *leaf, uint32_t count);

/* Appends all rows, packed; they may take more than a page has room for. */
void xtf_leaf_writer_pack_open(const XtfLeafWriter *leaf, GByteArray *bytes);

/* Takes over the rows of a leaf that another writer left open; packed they took `length` bytes. */
void xtf_leaf_writer_resume(XtfLeafWriter *leaf, const uint8_t *rows, uint32_t count, uint32_t length);
