#include "src/query/timeline/row-distance.h"

#include <math.h>
#include <stdlib.h>

static double share_of(const XtfPictureColumn *whole, uint64_t ticks)
{
    return whole->whole ? (double)ticks / (double)whole->whole : 0;
}

/* The mean share of each region. */
static double *mean_of(const XtfPictureColumn *wholes, uint32_t first, uint32_t n, uint64_t n_lines)
{
    double *mean = g_new0(double, n_lines + 1);

    for (uint32_t i = first; i < first + n; i++) {
        for (uint32_t j = 0; j < wholes[i].n; j++)
            mean[wholes[i].shares[j].line] += share_of(&wholes[i], wholes[i].shares[j].ticks) / n;
    }
    return mean;
}

/* The distance of a row from a mean whose shares add up to `sum`, and the region that differs most. Regions that the
 * row lacks are those of the sum that it did not meet. */
static double distance_from(const XtfPictureColumn *whole, const double *mean, double sum, uint64_t *line, double *most)
{
    double distance = 0, met = 0;

    *most = 0;
    for (uint32_t i = 0; i < whole->n; i++) {
        const XtfShare *share = &whole->shares[i];
        double difference = share_of(whole, share->ticks) - mean[share->line];
        met += mean[share->line];
        distance += fabs(difference);
        if (fabs(difference) > fabs(*most)) {
            *most = difference;
            *line = share->line;
        }
    }
    return (distance + fmax(sum - met, 0)) / 2;
}

static double sum_of(const double *mean, uint64_t n_lines)
{
    double sum = 0;

    for (uint64_t i = 0; i < n_lines; i++)
        sum += mean[i];
    return sum;
}

void xtf_rows_typical(const XtfPictureColumn *wholes, uint32_t first, uint32_t n, uint64_t n_lines, uint32_t *typical,
                      uint32_t *unlike, double *distance)
{
    g_autofree double *mean = mean_of(wholes, first, n, n_lines);
    double sum = sum_of(mean, n_lines), least = INFINITY, share;
    uint64_t line;

    *distance = -1;
    for (uint32_t i = first; i < first + n; i++) {
        double d = distance_from(&wholes[i], mean, sum, &line, &share);
        if (d < least) {
            least = d;
            *typical = i;
        }
        if (d > *distance) {
            *distance = d;
            *unlike = i;
        }
    }
}

static int compare_distances(const void *a, const void *b)
{
    const XtfUnlikeRow *x = a, *y = b;

    if (x->distance != y->distance)
        return x->distance < y->distance ? 1 : -1;
    return x->row < y->row ? -1 : x->row > y->row;
}

/* The distance between two rows. */
static double distance_between(const XtfPictureColumn *a, const XtfPictureColumn *b)
{
    double distance = 0;

    for (uint32_t i = 0, j = 0; i < a->n || j < b->n;) {
        uint64_t x = i < a->n ? a->shares[i].line : UINT64_MAX, y = j < b->n ? b->shares[j].line : UINT64_MAX;
        double one = x <= y ? share_of(a, a->shares[i++].ticks) : 0,
               other = y <= x ? share_of(b, b->shares[j++].ticks) : 0;
        distance += fabs(one - other);
    }
    return distance / 2;
}

/* Whether one row says nothing that the other does not. */
static bool is_alike(const XtfPictureColumn *wholes, const XtfUnlikeRow *shown, const XtfUnlikeRow *other)
{
    return (shown->line == other->line && (shown->share < 0) == (other->share < 0)) ||
           distance_between(&wholes[shown->row], &wholes[other->row]) < shown->distance / 2;
}

uint32_t xtf_rows_unlike(const XtfPictureColumn *wholes, uint32_t n, uint64_t n_lines,
                         XtfUnlikeRow unlike[static XTF_UNLIKE_MAX])
{
    g_autofree double *mean = mean_of(wholes, 0, n, n_lines);
    g_autofree XtfUnlikeRow *rows = g_new0(XtfUnlikeRow, MAX(n, 1));
    double sum = sum_of(mean, n_lines);
    uint32_t n_shown = 0;

    for (uint32_t i = 0; i < n; i++) {
        rows[i].row = i;
        rows[i].distance = distance_from(&wholes[i], mean, sum, &rows[i].line, &rows[i].share);
    }
    qsort(rows, n, sizeof *rows, compare_distances);
    for (uint32_t i = 0; i < n && rows[i].distance > XTF_DISTANCE_SEEN; i++) {
        uint32_t j = 0;
        while (j < n_shown && !is_alike(wholes, &unlike[j], &rows[i]))
            j++;
        if (j < n_shown)
            unlike[j].more++;
        else if (n_shown < XTF_UNLIKE_MAX)
            unlike[n_shown++] = rows[i];
    }
    return n_shown;
}
