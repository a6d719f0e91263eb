/*
 * Group totals of consecutive children of an index page, or chunks of a leaf. Totals of every 16 of them make summing a
 * range a matter of few steps. Comments and names say "child" for both.
 *
 * Each child has entries (group, cells); a group is a number in a dictionary of the keys. Blocks also have entries, for
 * XTF_TOTALS_BLOCK children together. So a range of m children takes at most m / XTF_TOTALS_BLOCK blocks and 2 *
 * (XTF_TOTALS_BLOCK - 1) single children. Totals of an index page live longer than a leaf's digest, so they also have
 * halves of blocks. Then a range takes at most 2 halves and 14 single children. Aggregates of frames also have the
 * stack before each child.
 *
 *     dictionary  0: MPI_Send  1: main  2: MPI_Wait
 *     children    [0 . .] [0 . .] [1 . . 2 . .] [2 . .] ... 16 of them    [0 . .] ...
 *     blocks      [0 . .  1 . .  2 . .]                                   [0 . .  1 . .] ...
 *
 * A group is identified by all keys, or only by the first ones: its depth is their number. If a child has more than 16
 * groups, all children also have coarse totals, by fewer keys; queries that need only these keys use them.
 *
 * Everything is in one allocation, so that it can be a block of the page cache. It is immutable.
 */
#pragma once

#include "libxtf/array.h"
#include "libxtf/cache/cache.h"
#include "libxtf/totals/frame-stack.h"
#include "libxtf/totals/narrow-rows.h"

enum { XTF_TOTALS_BLOCK = 16, XTF_TOTALS_HALF = 8 };

typedef struct {
    const uint32_t *starts; /* item i, a child or a block of children, has the entries [starts[i], starts[i + 1]) */
    XtfNarrowRows entries;  /* of each entry its group, then its cells; each group at most once per item */
} XtfTotalsTier;

/* The frames open before a child: the innermost ones, at most XTF_SNAPSHOT_FRAMES; none above level 1. */
typedef struct {
    uint64_t time, inner_row, n_outer; /* as in XtfFrameStack */
    uint64_t least;                    /* minimum number of frames that a row of the child leaves open */
    uint32_t start;                    /* index of its first frame; its frames end at the next stack's start */
} XtfChildStack;

typedef struct {
    /* Identity of the page or leaf of these totals; see xtf_child_totals_are_of(). */
    const XtfSchema *schema;
    uint64_t first_n;
    uint32_t array, segment;
    uint32_t first; /* number in the page of the first child, or of the first batch of children */
    uint32_t step;  /* children of a batch, if an item is one; else 1 */
    uint8_t index, level;

    uint8_t n_keys, n_cells;
    bool some_coarse; /* groups of other tiers than `coarse` may have a depth less than n_keys */
    bool nests;       /* of a leaf: every row ends the top frame or begins one in it (XtfFrameWalk) */
    uint32_t n, n_groups;
    const uint64_t *keys;        /* per group: n_keys keys, 0 beyond the depth, then the depth */
    XtfTotalsTier exact, coarse; /* one item per child; coarse.starts is NULL if there are no coarse totals */
    XtfTotalsTier blocks;        /* one item per complete block */
    XtfTotalsTier halves;        /* one item per complete half; halves.starts is NULL for a leaf */
    /* Only for frames: n stacks, and one whose `start` is the end of the last. `frames` has their frames. */
    XtfNarrowRows stacks, frames;
} XtfChildTotals;

/* True if cached totals are of the given page or leaf. In a damaged file, two pages may name totals at one offset. */
bool xtf_child_totals_are_of(const XtfChildTotals *children, const XtfArray *array, unsigned index, unsigned level,
                             uint64_t first_n, uint32_t n);

/* Returns the totals in a cache block. */
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

static inline uint32_t xtf_totals_tier_group(const XtfTotalsTier *tier, uint32_t entry)
{
    return (uint32_t)xtf_narrow_number(&tier->entries, entry, 0);
}

