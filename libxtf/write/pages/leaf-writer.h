/*
 * The open leaf of an array being written: unpacked rows, until there are enough to fill a page.
 *
 * The number of packed rows that fill a page is known only after packing. So the leaf grows to a guessed number of
 * rows, and is then packed. The guess comes from the bytes of the rows of the previous page, and is mostly good. If the
 * rows take more than the page, fewer are packed, and the others stay for the next leaf. If they take much less, the
 * leaf waits for more rows.
 */
#pragma once

#include "libxtf/disk/codec.h"
#include "libxtf/schema.h"

typedef struct {
    const XtfSchema *schema;
    uint8_t *rows; /* NULL: no row was appended yet */
    uint8_t *next; /* where the next row goes, unless `next` equals `end` */
    /* End of the space for rows: once `next` is here, call xtf_leaf_writer_grow(), at `target` rows first
     * xtf_leaf_writer_pack(). */
    uint8_t *end;
    uint32_t allotted; /* allocated bytes of `rows` */
    uint32_t target;   /* number of rows at which to pack; there are never more */
    uint32_t room;     /* bytes of a page's payload */
    uint32_t most;     /* maximum rows of a leaf */
    XtfPackForecast forecast;
    uint8_t codec; /* XtfCodecId */
    uint8_t level; /* packing level */
} XtfLeafWriter;

void xtf_leaf_writer_init(XtfLeafWriter *leaf, const XtfSchema *schema, XtfCodecId codec, unsigned level,
                          uint32_t room);
void xtf_leaf_writer_finish(XtfLeafWriter *leaf); /* frees the rows; afterwards `next` equals `end` */

static inline uint32_t xtf_leaf_writer_count(const XtfLeafWriter *leaf)
{
    return (uint32_t)(leaf->next - leaf->rows) / leaf->schema->row_size;
}

/* Makes room for at least one row. The leaf must have fewer rows than `target`. */
void xtf_leaf_writer_grow(XtfLeafWriter *leaf);

/* Packs the rows that fill a page, at most `room` bytes, into `payload`; *length gets the packed bytes. The caller
 * calls it once `target` is reached. Returns the number of packed rows, or 0 if all rows together do not fill the page:
 * `target` is then greater. The rows stay until xtf_leaf_writer_drop(). */
uint32_t xtf_leaf_writer_pack(XtfLeafWriter *leaf, uint8_t *payload, uint32_t *length);

/* Drops the first `count` rows, which are sealed; moves the others up. */
void xtf_leaf_writer_drop(XtfLeafWriter *leaf, uint32_t count);

/* Packs all rows and appends them to `bytes`; they may take more than a page has room for. */
void xtf_leaf_writer_pack_open(const XtfLeafWriter *leaf, GByteArray *bytes);

/* Copies the rows of a leaf that another writer left open; packed they took `length` bytes. */
void xtf_leaf_writer_resume(XtfLeafWriter *leaf, const uint8_t *rows, uint32_t count, uint32_t length);
