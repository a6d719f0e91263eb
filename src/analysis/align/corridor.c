#include "src/analysis/align/corridor.h"

#include <math.h>
#include <string.h>

void xtf_corridor_finish(XtfCorridor *corridor)
{
    g_clear_pointer(&corridor->above.points, g_free);
    g_clear_pointer(&corridor->below.points, g_free);
}

/* True if q, between p and r, is below the line through them. */
static bool is_below(const XtfCorridorPoint *p, const XtfCorridorPoint *q, const XtfCorridorPoint *r)
{
    return (__int128)(q->d - p->d) * (r->x - p->x) < (__int128)(r->d - p->d) * (q->x - p->x);
}

static void remove_point(XtfHull *hull, uint32_t i)
{
    hull->n--;
    memmove(&hull->points[i], &hull->points[i + 1], (hull->n - i) * sizeof *hull->points);
}

/* Returns the index of the hull's first point whose x is at least the given x. Searches from the last point, as
 * messages usually are in order. */
static uint32_t position_of(const XtfHull *hull, int64_t x)
{
    uint32_t i = hull->n;

    while (i > 0 && hull->points[i - 1].x >= x)
        i--;
    return i;
}

static void add_point(XtfHull *hull, int64_t x, int64_t d)
{
    const XtfCorridorPoint point = {x, d};
    uint32_t i = position_of(hull, x);
    XtfCorridorPoint *points = hull->points;

    if (i < hull->n && points[i].x == x) {
        if (points[i].d <= d)
            return;
        remove_point(hull, i);
    }
    if (i > 0 && i < hull->n && !is_below(&points[i - 1], &point, &points[i]))
        return;
    if (hull->n == hull->room) {
        hull->room = MAX(4, 2 * hull->room);
        hull->points = points = g_renew(XtfCorridorPoint, points, hull->room);
    }
    memmove(&points[i + 1], &points[i], (hull->n - i) * sizeof *points);
    points[i] = point;
    hull->n++;
    while (i + 2 < hull->n && !is_below(&points[i], &points[i + 1], &points[i + 2]))
        remove_point(hull, i + 1);
    for (; i >= 2 && !is_below(&points[i - 2], &points[i - 1], &points[i]); i--)
        remove_point(hull, i - 1);
}

void xtf_corridor_at_most(XtfCorridor *corridor, int64_t x, int64_t d)
{
    add_point(&corridor->above, x, d);
}

void xtf_corridor_at_least(XtfCorridor *corridor, int64_t x, int64_t d)
{
    add_point(&corridor->below, x, -d);
}

/* Returns how far a line of slope b through the origin can rise until it touches the hull. */
static long double room_over(const XtfHull *hull, long double b)
{
    long double least = INFINITY;

    for (uint32_t i = 0; i < hull->n; i++)
        least = fminl(least, hull->points[i].d - b * hull->points[i].x);
    return least;
}

static long double width(const XtfCorridor *corridor, long double b)
{
    return room_over(&corridor->above, b) + room_over(&corridor->below, -b);
}

/* The slopes of the greatest width. The width is a concave, piecewise linear function of the slope, so its maximum is
 * at the slope of an edge of a hull. If several slopes have it, the result is the middle one. */
typedef struct {
    long double width, least, greatest;
} Widest;

static void try_slope(const XtfCorridor *corridor, long double b, Widest *widest)
{
    const long double most = 1.0L / XTF_CORRIDOR_SLOPE;

    b = fminl(fmaxl(b, -most), most);
    long double w = width(corridor, b), equal = 1e-6L;
    if (w > widest->width + equal) {
        *widest = (Widest){w, b, b};
    } else if (w > widest->width - equal) {
        widest->least = fminl(widest->least, b);
        widest->greatest = fmaxl(widest->greatest, b);
    }
}

static void try_edges(const XtfCorridor *corridor, const XtfHull *hull, int sign, Widest *widest)
{
    for (uint32_t i = 0; i + 1 < hull->n; i++) {
        const XtfCorridorPoint *p = &hull->points[i], *q = p + 1;
        try_slope(corridor, sign * (long double)(q->d - p->d) / (long double)(q->x - p->x), widest);
    }
}

static XtfCorridorLine line_of_slope(const XtfCorridor *corridor, long double b)
{
    long double most = room_over(&corridor->above, b), least = -room_over(&corridor->below, -b);

    return (XtfCorridorLine){.a = (most + least) / 2, .b = b, .doubt = fabsl(most - least) / 2 + 1};
}

/* Returns a line for messages in one direction only. Their least latency and the drift are unknown, so the difference
 * of the clocks stays the same, as far as the messages allow. */
static XtfCorridorLine one_sided_line(const XtfCorridor *corridor, long double as_is)
{
    bool is_above = corridor->above.n > 0;
    const XtfHull *hull = is_above ? &corridor->above : &corridor->below;
    long double a = is_above ? fminl(as_is, room_over(hull, 0)) : fmaxl(as_is, -room_over(hull, 0));

    return (XtfCorridorLine){.a = a, .doubt = 1e15L + (long double)(hull->points[hull->n - 1].x - hull->points[0].x)};
}

XtfCorridorLine xtf_corridor_line(const XtfCorridor *corridor, long double as_is)
{
    const XtfHull *above = &corridor->above, *below = &corridor->below;
    Widest widest = {.width = -INFINITY};

    if (above->n == 0 || below->n == 0)
        return one_sided_line(corridor, as_is);
    int64_t from = MAX(above->points[0].x, below->points[0].x);
    int64_t to = MIN(above->points[above->n - 1].x, below->points[below->n - 1].x);
    try_edges(corridor, above, 1, &widest);
    try_edges(corridor, below, -1, &widest);
    long double shared = (long double)to - (long double)from;
    if (shared > 0 && fabsl(widest.width) * XTF_CORRIDOR_DOUBT <= shared)
        return line_of_slope(corridor, (widest.least + widest.greatest) / 2);
    /* The time that messages of both directions share is too short to show a drift: the line has none. */
    int64_t first = MIN(above->points[0].x, below->points[0].x);
    int64_t last = MAX(above->points[above->n - 1].x, below->points[below->n - 1].x);
    XtfCorridorLine line = line_of_slope(corridor, 0);
    line.doubt += (long double)(last - first) / XTF_CORRIDOR_DOUBT;
    return line;
}
