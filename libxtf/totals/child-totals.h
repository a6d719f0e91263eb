/*
 * Group totals of consecutive children (of an index page) or chunks (of a leaf), with totals of every 16 of them, so
 * that a range is added in few steps. Comments and names say "child" for both.
 *
 * Each child has entries (group, cells); a group is a number in a dictionary of the keys that occur. Blocks have
 * entries too, for XTF_TOTALS_BLOCK children together: so a range of m children takes at most m / XTF_TOTALS_BLOCK
 * blocks and 2 * (XTF_TOTALS_BLOCK - 1) single children; or, of an index page, which lasts longer than a leaf's digest,
 * 6 quarters of blocks and 6 single children. Aggregates of frames also have the stack before each child.
 *
 *     dictionary  0: MPI_Send  1: main  2: MPI_Wait
 *     children    [0 . .] [0 . .] [1 . . 2 . .] [2 . .] ... 16 of them    [0 . .] ...
 *     blocks      [0 . .  1 . .  2 . .]                                   [0 . .  1 . .] ...
 *
 * The keys of a group are all keys, or the first ones only: the depth says how many. If a child has more than 16 groups
 * it also has coarse totals, by fewer keys; queries that need no more use these.
 *
 * Everything lies in one allocation, so that it can be a block of the page cache. It never changes.
 */
#pragma once

#include "libxtf/array.h"
#include "libxtf/cache/cache.h"
#include "libxtf/totals/frame-stack.h"

enum { XTF_TOTALS_BLOCK = 16, XTF_TOTALS_QUARTER = 4 };

typedef struct {
    const uint32_t *starts; /* item i has the entries [starts[i], starts[i + 1]) */
    const uint32_t *groups; /* of the entries; no group twice in an item */
    const uint64_t *cells;  /* of the entries, n_cells each */
} XtfTotalsTier;

/* The frames open before a child: the innermost ones, XTF_SNAPSHOT_FRAMES at most; none above level 1. */
typedef struct {
    uint64_t time, inner_row, n_outer; /* as in XtfFrameStack */
    uint64_t least;                    /* the least number of frames that a row of the child leaves open */
    uint32_t start;                    /* of its frames; the next stack's start is their end */
} XtfChildStack;

typedef struct {
    /* The page or leaf that these totals are of; see xtf_child_totals_are_of(). */
    const XtfSchema *schema;
    uint64_t first_n;
    uint32_t array, segment;
    uint8_t index, level;

    uint8_t n_keys, n_cells;
    bool some_coarse; /* some groups of other tiers than `coarse` have a depth less than n_keys */
    uint32_t n, n_groups;
    const uint64_t *keys;        /* of each group: n_keys keys, 0 beyond the depth, then the depth */
    XtfTotalsTier exact, coarse; /* an item for each child; coarse.starts is NULL if there are no coarse totals */
    XtfTotalsTier blocks;        /* an item for each whole block */
    XtfTotalsTier quarters;      /* and for each whole quarter of one; quarters.starts is NULL for a leaf */
    const XtfChildStack *stacks; /* n + 1 of them, the last one only a start; NULL except for frames */
    const XtfOpenFrame *frames;  /* of the stacks */
} XtfChildTotals;

/* Whether totals found in the cache are those of the given page or leaf: a damaged file may put two at one offset. */
bool xtf_child_totals_are_of(const XtfChildTotals *children, const XtfArray *array, unsigned index, unsigned level,
                             uint64_t first_n, uint32_t n);

/* The totals in a block of the cache. */
static inline const XtfChildTotals *xtf_block_child_totals(const XtfBlock *block)
{
    return (const XtfChildTotals *)(const void *)block->data;
}

static inline const uint64_t *xtf_child_totals_key(const XtfChildTotals *children, uint32_t group)
{
    return children->keys + (size_t)group * (children->n_keys + 1u);
}

static inline unsigned xtf_child_totals_depth(const XtfChildTotals *children, uint32_t group)
{
    return (unsigned)xtf_child_totals_key(children, group)[children->n_keys];
}

static inline const uint64_t *xtf_child_totals_cells(const XtfChildTotals *children, const XtfTotalsTier *tier,
                                                     uint32_t entry)
{
    return tier->cells + (size_t)entry * children->n_cells;
}

/* The stack before child i, which row n begins. `stack` is initialised. */
void xtf_child_totals_stack(const XtfChildTotals *children, uint32_t i, uint64_t n, XtfFrameStack *stack);

/* Builds totals child by child, and each child group by group, no group twice. */
typedef struct XtfChildTotalsBuilder XtfChildTotalsBuilder;

XtfChildTotalsBuilder *xtf_child_totals_builder_new(const XtfArray *array, unsigned index, unsigned level,
                                                    uint64_t first_n);
void xtf_child_totals_builder_free(XtfChildTotalsBuilder *builder); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfChildTotalsBuilder, xtf_child_totals_builder_free)
void xtf_child_totals_builder_next(XtfChildTotalsBuilder *builder); /* begins the next child, also the first */
void xtf_child_totals_builder_add(XtfChildTotalsBuilder *builder, const uint64_t *key, unsigned depth,
                                  const uint64_t *cells);
/* The stack before the child begun last; and once it is known, stack.least of its rows. */
void xtf_child_totals_builder_stack(XtfChildTotalsBuilder *builder, const XtfFrameStack *stack);
void xtf_child_totals_builder_least(XtfChildTotalsBuilder *builder, uint64_t least);
/* To be freed with g_free(); NULL with an error if the totals are larger than a block of the cache can be. */
XtfChildTotals *xtf_child_totals_builder_finish(XtfChildTotalsBuilder *builder, uint32_t *length, GError **error);