/* Returns a cell of an entry. */
static inline uint64_t xtf_totals_tier_cell(const XtfTotalsTier *tier, uint32_t entry, unsigned cell)
{
    return xtf_narrow_number(&tier->entries, entry, 1 + cell);
}

/* Stores the cells of an entry in `cells`, and returns them. */
static inline const uint64_t *xtf_child_totals_cells(const XtfChildTotals *children, const XtfTotalsTier *tier,
                                                     uint32_t entry, uint64_t cells[XTF_AGGREGATE_CELLS_MAX])
{
    for (unsigned i = 0; i < children->n_cells; i++)
        cells[i] = xtf_totals_tier_cell(tier, entry, i);
    return cells;
}

/* Returns the stack before child i, without its frames; or for the number of children the end of all stacks. */
XtfChildStack xtf_child_totals_stack_head(const XtfChildTotals *children, uint32_t i);
/* Returns the number of frames open before child i. */
uint64_t xtf_child_totals_depth_before(const XtfChildTotals *children, uint32_t i);
/* Copies the stack before child i, which begins with row n. `stack` is initialised. */
void xtf_child_totals_stack(const XtfChildTotals *children, uint32_t i, uint64_t n, XtfFrameStack *stack);

/* Builds totals child by child, and each child group by group, each group once. */
typedef struct XtfChildTotalsBuilder XtfChildTotalsBuilder;

XtfChildTotalsBuilder *xtf_child_totals_builder_new(const XtfArray *array, unsigned index, unsigned level,
                                                    uint64_t first_n);
/* Says which children of a page the items are: batches of `step` children, or from child `first` on (0 and 1: all). */
void xtf_child_totals_builder_set_children(XtfChildTotalsBuilder *builder, uint32_t first, uint32_t step);
void xtf_child_totals_builder_free(XtfChildTotalsBuilder *builder); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfChildTotalsBuilder, xtf_child_totals_builder_free)
void xtf_child_totals_builder_next(XtfChildTotalsBuilder *builder); /* begins a child */
void xtf_child_totals_builder_add(XtfChildTotalsBuilder *builder, const uint64_t *key, unsigned depth,
                                  const uint64_t *cells);
/* Adds n groups of the current child at once, whose cells the caller has set before. */
void xtf_child_totals_builder_add_keys(XtfChildTotalsBuilder *builder, const uint64_t *keys, unsigned depth,
                                       uint32_t n);
/* Adds the n groups of the child before to the current child, as xtf_child_totals_builder_add_keys() does. */
void xtf_child_totals_builder_repeat_keys(XtfChildTotalsBuilder *builder, uint32_t n);
/* Returns space for the cells of the n groups of all children, for xtf_child_totals_builder_add_keys(). It has the
 * first cells of all groups, then the second ones, and so on. Called before the first child. */
uint64_t *xtf_child_totals_builder_cells(XtfChildTotalsBuilder *builder, uint32_t n);
/* Returns space for the n frames of the stacks of all children, for xtf_child_totals_builder_add_stack(). */
XtfOpenFrame *xtf_child_totals_builder_frames(XtfChildTotalsBuilder *builder, uint32_t n);
/* Adds the stack before the next child that has none, whose frames begin with frame stack->start. */
void xtf_child_totals_builder_add_stack(XtfChildTotalsBuilder *builder, const XtfChildStack *stack);
/* Sets the stack before the current child. */
void xtf_child_totals_builder_stack(XtfChildTotalsBuilder *builder, const XtfFrameStack *stack);
/* Sets the current child's stack.least, when its rows are known. */
void xtf_child_totals_builder_least(XtfChildTotalsBuilder *builder, uint64_t least);
/* Sets `nests`. */
void xtf_child_totals_builder_nests(XtfChildTotalsBuilder *builder);
/* Returns the totals, to be freed with xtf_block_memory_free(). NULL with an error if they are larger than a cache
 * block can be. */
XtfChildTotals *xtf_child_totals_builder_finish(XtfChildTotalsBuilder *builder, uint32_t *length, GError **error);
