/*
 * The aggregates of an array being written, as its two files share them.
 *
 *   aggregate-writer.c  accumulating, sealing, packing
 *   aggregate-resume.c  going on with what another writer stored
 */
#pragma once

#include "libxtf/totals/accumulate.h"
#include "libxtf/totals/group-totals-private.h"
#include "libxtf/totals/stored-rows.h"
#include "libxtf/totals/stored.h"
#include "libxtf/write/aggregates/aggregate-writer.h"

enum { XTF_RUNNING_GROUPS_MAX = 65536 };

/* One aggregate of an open index page. */
typedef struct {
    GByteArray *rows;        /* stored totals of the sealed children */
    GByteArray *borders;     /* stored borders of the sealed children; NULL unless for frames */
    GByteArray *snapshots;   /* stored stacks before the sealed children; NULL unless for frames on level 1 */
    GByteArray *filters;     /* stored filters of the sealed children; NULL unless there may be some, on level 1 */
    XtfGroupTotals *running; /* of all sealed children together... */
    XtfBorder border;        /* ...and their border, if there is a child */
} XtfOpenPageTotals;

typedef struct {
    uint32_t n_children; /* sealed ones */
    uint64_t n_rows;     /* below the sealed children */
    XtfOpenPageTotals totals[XTF_AGGREGATES_MAX];
} XtfOpenPage;

/* Accumulates the rows of leaves, for one aggregate. */
typedef struct {
    XtfGroupTotals *leaf; /* empty between calls */
    XtfFrameStack stack;  /* behind the last sealed leaf; of frames only */
} XtfLeafAccumulator;

/* Arrays that never seal a leaf have a writer too, so it is small until the first leaf. */
struct XtfAggregateWriter {
    const XtfSchema *schema;
    XtfCodecId codec;
    unsigned n_levels;
    XtfOpenPage *pages;               /* from level 1 on */
    XtfLeafAccumulator *accumulators; /* one for each aggregate; NULL until a leaf is sealed */
};

static inline bool xtf_aggregate_writer_has_stack(const XtfAggregateWriter *writer, unsigned index)
{
    return writer->schema->aggregates[index].kind == XTF_AGGREGATE_FRAMES;
}

/* The open page of a level; the first one of the next level is begun. */
XtfOpenPage *xtf_aggregate_writer_open_page(XtfAggregateWriter *writer, unsigned level);
/* Allocates what is needed from the first sealed leaf on. */
void xtf_aggregate_writer_begin(XtfAggregateWriter *writer);
/* Joins the border of a page's next child to that of those before it, of which there are n_children. */
void xtf_aggregate_writer_join_border(XtfBorder *border, uint32_t n_children, const XtfBorder *next);
