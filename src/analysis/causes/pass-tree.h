/*
 * Costs that waits pass on to earlier waits, while the backward pass goes through a location's points. Each wait in an
 * interval of the location gets a scale.
 *
 * If a location was late at point S and last met its waiters at S', its own waits since S' get the waiters' costs.
 * Each tick of these waits gets a number of ticks. The pass reaches these waits later. The cost of a wait is the sum
 * over all intervals that contain it. All intervals end after the wait, so these are the intervals that begin at or
 * before it. A Fenwick tree keeps the sums by the begin of the intervals (P. M. Fenwick: A new data structure for
 * cumulative frequency tables, 1994). The pass frees the tree behind it. The tree has no parts where no interval
 * begins. Few parts exist, as most intervals are short.
 */
#pragma once

#include <glib.h>
#include <stdint.h>

#include "src/analysis/causes/costs.h"
#include "src/files/paged.h"

typedef struct {
    uint64_t low, high; /* points by index: low <= i < high */
    XtfCosts scale;     /* costs per tick of wait */
    double propagating; /* share of the wait that made a message's other side wait, 0 to 1 */
} XtfPassRange;

typedef struct XtfPassPart XtfPassPart;

/* The parts of the trees of all locations. Zeros at first. */
typedef struct {
    XtfPassPart *parts; /* in `paged` */
    uint32_t n, room;
    uint32_t free;    /* first free part, plus 1; 0: none */
    uint32_t n_added; /* ranges added since the pages were released */
    XtfPaged paged;
} XtfPassPool;

void xtf_pass_pool_finish(XtfPassPool *pool);

/* The tree of one location. Zeros at first. */
typedef struct {
    uint32_t *parts; /* numbers in the pool, plus 1; 0: no interval begins there */
    uint64_t n;      /* length of `parts` */
} XtfPassTree;

void xtf_pass_tree_finish(XtfPassTree *pass_tree);
/* Adds a range that ends at the pass's current point. The pass has not read earlier points yet. Skips a range
 * without costs. */
void xtf_pass_tree_add(XtfPassPool *pool, XtfPassTree *pass_tree, const XtfPassRange *range);
/* Computes the costs that the wait at point `i` passes on, and its propagating part in ticks. To be called in
 * descending order of `i`. */
void xtf_pass_tree_costs(XtfPassPool *pool, XtfPassTree *pass_tree, uint64_t i, uint64_t wait, XtfCosts *costs,
                         double *propagating);
