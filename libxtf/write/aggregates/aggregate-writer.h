/*
 * The aggregates of an array being written: totals of sealed children, level by level, in memory and as stored.
 *
 * The children of level 1 are leaves. This writer has the totals of a child once it is sealed; each edge sums the
 * totals of open children anew. The parent of a level's children is open until xtf_aggregate_writer_seal_index().
 * Callers seal a leaf first. If that overfilled its parent, they seal the parent, and so on upwards.
 */
#pragma once

#include "libxtf/array.h"
#include "libxtf/disk/codec.h"
#include "libxtf/disk/edge.h"

typedef struct XtfAggregateWriter XtfAggregateWriter;

/* Returns NULL if the schema declares no aggregates; all other functions accept NULL. Borrows the schema. */
XtfAggregateWriter *xtf_aggregate_writer_new(const XtfSchema *schema, XtfCodecId codec);
void xtf_aggregate_writer_free(XtfAggregateWriter *writer);

/* Seals the next leaf, which has exactly these rows. */
void xtf_aggregate_writer_seal_leaf(XtfAggregateWriter *writer, const uint8_t *rows, uint32_t count);

/* Seals the open page of `level` (1 or more), whose children are all sealed. Appends the payload of its companion
 * (format.h), and adds its totals to the level above, as a child's. Returns the base-2 logarithm of the children of a
 * batch, if the payload is in batches; else 0. The caller sets the checksum of their directory. */
unsigned xtf_aggregate_writer_seal_index(XtfAggregateWriter *writer, unsigned level, GByteArray *payload);

/* Appends the totals of an edge of `height` levels, whose open leaf has exactly these rows. For each level from 1 up:
 * the totals of the children of its open page, including the open child. Then the totals of the whole array. */
void xtf_aggregate_writer_pack_edge(const XtfAggregateWriter *writer, const uint8_t *rows, uint32_t count,
                                    unsigned height, XtfEdgeEncoder *edge);

/* Restores the state at the right edge of a stored array. */
bool xtf_aggregate_writer_resume(XtfAggregateWriter *writer, const XtfArray *stored, GError **error);
