/*
 * Tests corridors and simplified lines against their definitions, which the test evaluates point by point.
 */
#include <criterion/criterion.h>
#include <math.h>

#include "libxtf/clock-map.h"
#include "src/analysis/align/corridor.h"
#include "src/analysis/align/simplify.h"

enum {
    POINTS = 300,
    RUNS = 60,
};

typedef struct {
    int64_t x, d;
    bool at_most;
} Bound;

/* Returns the least distance of a line from all bounds; negative if the line is on the wrong side of one. */
static long double least_distance(const Bound *bounds, unsigned n, long double a, long double b)
{
    long double least = INFINITY;

    for (unsigned i = 0; i < n; i++) {
        long double off = bounds[i].d - (a + b * bounds[i].x);
        least = fminl(least, bounds[i].at_most ? off : -off);
    }
    return least;
}

/* Makes bounds around a line. Their order is slightly disturbed, like that of completing receives. */
static void make_bounds(GRand *random, Bound *bounds, XtfCorridor *corridor, long double a, long double b, int noise)
{
    for (int i = 0; i < POINTS; i++) {
        int64_t x = 100000 * (int64_t)i + g_rand_int_range(random, 0, 300000);
        bool at_most = g_rand_boolean(random);
        int64_t off = 500 + (noise ? g_rand_int_range(random, 0, noise) : 0);
        bounds[i] = (Bound){x, (int64_t)roundl(a + b * x) + (at_most ? off : -off), at_most};
        if (at_most)
            xtf_corridor_at_most(corridor, x, bounds[i].d);
        else
            xtf_corridor_at_least(corridor, x, bounds[i].d);
    }
}

Test(corridor, has_no_line_farther_from_all_messages)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(3);

    for (int run = 0; run < RUNS; run++) {
        XtfCorridor corridor = {0};
        Bound bounds[POINTS];
        long double a = g_rand_double_range(random, -1e9, 1e9), b = g_rand_double_range(random, -1e-4, 1e-4);
        make_bounds(random, bounds, &corridor, a, b, run % 3 ? 4000 : 0);
        XtfCorridorLine line = xtf_corridor_line(&corridor, 0);
        long double best = least_distance(bounds, POINTS, line.a, line.b);
        cr_assert(fabsl(best - (line.doubt - 1)) < 0.01L, "the line is %Lf from the messages, not %Lf", best,
                  line.doubt - 1);
        for (int i = 0; i < 2000; i++) {
            long double other_b = line.b + g_rand_double_range(random, -1e-5, 1e-5) * (i % 10) / 10;
            long double other_a = line.a + g_rand_double_range(random, -500, 500) * (i % 7) / 7;
            cr_assert(least_distance(bounds, POINTS, other_a, other_b) <= best + 0.01L,
                      "another line is farther from all messages");
        }
        if (run % 3 == 0) /* equal latencies both ways: the line is the true one, up to rounding */
            for (int64_t x = 0; x <= INT64_C(100000) * POINTS; x += 1000000)
                cr_assert(fabsl(line.a + line.b * x - a - b * x) < 2, "off by %Lf", line.a + line.b * x - a - b * x);
        xtf_corridor_finish(&corridor);
    }
}

/* A line that bounds from one side allow stays unchanged; another line is moved until it touches them. */
Test(corridor, moves_no_farther_than_one_sided_bounds_demand)
{
    XtfCorridor corridor = {0};

    xtf_corridor_at_most(&corridor, 1000, 70);
    xtf_corridor_at_most(&corridor, 5000, 50);
    xtf_corridor_at_most(&corridor, 3000, 90);
    XtfCorridorLine line = xtf_corridor_line(&corridor, 60);
    cr_assert(line.a == 50 && line.b == 0);
    cr_assert(line.doubt > 1e9L);
    line = xtf_corridor_line(&corridor, -7000);
    cr_assert(line.a == -7000 && line.b == 0);
    xtf_corridor_finish(&corridor);
}

Test(corridor, has_no_drift_if_bounds_are_close_in_time)
{
    XtfCorridor corridor = {0};

    xtf_corridor_at_most(&corridor, 0, 3000);
    xtf_corridor_at_least(&corridor, 10, -1000);
    xtf_corridor_at_most(&corridor, 20, 2000);
    XtfCorridorLine line = xtf_corridor_line(&corridor, 0);
    cr_assert(line.b == 0 && line.a == 500);
    xtf_corridor_finish(&corridor);
}

/* ---- Simplified lines. */

/* Returns points that rise at changing slopes, with jumps. */
static GArray *random_points(GRand *random, unsigned n)
{
    GArray *points = g_array_new(FALSE, TRUE, sizeof(XtfClockKnot));
    XtfClockKnot at = {.local = 1000000, .global = 5000000};

    for (unsigned i = 0; i < n; i++) {
        uint64_t run = 1 + (uint64_t)g_rand_int_range(random, 0, 100000);
        g_array_append_val(points, at);
        at.local += run;
        at.global += run - run / 2500 + (uint64_t)g_rand_int_range(random, 0, (gint32)(run / 1250) + 1);
        if (g_rand_int_range(random, 0, 20) == 0)
            at.global += (uint64_t)g_rand_int_range(random, 0, 100000);
    }
    return points;
}

Test(simplify, passes_every_point_within_the_tolerance)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(4);

    for (int run = 0; run < RUNS; run++) {
        uint64_t tolerance = run % 4 == 0 ? 0 : (uint64_t)g_rand_int_range(random, 1, 500);
        GArray *points = random_points(random, 400);
        GArray *before = g_array_copy(points), *knots = xtf_simplify_line(points, tolerance);
        const XtfClockMap map = {.n_knots = knots->len, .knots = (const XtfClockKnot *)(const void *)knots->data};
        uint32_t knot;
        cr_assert_null(xtf_clock_map_fault(&map, &knot), "knot %u", knot);
        cr_assert(knots->len <= before->len && (tolerance < 100 || knots->len < before->len));
        for (guint i = 0; i < before->len; i++) {
            const XtfClockKnot *point = &g_array_index(before, XtfClockKnot, i);
            uint64_t there = xtf_clock_map_to_global(&map, point->local);
            uint64_t off = there > point->global ? there - point->global : point->global - there;
            cr_assert(off <= tolerance + 1, "off by %" G_GUINT64_FORMAT ", tolerance %" G_GUINT64_FORMAT, off,
                      tolerance);
        }
        g_array_unref(before);
        g_array_unref(knots);
    }
}

Test(simplify, drops_points_on_a_line)
{
    GArray *points = g_array_new(FALSE, TRUE, sizeof(XtfClockKnot));

    for (uint64_t i = 0; i < 100; i++) {
        const XtfClockKnot point = {.local = 10000 * i, .global = 7 + 10001 * i};
        g_array_append_val(points, point);
    }
    GArray *knots = xtf_simplify_line(points, 0);
    cr_assert_eq(knots->len, 2);
    g_array_unref(knots);
}
