#include "src/network/tables/statistics.h"

#include <math.h>
#include <stdlib.h>

#define FAR          5.0
#define MAD_TO_SIGMA 1.4826

static bool is_self(const XtfLinkSides *sides, uint32_t sender, uint32_t receiver)
{
    return xtf_link_sender(sides, sender) == sides->receivers[receiver];
}

static int compare_values(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

/* Of sorted values. */
static double quantile(const double *sorted, uint64_t n, double share)
{
    double place = share * (double)(n - 1);
    uint64_t below = (uint64_t)place;

    if (below + 1 >= n)
        return sorted[n - 1];
    return sorted[below] + (place - (double)below) * (sorted[below + 1] - sorted[below]);
}

static void sort(double *values, uint64_t n)
{
    if (n > 1)
        qsort(values, n, sizeof *values, compare_values);
}

/* The values that were measured, but not of a process to itself. The caller frees it;
 * NULL: there is no memory for it. */
static double *measured(const double *values, const XtfLinkSides *sides, uint64_t *n)
{
    double *found = g_try_new(double, (size_t)sides->senders->len * sides->n_receivers + 1);

    *n = 0;
    for (uint32_t s = 0; found && s < sides->senders->len; s++)
        for (uint32_t r = 0; r < sides->n_receivers; r++) {
            double value = values[(size_t)s * sides->n_receivers + r];
            if (!isnan(value) && !is_self(sides, s, r))
                found[(*n)++] = value;
        }
    return found;
}

/* The sender that is a process; UINT32_MAX: none is. */
static uint32_t sender_of(const XtfLinkSides *sides, uint64_t proc)
{
    uint32_t low = 0, high = sides->senders->len;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (xtf_link_sender(sides, middle) < proc)
            low = middle + 1;
        else
            high = middle;
    }
    return low < sides->senders->len && xtf_link_sender(sides, low) == proc ? low : UINT32_MAX;
}

static double asymmetry(const double *values, const XtfLinkSides *sides)
{
    g_autofree uint32_t *sender_at = g_new(uint32_t, sides->n_receivers + 1);
    g_autofree uint32_t *receiver_at = g_new(uint32_t, sides->senders->len + 1);
    uint64_t pairs = 0;
    double sum = 0;

    for (uint32_t s = 0; s < sides->senders->len; s++)
        receiver_at[s] = UINT32_MAX;
    for (uint32_t r = 0; r < sides->n_receivers; r++) {
        sender_at[r] = sender_of(sides, sides->receivers[r]);
        if (sender_at[r] != UINT32_MAX)
            receiver_at[sender_at[r]] = r;
    }
    for (uint32_t s = 0; s < sides->senders->len; s++)
        for (uint32_t r = 0; r < sides->n_receivers; r++) {
            if (receiver_at[s] == UINT32_MAX || sender_at[r] == UINT32_MAX || s >= sender_at[r])
                continue;
            double there = values[(size_t)s * sides->n_receivers + r];
            double back = values[(size_t)sender_at[r] * sides->n_receivers + receiver_at[s]];
            if (isnan(there) || isnan(back) || there + back <= 0)
                continue;
            sum += fabs(there - back) / ((there + back) / 2);
            pairs++;
        }
    return pairs > 0 ? sum / (double)pairs : NAN;
}

bool xtf_link_statistics(const double *values, const XtfLinkSides *sides, XtfLinkStatistics *statistics, GError **error)
{
    uint64_t n;
    g_autofree double *sorted = measured(values, sides, &n);
    double sum = 0, squares = 0;

    if (!sorted)
        return xtf_links_do_not_fit(sides, error);
    *statistics = (XtfLinkStatistics){.pairs = n};
    if (n == 0)
        return true;
    sort(sorted, n);
    for (uint64_t i = 0; i < n; i++)
        sum += sorted[i];
    statistics->mean = sum / (double)n;
    for (uint64_t i = 0; i < n; i++)
        squares += (sorted[i] - statistics->mean) * (sorted[i] - statistics->mean);
    statistics->stddev = sqrt(squares / (double)n);
    statistics->min = sorted[0];
    statistics->max = sorted[n - 1];
    statistics->q1 = quantile(sorted, n, 0.25);
    statistics->median = quantile(sorted, n, 0.5);
    statistics->q3 = quantile(sorted, n, 0.75);
    statistics->asymmetry = asymmetry(values, sides);
    return true;
}

/* ---- Outliers. */

/* The pairs of a row or a column that are alike: those on one node, or the others. */
typedef struct {
    double median, far;  /* from the median: a value that is farther stands out */
    uint32_t n, outside; /* values; those that stand out */
} Line;

enum {
    KINDS = 2, /* of pairs: the others, and those on one node */
};

