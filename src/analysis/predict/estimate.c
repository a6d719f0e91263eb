#include "src/analysis/predict/estimate.h"

#include <glib.h>

/* Returns the number of a size: powers of two, each in eight parts. */
static unsigned size_of(uint64_t bytes)
{
    if (bytes < 8)
        return (unsigned)bytes;
    unsigned power = (unsigned)(63 - __builtin_clzll(bytes));
    return (power - 2) * 8 + (unsigned)(bytes >> (power - 3) & 7);
}

void xtf_estimate_init(XtfEstimate *estimate)
{
    *estimate = (XtfEstimate){0};
    for (unsigned i = 0; i < XTF_ESTIMATE_SIZES; i++)
        estimate->waited[i].ticks = estimate->all[i].ticks = UINT64_MAX;
}

static void note_fastest(XtfFastest *fastest, uint64_t bytes, uint64_t ticks)
{
    if (ticks < fastest->ticks || (ticks == fastest->ticks && bytes > fastest->bytes))
        *fastest = (XtfFastest){bytes, ticks};
}

void xtf_estimate_add(XtfEstimate *estimate, uint64_t bytes, uint64_t ticks, bool waited)
{
    unsigned size = size_of(bytes);

    estimate->n++;
    note_fastest(&estimate->all[size], bytes, ticks);
    if (!waited)
        return;
    estimate->n_waited++;
    note_fastest(&estimate->waited[size], bytes, ticks);
}

/* True if the middle one of three points, in the order of bytes, lies on or above the line between the others. */
static bool lies_above(const XtfFastest *left, const XtfFastest *middle, const XtfFastest *right)
{
    double width = (double)(right->bytes - left->bytes), part = (double)(middle->bytes - left->bytes) / width;
    double line = (double)left->ticks + part * ((double)right->ticks - (double)left->ticks);

    return (double)middle->ticks >= line;
}

/* Finds the lower hull of the points; returns its number of points. *mean: of all bytes. */
static unsigned find_hull(const XtfFastest *points, XtfFastest *hull, double *mean)
{
    unsigned n = 0, n_points = 0;
    double sum = 0;

    for (unsigned i = 0; i < XTF_ESTIMATE_SIZES; i++) {
        if (points[i].ticks == UINT64_MAX)
            continue;
        sum += (double)points[i].bytes;
        n_points++;
        while (n > 1 && lies_above(&hull[n - 2], &hull[n - 1], &points[i]))
            n--;
        hull[n++] = points[i];
    }
    *mean = n_points > 0 ? sum / n_points : 0;
    return n;
}

/* Fits a line under points. False: there are none. */
static bool fit_line(const XtfFastest *points, double *latency, double *per_byte)
{
    g_autofree XtfFastest *hull = g_new(XtfFastest, XTF_ESTIMATE_SIZES);
    double mean, least;
    unsigned n = find_hull(points, hull, &mean), at = 0;

    if (n == 0)
        return false;
    least = (double)hull[0].ticks;
    for (unsigned i = 1; i < n; i++)
        least = MIN(least, (double)hull[i].ticks);
    while (at + 2 < n && (double)hull[at + 1].bytes <= mean)
        at++;
    *per_byte =
        n < 2 ? 0
              : ((double)hull[at + 1].ticks - (double)hull[at].ticks) / (double)(hull[at + 1].bytes - hull[at].bytes);
    *latency = (double)hull[at].ticks - *per_byte * (double)hull[at].bytes;
    if (*per_byte <= 0) { /* greater messages were faster: the least time says all */
        *per_byte = 0;
        *latency = least;
    } else if (*latency < 0) { /* a line from the origin, below all points */
        *latency = 0;
        for (unsigned i = 0; i < n; i++)
            if (hull[i].bytes > 0)
                *per_byte = MIN(*per_byte, (double)hull[i].ticks / (double)hull[i].bytes);
    }
    return true;
}

bool xtf_estimate_fit(const XtfEstimate *estimate, double *latency, double *per_byte)
{
    if (estimate->n_waited == 0)
        return fit_line(estimate->all, latency, per_byte);
    if (!fit_line(estimate->waited, latency, per_byte))
        return false;
    XtfFastest points[XTF_ESTIMATE_SIZES];
    for (unsigned i = 0; i < XTF_ESTIMATE_SIZES; i++) {
        const XtfFastest *any = &estimate->all[i];
        bool is_below = any->ticks != UINT64_MAX && (double)any->ticks < *latency + *per_byte * (double)any->bytes;
        points[i] = is_below ? *any : estimate->waited[i];
    }
    return fit_line(points, latency, per_byte);
}
