/*
 * Costs that waits pass on: to the waits in an interval of a location, a scale each, while a backward pass goes through
 * the location's points.
 *
 * Whoever was late at point S passes what others waited for it on to its own waits since S', so many ticks for each
 * tick that they took. The pass comes to these waits later. A wait's cost is the sum over all intervals that it lies
 * in: as all of them end behind it, over those that begin at or before it. So sums are kept as in a Fenwick tree (P. M.
 * Fenwick: A new data structure for cumulative frequency tables, 1994), by where the intervals begin. What is behind
 * the pass is forgotten, and the tree has no parts where nothing begins: there are few, as most intervals are short.
 */
#pragma once

#include <glib.h>
#include <stdint.h>

#include "src/analysis/causes/costs.h"
#include "src/files/paged.h"

typedef struct {
    uint64_t low, high; /* points, by index: from `low` up to `high`, without it */
    XtfCosts scale;     /* costs for each tick of wait */
    double propagating; /* share of the wait that went on to a message's other side, 0 to 1 */
} XtfPassRange;

typedef struct XtfPassPart XtfPassPart;

/* Parts of the trees of all locations. */
typedef struct {
    XtfPassPart *parts; /* in `paged` */
    uint32_t n, room;
    uint32_t free;    /* the first of those that are free, plus 1; 0: none is */
    uint32_t n_added; /* ranges, since it rested */
    XtfPaged paged;
} XtfPassPool; /* zeros to begin with */

void xtf_pass_pool_finish(XtfPassPool *pool);

/* Of one location; zeros to begin with. */
typedef struct {
    uint32_t *parts; /* in the pool, plus 1; 0: nothing begins there */
    uint64_t n;      /* parts that there may be */
} XtfPassing;

void xtf_passing_finish(XtfPassing *passing);
/* Adds a range that ends at the point that the pass is at, which has come to no point before it yet. One that passes on
 * nothing is left out. */
void xtf_passing_add(XtfPassPool *pool, XtfPassing *passing, const XtfPassRange *range);
/* What the wait at point `i` has to bear: costs, and how much of it went on. Points must be asked for backward. */
void xtf_passing_costs(XtfPassPool *pool, XtfPassing *passing, uint64_t i, uint64_t wait, XtfCosts *costs,
                       double *propagating);
