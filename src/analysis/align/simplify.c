#include "src/analysis/align/simplify.h"

/* The direction of a line from a point: over `run` local ticks, global time advances by run + rise ticks. */
typedef struct {
    int64_t rise;
    uint64_t run;
} Direction;

static bool is_steeper(Direction a, Direction b)
{
    return (__int128)a.rise * b.run > (__int128)b.rise * a.run;
}

static Direction direction_to(const XtfClockKnot *from, const XtfClockKnot *to, int64_t off)
{
    return (Direction){.rise = (int64_t)(to->global - from->global - (to->local - from->local)) + off,
                       .run = to->local - from->local};
}

/* Returns the last point that a line from point `from` can reach while it passes all points between closely enough.
 * This is the sleeve of Z. Zhao and A. Saalfeld, Linear-time sleeve-fitting polyline simplification algorithms,
 * AutoCarto 13, 1997. */
static guint line_from(const XtfClockKnot *points, guint n, guint from, int64_t most_off)
{
    Direction least = {0}, most = {0};
    guint to = from;

    for (guint i = from + 1; i < n; i++) {
        Direction here = direction_to(&points[from], &points[i], 0);
        Direction low = direction_to(&points[from], &points[i], -most_off),
                  high = direction_to(&points[from], &points[i], most_off);
        bool free = i == from + 1;
        if (free || (!is_steeper(least, here) && !is_steeper(here, most)))
            to = i;
        else if (most_off == 0)
            break;
        if (free || is_steeper(low, least))
            least = low;
        if (free || is_steeper(most, high))
            most = high;
        if (is_steeper(least, most))
            break;
    }
    return to;
}

/* Adds a knot of a valid map, in which each piece is a drift or a jump. Raises the line where rounding made it too
 * slow. */
static void add_knot(GArray *knots, XtfClockKnot knot)
{
    knot.jumps = false;
    if (knots->len > 0) {
        XtfClockKnot *before = &g_array_index(knots, XtfClockKnot, knots->len - 1);
        uint64_t run = knot.local - before->local, drift = MIN(run / XTF_CLOCK_DRIFT + 1, run);
        knot.global = MAX(knot.global, before->global + run - drift);
        before->jumps = knot.global - before->global > run + run / XTF_CLOCK_DRIFT + 1;
    }
    g_array_append_val(knots, knot);
}

GArray *xtf_simplify_line(GArray *points, uint64_t tolerance)
{
    const XtfClockKnot *all = (const XtfClockKnot *)(const void *)points->data;
    GArray *knots = g_array_new(FALSE, TRUE, sizeof(XtfClockKnot));
    /* The exact line may miss a point by most_off. The map's times are rounded down, which adds less than a tick. */
    int64_t most_off = tolerance > 0 ? (int64_t)tolerance - 1 : 0;

    for (guint i = 0; i < points->len;) {
        add_knot(knots, all[i]);
        i = i + 1 < points->len ? line_from(all, points->len, i, most_off) : points->len;
    }
    g_array_unref(points);
    return knots;
}
