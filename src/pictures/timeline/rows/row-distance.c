#include "src/pictures/timeline/rows/row-distance.h"

#include <math.h>
#include <stdlib.h>

static double share_of(const XtfPictureColumn *whole, uint64_t ticks)
{
    return whole->whole ? (double)ticks / (double)whole->whole : 0;
}

/* Mean shares of some rows. */
typedef struct {
    double *by_line;
    uint64_t *lines; /* n lines with a share, the greatest first */
    uint64_t n;
    double sum;
} Mean;

static int compare_mean_shares(const void *a, const void *b, void *data)
{
    const double *by_line = data;
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    if (by_line[x] != by_line[y])
        return by_line[x] < by_line[y] ? 1 : -1;
    return x < y ? -1 : x > y;
}

static Mean compute_mean(const XtfPictureColumn *wholes, uint32_t first, uint32_t n, uint64_t n_lines)
{
    Mean mean = {.by_line = g_new0(double, n_lines + 1), .lines = g_new(uint64_t, n_lines + 1)};

    for (uint32_t i = first; i < first + n; i++) {
        for (uint32_t j = 0; j < wholes[i].n; j++)
            mean.by_line[wholes[i].shares[j].line] += share_of(&wholes[i], wholes[i].shares[j].ticks) / n;
    }
    for (uint64_t line = 0; line <= n_lines; line++) {
        mean.sum += mean.by_line[line];
        if (mean.by_line[line] > 0)
            mean.lines[mean.n++] = line;
    }
    g_qsort_with_data(mean.lines, (gint)mean.n, sizeof *mean.lines, compare_mean_shares, mean.by_line);
    return mean;
}

static void mean_finish(Mean *mean)
{
    g_free(mean->by_line);
    g_free(mean->lines);
}

static int compare_share(const void *key, const void *share)
{
    uint64_t line = *(const uint64_t *)key, share_line = ((const XtfShare *)share)->line;
    return line < share_line ? -1 : line > share_line;
}

/* Looks for a line that has a share of the mean greater than |*most|, but no time in the row. Sets *line to the line
 * with the greatest such share, and *most to the negated share. */
static void find_missing(const XtfPictureColumn *whole, const Mean *mean, uint64_t *line, double *most)
{
    for (uint64_t i = 0; i < mean->n && mean->by_line[mean->lines[i]] > fabs(*most); i++) {
        if (whole->n > 0 && bsearch(&mean->lines[i], whole->shares, whole->n, sizeof *whole->shares, compare_share))
            continue;
        *line = mean->lines[i];
        *most = -mean->by_line[mean->lines[i]];
    }
}

/* Returns the distance of a row from the mean. Sets *line to the region that differs most, and *most to the row's share
 * less the mean's. */
static double distance_from(const XtfPictureColumn *whole, const Mean *mean, uint64_t *line, double *most)
{
    double distance = 0, mean_met = 0;

    *line = 0;
    *most = 0;
    for (uint32_t i = 0; i < whole->n; i++) {
        const XtfShare *share = &whole->shares[i];
        double difference = share_of(whole, share->ticks) - mean->by_line[share->line];
        mean_met += mean->by_line[share->line];
        distance += fabs(difference);
        if (fabs(difference) > fabs(*most)) {
            *most = difference;
            *line = share->line;
        }
    }
    find_missing(whole, mean, line, most);
    return (distance + fmax(mean->sum - mean_met, 0)) / 2;
}

void xtf_rows_typical(const XtfPictureColumn *wholes, uint32_t first, uint32_t n, uint64_t n_lines, uint32_t *typical,
                      uint32_t *unlike, double *distance)
{
    Mean mean = compute_mean(wholes, first, n, n_lines);
    double least = INFINITY, share;
    uint64_t line;

    *distance = -1;
    for (uint32_t i = first; i < first + n; i++) {
        double d = distance_from(&wholes[i], &mean, &line, &share);
        if (d < least) {
            least = d;
            *typical = i;
        }
        if (d > *distance) {
            *distance = d;
            *unlike = i;
        }
    }
    mean_finish(&mean);
}

static int compare_distances(const void *a, const void *b)
{
    const XtfUnlikeRow *x = a, *y = b;

    if (x->distance != y->distance)
        return x->distance < y->distance ? 1 : -1;
    return x->row < y->row ? -1 : x->row > y->row;
}

/* Returns the distance between two rows. */
static double distance_between(const XtfPictureColumn *a, const XtfPictureColumn *b)
{
    double distance = 0;

    for (uint32_t i = 0, j = 0; i < a->n || j < b->n;) {
        uint64_t x = i < a->n ? a->shares[i].line : UINT64_MAX, y = j < b->n ? b->shares[j].line : UINT64_MAX;
        double own_share = x <= y ? share_of(a, a->shares[i++].ticks) : 0,
               other_share = y <= x ? share_of(b, b->shares[j++].ticks) : 0;
        distance += fabs(own_share - other_share);
    }
    return distance / 2;
}

/* True if a row differs from the mean like one that is already shown. */
static bool has_same_difference(const XtfPictureColumn *wholes, const XtfUnlikeRow *shown,
                                const XtfUnlikeRow *candidate)
{
    return (shown->line == candidate->line && (shown->share < 0) == (candidate->share < 0)) ||
           distance_between(&wholes[shown->row], &wholes[candidate->row]) < shown->distance / 2;
}

uint32_t xtf_rows_unlike(const XtfPictureColumn *wholes, uint32_t n, uint64_t n_lines,
                         XtfUnlikeRow unlike[static XTF_UNLIKE_MAX])
{
    Mean mean = compute_mean(wholes, 0, n, n_lines);
    g_autofree XtfUnlikeRow *rows = g_new0(XtfUnlikeRow, MAX(n, 1));
    uint32_t n_shown = 0;

    for (uint32_t i = 0; i < n; i++) {
        rows[i].row = i;
        rows[i].distance = distance_from(&wholes[i], &mean, &rows[i].line, &rows[i].share);
    }
    mean_finish(&mean);
    qsort(rows, n, sizeof *rows, compare_distances);
    for (uint32_t i = 0; i < n && rows[i].distance > XTF_DISTANCE_SEEN; i++) {
        uint32_t j = 0;
        while (j < n_shown && !has_same_difference(wholes, &unlike[j], &rows[i]))
            j++;
        if (j < n_shown)
            unlike[j].more++;
        else if (n_shown < XTF_UNLIKE_MAX)
            unlike[n_shown++] = rows[i];
    }
    return n_shown;
}
