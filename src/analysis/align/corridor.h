/*
 * The bounds that messages set to two clocks: a corridor that contains their difference.
 *
 * A message from clock A to clock B is received, in B's time, no earlier than it was sent. At the send, B shows at most
 * its time of the receive. So each message from A to B bounds the difference B - A from above, at its time of A. Each
 * message from B to A bounds the difference from below. Only the convex hulls of these points matter: a line between
 * the hulls is a difference and a drift that no message contradicts. Sources: A. Duda, G. Harrus, Y. Haddad, G.
 * Bernard: Estimating global time in distributed systems, ICDCS 1987; R. Hofmann, U. Hilgers: Theory and tool for
 * estimating global time in parallel and distributed systems, PDP 1998; J.-M. Jezequel, C. Jard: Building a global
 * clock for observing computations in distributed memory parallel computers, Concurrency 8(1), 1996.
 *
 * The result is the line in the middle, at the greatest distance from both hulls. It is the true one if the clocks
 * drift evenly and the fastest messages take equally long both ways. The hulls cross if the clocks drift unevenly. The
 * line then minimises the worst contradiction by a message.
 *
 * All arithmetic on points is exact. Times are ticks.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int64_t x, d;
} XtfCorridorPoint;

/* The lower hull of points, by x. */
typedef struct {
    XtfCorridorPoint *points;
    uint32_t n, room;
} XtfHull;

typedef struct {
    XtfHull above; /* bounds of the difference from above */
    XtfHull below; /* bounds of the difference from below, negated */
} XtfCorridor;

/* The difference of two clocks, B - A, at time x of A: a + b x. */
typedef struct {
    long double a, b;
    long double doubt; /* possible error in ticks over the time that messages span */
} XtfCorridorLine;

void xtf_corridor_finish(XtfCorridor *corridor); /* accepts zeros */
/* Bounds the difference at time x of A from above, or from below, by d. Times are relative to a fixed begin. */
void xtf_corridor_at_most(XtfCorridor *corridor, int64_t x, int64_t d);
void xtf_corridor_at_least(XtfCorridor *corridor, int64_t x, int64_t d);

enum {
    XTF_CORRIDOR_SLOPE = 3333,  /* greatest drift: 1 in XTF_CORRIDOR_SLOPE */
    XTF_CORRIDOR_DOUBT = 10000, /* a drift that is less certain than 1 in XTF_CORRIDOR_DOUBT counts as none */
};

/* Returns the middle line of a corridor that has points. A corridor with points on one side only gives a line without
 * drift. The line is as near as its points allow to `as_is`, the difference between the present clocks. */
XtfCorridorLine xtf_corridor_line(const XtfCorridor *corridor, long double as_is);
