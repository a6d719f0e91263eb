/*
 * The sums of an array being written: totals of sealed children, level by level, and what of them is stored.
 *
 * Level 1 has the leaves as children. A child's totals are there once it is sealed. The page that a level's children
 * belong to is open until xtf_aggregate_writer_seal_index(). Rooms above call these in the order in which pages are
 * sealed: a leaf first, then, where that overfilled its parent, the parent, and so on.
 */
#pragma once

#include "libxtf/array.h"
#include "libxtf/disk/codec.h"
#include "libxtf/disk/format.h"

typedef struct XtfAggregateWriter XtfAggregateWriter;

/* NULL where the schema declares none. Borrows the schema. All else takes NULL for "none". */
XtfAggregateWriter *xtf_aggregate_writer_new(const XtfSchema *schema, XtfCodecId codec);
void xtf_aggregate_writer_free(XtfAggregateWriter *writer);

/* The next leaf is sealed, with just these rows. */
void xtf_aggregate_writer_seal_leaf(XtfAggregateWriter *writer, const uint8_t *rows, uint32_t count);

/* The open page of `level` (1 or more) is sealed, all its children being sealed: appends the payload of its companion
 * (format.h), and adds its own totals, as those of a child, to the level above. */
void xtf_aggregate_writer_seal_index(XtfAggregateWriter *writer, unsigned level, GByteArray *payload);

/* Appends the same for the open page of a level: of its sealed children, and the snapshot for the open one too. */
void xtf_aggregate_writer_pack_open(const XtfAggregateWriter *writer, unsigned level, GByteArray *payload);

/* Goes on where a stored array's right edge ends. */
bool xtf_aggregate_writer_resume(XtfAggregateWriter *writer, const XtfArray *stored, GError **error);
