/*
 * What messages say of two clocks: a corridor in which their difference lies.
 *
 * A message from clock A to clock B is received, in B's time, no earlier than it was sent: what B shows at the sending
 * is at most its time of the receiving. So each message from A to B bounds the difference B - A from above, at its time
 * of A, and each message from B to A bounds it from below. Only the convex hulls of these points matter: a line between
 * them is a difference and a drift that no message contradicts (A. Duda, G. Harrus, Y. Haddad, G. Bernard: Estimating
 * global time in distributed systems, ICDCS 1987; R. Hofmann, U. Hilgers: Theory and tool for estimating global time in
 * parallel and distributed systems, PDP 1998; J.-M. Jezequel, C. Jard: Building a global clock for observing
 * computations in distributed memory parallel computers, Concurrency 8(1), 1996). The line in the middle is taken:
 * the one that is as far as can be from both hulls. It is the true one if the clocks drift evenly and the fastest
 * messages take equally long both ways. Where the hulls cross, as those of clocks that do not drift evenly, it is the
 * line that the worst message contradicts least.
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
    XtfHull below; /* from below, negated */
} XtfCorridor;

/* The difference at time x of A is a + b x. */
typedef struct {
    long double a, b;
    long double doubt; /* ticks that it may be wrong by in the time that messages span */
} XtfCorridorLine;

void xtf_corridor_finish(XtfCorridor *corridor); /* also one of zeros */
/* At time x of A, both relative to some beginning, the difference is at most, at least, d. */
void xtf_corridor_at_most(XtfCorridor *corridor, int64_t x, int64_t d);
void xtf_corridor_at_least(XtfCorridor *corridor, int64_t x, int64_t d);

enum {
    XTF_CORRIDOR_SLOPE = 3333,  /* the drift is at most 1 in so many */
    XTF_CORRIDOR_DOUBT = 10000, /* one that is no surer than 1 in so many is taken for none */
};

/* The line in the middle, of a corridor that has points. With points on one side only it has no drift, and is as near
 * to `as_is`, the difference that the clocks have as they are, as these allow. */
XtfCorridorLine xtf_corridor_line(const XtfCorridor *corridor, long double as_is);
