/*
 * Lists of sums: what each of a row of neighbours adds up to, by groups, so that any run of them is soon added up.
 *
 * The neighbours are the children of an index page, or the chunks of a leaf. Each has a list of (group, cells); a group
 * is a number in a dictionary of the keys that occur. Beside them stand the lists of blocks, each of
 * XTF_TOTALS_BLOCK neighbours taken together: so a run of m is at most m / XTF_TOTALS_BLOCK lists of blocks and
 * 2 * (XTF_TOTALS_BLOCK - 1) of single neighbours. For sums of frames there is, too, the stack before each neighbour.
 *
 *     dictionary  0: MPI_Send  1: main  2: MPI_Wait
 *     neighbours  [0 . .] [0 . .] [1 . . 2 . .] [2 . .] ... 16 of them    [0 . .] ...
 *     blocks      [0 . .  1 . .  2 . .]                                   [0 . .  1 . .] ...
 *
 * Each list tells groups apart by all keys, or by the first ones only: a group says how many. Where keys take very many
 * values, neighbours have a short list, too, by fewer keys, which may be all that is asked for.
 *
 * All of it lies in one allocation, so that it can be a block of the page cache. It never changes once it is made.
 */
#pragma once

#include "libxtf/aggregate/frame-stack.h"
#include "libxtf/array.h"
#include "libxtf/cache/cache.h"

enum { XTF_TOTALS_BLOCK = 16 };

typedef struct {
    const uint32_t *starts; /* of the lists in what follows; one more than there are lists */
    const uint32_t *groups; /* none twice in a list */
    const uint64_t *cells;  /* n_cells of each */
} XtfTotalsTier;

/* The frames open before a neighbour: the innermost ones, XTF_SNAPSHOT_FRAMES at most. */
typedef struct {
    uint64_t time, outer_row; /* as in XtfFrameStack */
    uint32_t start;           /* of its frames; the next one's start is their end */
    bool has_outer;
} XtfChildStack;

typedef struct {
    /* What it was made of; see xtf_child_totals_are_of(). */
    const XtfSchema *schema;
    uint64_t first_n;
    uint32_t array, segment;
    uint8_t index, level;

    uint8_t n_keys, n_cells;
    bool plain;       /* cells are added as integers, all of them */
    bool some_coarse; /* of some groups the last keys are not known */
    uint32_t n, n_groups;
    const uint64_t *keys;        /* of the groups: n_keys each, 0 where not known, then the depth: how many are known */
    XtfTotalsTier exact, coarse; /* of the neighbours; coarse.starts is NULL where there are none */
    XtfTotalsTier blocks;        /* of XTF_TOTALS_BLOCK neighbours each */
    const XtfChildStack *stacks; /* n + 1 of them, the last one only a start; NULL where none are kept */
    const XtfOpenFrame *frames;
} XtfChildTotals;

/* Whether lists found in the cache are those that the arguments mean. A file may lie about whose bytes are where. */
bool xtf_child_totals_are_of(const XtfChildTotals *children, const XtfArray *array, unsigned index, unsigned level,
                             uint64_t first_n, uint32_t n);

/* The lists that a block of the cache is. */
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

/* Adds what a later run of rows adds up to, in one group. */
void xtf_child_totals_add(const XtfChildTotals *children, uint32_t group, uint64_t *cells, const uint64_t *more);

/* The stack before a neighbour, into one that was initialised. */
void xtf_child_totals_stack(const XtfChildTotals *children, uint32_t i, uint64_t n, XtfFrameStack *stack);

/* How lists are made: neighbour by neighbour, and in each, group by group, none twice. */
typedef struct XtfChildTotalsBuilder XtfChildTotalsBuilder;

XtfChildTotalsBuilder *xtf_child_totals_builder_new(const XtfArray *array, unsigned index, unsigned level,
                                                    uint64_t first_n);
void xtf_child_totals_builder_free(XtfChildTotalsBuilder *builder); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfChildTotalsBuilder, xtf_child_totals_builder_free)
void xtf_child_totals_builder_next(XtfChildTotalsBuilder *builder); /* begins the next neighbour, the first one too */
void xtf_child_totals_builder_add(XtfChildTotalsBuilder *builder, const uint64_t *key, unsigned depth,
                                  const uint64_t *cells);
/* The stack before the neighbour begun last. */
void xtf_child_totals_builder_stack(XtfChildTotalsBuilder *builder, const XtfFrameStack *stack);
/* From g_malloc(); NULL with an error if there is more than a block of the cache can hold. */
XtfChildTotals *xtf_child_totals_builder_finish(XtfChildTotalsBuilder *builder, uint32_t *length, GError **error);
