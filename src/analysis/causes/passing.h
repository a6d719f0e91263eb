/*
 * Costs that waits pass on: to the waits in an interval of a location, a scale each, while a backward pass goes through
 * the location's points.
 *
 * Whoever was late at point S passes what others waited for it on to its own waits since S', so many ticks for each
 * tick that they took. The pass comes to these waits later. Until then there is a range (S', S) with its scale, and a
 * wait's cost is the sum over the ranges that it lies in.
 */
#pragma once

#include <glib.h>
#include <stdint.h>

#include "src/analysis/causes/costs.h"

typedef struct {
    uint64_t low, high; /* points, by index: from `low` up to `high`, without it */
    XtfCosts scale;     /* costs for each tick of wait */
    double propagating; /* share of the wait that went on to a message's other side, 0 to 1 */
} XtfPassRange;

/* Of one location; zeros to begin with. Points must be asked for backward. */
typedef struct {
    XtfPassRange *ranges;
    uint32_t n, room;
} XtfPassing;

void xtf_passing_finish(XtfPassing *passing);
/* A range that passes on nothing is left out. */
void xtf_passing_add(XtfPassing *passing, const XtfPassRange *range);
/* What the wait at point `i` has to bear: costs, and how much of it went on. */
void xtf_passing_costs(XtfPassing *passing, uint64_t i, uint64_t wait, XtfCosts *costs, double *propagating);