/* From the values of a line, which are overwritten. */
static Line make_line(double *values, uint32_t n)
{
    Line line = {.n = n};

    if (n == 0)
        return line;
    sort(values, n);
    line.median = quantile(values, n, 0.5);
    for (uint32_t i = 0; i < n; i++)
        values[i] = fabs(values[i] - line.median);
    sort(values, n);
    line.far = FAR * MAD_TO_SIGMA * quantile(values, n, 0.5);
    return line;
}

typedef struct {
    const double *values;
    const XtfLinkSides *sides;
    bool *near;                             /* by pair */
    Line (*rows)[KINDS], (*columns)[KINDS]; /* by sender, by receiver */
} Search;

static bool value_at(const Search *search, uint32_t s, uint32_t r, double *value)
{
    *value = search->values[(size_t)s * search->sides->n_receivers + r];
    return !isnan(*value) && !is_self(search->sides, s, r);
}

static bool is_near(const Search *search, uint32_t s, uint32_t r)
{
    return search->near[(size_t)s * search->sides->n_receivers + r];
}

static void make_lines(Search *search)
{
    uint32_t n_senders = search->sides->senders->len, n_receivers = search->sides->n_receivers, n;
    g_autofree double *line = g_new(double, MAX(n_senders, n_receivers) + 1);

    for (uint32_t s = 0; s < n_senders; s++)
        for (uint32_t r = 0; r < n_receivers; r++)
            search->near[(size_t)s * n_receivers + r] = xtf_link_is_near(search->sides, s, r);
    for (unsigned kind = 0; kind < KINDS; kind++) {
        for (uint32_t s = 0; s < n_senders; s++) {
            n = 0;
            for (uint32_t r = 0; r < n_receivers; r++)
                n += is_near(search, s, r) == kind && value_at(search, s, r, &line[n]);
            search->rows[s][kind] = make_line(line, n);
        }
        for (uint32_t r = 0; r < n_receivers; r++) {
            n = 0;
            for (uint32_t s = 0; s < n_senders; s++)
                n += is_near(search, s, r) == kind && value_at(search, s, r, &line[n]);
            search->columns[r][kind] = make_line(line, n);
        }
    }
}

static bool is_outside(const Line *line, double value)
{
    return fabs(value - line->median) > line->far;
}

static void find_outliers(Search *search, GArray *outliers)
{
    for (uint32_t s = 0; s < search->sides->senders->len; s++)
        for (uint32_t r = 0; r < search->sides->n_receivers; r++) {
            bool near = is_near(search, s, r);
            Line *row = &search->rows[s][near], *column = &search->columns[r][near];
            XtfOutlier outlier = {.sender = s, .receiver = r};
            if (!value_at(search, s, r, &outlier.value))
                continue;
            bool by_row = is_outside(row, outlier.value);
            if (!by_row && !is_outside(column, outlier.value))
                continue;
            outlier.expected = by_row ? row->median : column->median;
            row->outside++;
            column->outside++;
            g_array_append_val(outliers, outlier);
        }
}

/* Whether most of a row, or a column, stand out. */
static bool is_reason(const Line lines[static KINDS])
{
    uint32_t n = lines[0].n + lines[1].n;

    return n > 1 && 2 * (lines[0].outside + lines[1].outside) > n;
}

static int compare_outliers(const void *a, const void *b)
{
    const XtfOutlier *x = a, *y = b;
    double far_x = fabs(x->value - x->expected), far_y = fabs(y->value - y->expected);

    if (far_x != far_y)
        return far_x > far_y ? -1 : 1;
    return x->sender != y->sender ? (x->sender > y->sender) - (x->sender < y->sender)
                                  : (x->receiver > y->receiver) - (x->receiver < y->receiver);
}

GArray *xtf_link_outliers(const double *values, const XtfLinkSides *sides, GError **error)
{
    uint32_t n_senders = sides->senders->len, n_receivers = sides->n_receivers;
    g_autofree bool *near = g_try_new(bool, (size_t)n_senders *n_receivers + 1);
    g_autofree Line *lines = g_new0(Line, ((size_t)n_senders + n_receivers + 1) * KINDS);
    Search search = {values, sides, near, (Line(*)[KINDS])lines, (Line(*)[KINDS])(lines + (size_t)n_senders * KINDS)};

    if (!near) {
        xtf_links_do_not_fit(sides, error);
        return NULL;
    }
    GArray *outliers = g_array_new(FALSE, FALSE, sizeof(XtfOutlier));
    make_lines(&search);
    find_outliers(&search, outliers);
    for (guint i = 0; i < outliers->len; i++) {
        XtfOutlier *outlier = &g_array_index(outliers, XtfOutlier, i);
        if (is_reason(search.rows[outlier->sender]))
            outlier->reason = XTF_OUTLIER_SENDER;
        else if (is_reason(search.columns[outlier->receiver]))
            outlier->reason = XTF_OUTLIER_RECEIVER;
    }
    g_array_sort(outliers, compare_outliers);
    return outliers;
}
