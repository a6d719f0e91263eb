/*
 * The aggregates of an array being written: parts shared by two files.
 *
 *   aggregate-writer.c  accumulating, sealing, packing
 *   aggregate-resume.c  restoring the state that another writer stored
 */
#pragma once

#include "libxtf/totals/accumulate.h"
#include "libxtf/totals/group-totals-private.h"
#include "libxtf/totals/tables/stored-rows.h"
#include "libxtf/totals/tables/stored.h"
#include "libxtf/write/aggregates/aggregate-writer.h"

enum { XTF_RUNNING_GROUPS_MAX = 65536 };

/* One aggregate of an open index page. */
typedef struct {
    GByteArray *rows;      /* stored totals of the sealed children */
    GByteArray *borders;   /* stored borders of the sealed children; NULL unless the aggregate is for frames */
    GByteArray *snapshots; /* stored stacks before the sealed children; NULL unless for frames on level 1 */
    GByteArray *filters; /* stored filters of the sealed children; NULL unless the aggregate has filters, on level 1 */
    XtfGroupTotals *running; /* totals of all sealed children together */
    XtfBorder border;        /* border of all sealed children together, if there is one */
} XtfOpenPageTotals;

typedef struct {
    uint32_t n_children; /* number of sealed children */
    uint64_t n_rows;     /* number of rows below the sealed children */
    XtfOpenPageTotals totals[XTF_AGGREGATES_MAX];
} XtfOpenPage;

/* Accumulates the rows of leaves, for one aggregate. */
typedef struct {
    XtfGroupTotals *leaf; /* totals of the leaf being sealed; empty between calls */
    XtfFrameStack stack;  /* stack after the last sealed leaf; for frames only */
} XtfLeafAccumulator;

/* Arrays that never seal a leaf have a writer too, so it is small until the first sealed leaf. */
struct XtfAggregateWriter {
    const XtfSchema *schema;
    XtfCodecId codec;
    unsigned n_levels;
    XtfOpenPage *pages;               /* the open pages, from level 1 on */
    XtfLeafAccumulator *accumulators; /* one for each aggregate; NULL until a leaf is sealed */
};

static inline bool xtf_aggregate_writer_has_stack(const XtfAggregateWriter *writer, unsigned index)
{
    return writer->schema->aggregates[index].kind == XTF_AGGREGATE_FRAMES;
}

/* Appends the stored totals of a child or a batch, of which it stores about `most` groups. Returns true if they are
 * coarse. */
bool xtf_aggregate_writer_append_totals(GByteArray *rows, uint32_t number, XtfGroupTotals *totals, uint64_t most);
/* Appends the tables of an aggregate of a page to a payload. */
void xtf_aggregate_writer_pack_tables(const XtfAggregateWriter *writer, unsigned index, const XtfOpenPageTotals *totals,
                                      GByteArray *payload);
/* Packs the totals of a page in batches if the page has enough of them. Returns the base-2 logarithm of the children of
 * a batch; 0, and appends nothing, if not. */
unsigned xtf_aggregate_writer_pack_batches(const XtfAggregateWriter *writer, const XtfOpenPage *page,
                                           GByteArray *payload);

/* Returns the open page of a level. Creates the page if the level is the next one above the existing levels. */
XtfOpenPage *xtf_aggregate_writer_open_page(XtfAggregateWriter *writer, unsigned level);
/* Allocates the accumulators and the open page of level 1, when the first leaf is sealed. */
void xtf_aggregate_writer_allocate(XtfAggregateWriter *writer);
/* Joins the border of a page's next child to the border of the `n_children` before it. */
void xtf_aggregate_writer_join_border(XtfBorder *border, uint32_t n_children, const XtfBorder *next);
