/*
 * The aggregates of an array being written: totals of sealed children, level by level, in memory and as stored.
 *
 * The children of level 1 are leaves. A child has totals here once it is sealed; those of open children are added up
 * anew for each edge. The parent of a level's children is open until xtf_aggregate_writer_seal_index(). Callers seal a
 * leaf first, then, if that overfilled its parent, the parent, and so on.
 */
#pragma once

#include "libxtf/array.h"
#include "libxtf/disk/codec.h"
#include "libxtf/disk/edge.h"

typedef struct XtfAggregateWriter XtfAggregateWriter;

/* NULL if the schema declares no aggregates; then all other functions take NULL. Borrows the schema. */
XtfAggregateWriter *xtf_aggregate_writer_new(const XtfSchema *schema, XtfCodecId codec);
void xtf_aggregate_writer_free(XtfAggregateWriter *writer);

/* Seals the next leaf, which has exactly these rows. */
void xtf_aggregate_writer_seal_leaf(XtfAggregateWriter *writer, const uint8_t *rows, uint32_t count);

/* Seals the open page of `level` (1 or more), whose children are all sealed: appends the payload of its companion
 * (format.h), and adds its totals, as those of a child, to the level above. */
void xtf_aggregate_writer_seal_index(XtfAggregateWriter *writer, unsigned level, GByteArray *payload);

/* Appends the totals of an edge of `height` levels, whose open leaf has exactly these rows: for each level from 1 up
 * those of the children of its open page, the open child too; then those of the whole array. */
void xtf_aggregate_writer_pack_edge(const XtfAggregateWriter *writer, const uint8_t *rows, uint32_t count,
                                    unsigned height, XtfEdgeEncoder *edge);

/* Resumes at the right edge of a stored array. */
bool xtf_aggregate_writer_resume(XtfAggregateWriter *writer, const XtfArray *stored, GError **error);
