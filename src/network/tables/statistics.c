#include "src/network/tables/statistics.h"

#include <math.h>
#include <stdlib.h>

#include "libxtf/base/doubles.h"

#define OUTLIER_SIGMAS 5.0
#define MAD_TO_SIGMA   1.4826

static bool is_self(const XtfLinkSides *sides, uint32_t sender, uint32_t receiver)
{
    return xtf_link_sender(sides, sender) == sides->receivers[receiver];
}

/* Returns a quantile of sorted values, interpolated. */
static double quantile(const double *sorted, uint64_t n, double share)
{
    double place = share * (double)(n - 1);
    uint64_t below = (uint64_t)place;

    if (below + 1 >= n)
        return sorted[n - 1];
    return sorted[below] + (place - (double)below) * (sorted[below + 1] - sorted[below]);
}

static void sort_values(double *values, uint64_t n)
{
    if (n > 1)
        qsort(values, n, sizeof *values, xtf_compare_doubles);
}

/* Returns the measured values, except the values from a process to itself. The caller frees the array. Returns NULL
 * without enough memory. */
static double *copy_measured(const double *values, const XtfLinkSides *sides, uint64_t *n)
{
    double *copies = g_try_new(double, (size_t)sides->senders->len * sides->n_receivers + 1);

    *n = 0;
    for (uint32_t s = 0; copies && s < sides->senders->len; s++)
        for (uint32_t r = 0; r < sides->n_receivers; r++) {
            double value = values[(size_t)s * sides->n_receivers + r];
            if (!isnan(value) && !is_self(sides, s, r))
                copies[(*n)++] = value;
        }
    return copies;
}

/* Returns the index of a process among the senders; UINT32_MAX if it is not one of them. */
static uint32_t find_process(const XtfLinkSides *sides, uint64_t proc)
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

/* Returns the mean relative difference of a pair's two directions; NaN if no pair was measured both ways. */
static double compute_asymmetry(const double *values, const XtfLinkSides *sides)
{
    g_autofree uint32_t *sender_at = g_new(uint32_t, sides->n_receivers + 1);
    g_autofree uint32_t *receiver_at = g_new(uint32_t, sides->senders->len + 1);
    uint64_t pairs = 0;
    double sum = 0;

    for (uint32_t s = 0; s < sides->senders->len; s++)
        receiver_at[s] = UINT32_MAX;
    for (uint32_t r = 0; r < sides->n_receivers; r++) {
        sender_at[r] = find_process(sides, sides->receivers[r]);
        if (sender_at[r] != UINT32_MAX)
            receiver_at[sender_at[r]] = r;
    }
    for (uint32_t s = 0; s < sides->senders->len; s++)
        for (uint32_t r = 0; r < sides->n_receivers; r++) {
            if (receiver_at[s] == UINT32_MAX || sender_at[r] == UINT32_MAX || s >= sender_at[r])
                continue;
            double forth = values[(size_t)s * sides->n_receivers + r];
            double back = values[(size_t)sender_at[r] * sides->n_receivers + receiver_at[s]];
            if (isnan(forth) || isnan(back) || forth + back <= 0)
                continue;
            sum += fabs(forth - back) / ((forth + back) / 2);
            pairs++;
        }
    return pairs > 0 ? sum / (double)pairs : NAN;
}

bool xtf_link_statistics(const double *values, const XtfLinkSides *sides, XtfLinkStatistics *statistics, GError **error)
{
    uint64_t n;
    g_autofree double *sorted = copy_measured(values, sides, &n);
    double sum = 0, squares = 0;

    if (!sorted)
        return xtf_links_fail_too_large(sides, error);
    *statistics = (XtfLinkStatistics){.pairs = n};
    if (n == 0)
        return true;
    sort_values(sorted, n);
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
    statistics->asymmetry = compute_asymmetry(values, sides);
    return true;
}

/* ---- Outliers. */

/* The pairs of one kind in a row or a column. */
typedef struct {
    double median, limit;   /* limit: greatest usual distance from the median */
    uint32_t n, n_outliers; /* number of values, and of outliers */
} Line;

enum {
    KINDS = 2, /* kinds of pairs: 0: on different or unknown nodes; 1: on one node */
};

/* Computes the median and limit of the values, which it overwrites. */
static Line describe_values(double *values, uint32_t n)
{
    Line line = {.n = n};

    if (n == 0)
        return line;
    sort_values(values, n);
    line.median = quantile(values, n, 0.5);
    for (uint32_t i = 0; i < n; i++)
        values[i] = fabs(values[i] - line.median);
    sort_values(values, n);
    line.limit = OUTLIER_SIGMAS * MAD_TO_SIGMA * quantile(values, n, 0.5);
    return line;
}

typedef struct {
    const double *values;
    const XtfLinkSides *sides;
    bool *one_node;                         /* by pair: on one node */
    Line (*rows)[KINDS], (*columns)[KINDS]; /* `rows` by sender, `columns` by receiver */
} Search;

static bool value_at(const Search *search, uint32_t s, uint32_t r, double *value)
{
    *value = search->values[(size_t)s * search->sides->n_receivers + r];
    return !isnan(*value) && !is_self(search->sides, s, r);
}

static bool on_one_node(const Search *search, uint32_t s, uint32_t r)
{
    return search->one_node[(size_t)s * search->sides->n_receivers + r];
}

static void describe_lines(Search *search)
{
    uint32_t n_senders = search->sides->senders->len, n_receivers = search->sides->n_receivers, n;
    g_autofree double *line = g_new(double, MAX(n_senders, n_receivers) + 1);

    for (uint32_t s = 0; s < n_senders; s++)
        for (uint32_t r = 0; r < n_receivers; r++)
            search->one_node[(size_t)s * n_receivers + r] = xtf_link_on_one_node(search->sides, s, r);
    for (unsigned kind = 0; kind < KINDS; kind++) {
        for (uint32_t s = 0; s < n_senders; s++) {
            n = 0;
            for (uint32_t r = 0; r < n_receivers; r++)
                n += on_one_node(search, s, r) == kind && value_at(search, s, r, &line[n]);
            search->rows[s][kind] = describe_values(line, n);
        }
        for (uint32_t r = 0; r < n_receivers; r++) {
            n = 0;
            for (uint32_t s = 0; s < n_senders; s++)
                n += on_one_node(search, s, r) == kind && value_at(search, s, r, &line[n]);
            search->columns[r][kind] = describe_values(line, n);
        }
    }
}

static bool is_outlier(const Line *line, double value)
{
    return fabs(value - line->median) > line->limit;
}

static void find_outliers(Search *search, GArray *outliers)
{
    for (uint32_t s = 0; s < search->sides->senders->len; s++)
        for (uint32_t r = 0; r < search->sides->n_receivers; r++) {
            bool one_node = on_one_node(search, s, r);
            Line *row = &search->rows[s][one_node], *column = &search->columns[r][one_node];
            XtfOutlier outlier = {.sender = s, .receiver = r};
            if (!value_at(search, s, r, &outlier.value))
                continue;
            bool by_row = is_outlier(row, outlier.value);
            if (!by_row && !is_outlier(column, outlier.value))
                continue;
            outlier.expected = by_row ? row->median : column->median;
            row->n_outliers++;
            column->n_outliers++;
            g_array_append_val(outliers, outlier);
        }
}

/* True if more than half of a row or a column are outliers. */
static bool has_most_outliers(const Line lines[static KINDS])
{
    uint32_t n = lines[0].n + lines[1].n;

    return n > 1 && 2 * (lines[0].n_outliers + lines[1].n_outliers) > n;
}

static int compare_outliers(const void *a, const void *b)
{
    const XtfOutlier *x = a, *y = b;
    double distance_x = fabs(x->value - x->expected), distance_y = fabs(y->value - y->expected);

    if (distance_x != distance_y)
        return distance_x > distance_y ? -1 : 1;
    return x->sender != y->sender ? (x->sender > y->sender) - (x->sender < y->sender)
                                  : (x->receiver > y->receiver) - (x->receiver < y->receiver);
}

GArray *xtf_link_outliers(const double *values, const XtfLinkSides *sides, GError **error)
{
    uint32_t n_senders = sides->senders->len, n_receivers = sides->n_receivers;
    g_autofree bool *one_node = g_try_new(bool, (size_t)n_senders *n_receivers + 1);
    g_autofree Line *lines = g_new0(Line, ((size_t)n_senders + n_receivers + 1) * KINDS);
    Search search = {values, sides, one_node, (Line(*)[KINDS])lines,
                     (Line(*)[KINDS])(lines + (size_t)n_senders * KINDS)};

    if (!one_node) {
        xtf_links_fail_too_large(sides, error);
        return NULL;
    }
    GArray *outliers = g_array_new(FALSE, FALSE, sizeof(XtfOutlier));
    describe_lines(&search);
    find_outliers(&search, outliers);
    for (guint i = 0; i < outliers->len; i++) {
        XtfOutlier *outlier = &g_array_index(outliers, XtfOutlier, i);
        if (has_most_outliers(search.rows[outlier->sender]))
            outlier->reason = XTF_OUTLIER_SENDER;
        else if (has_most_outliers(search.columns[outlier->receiver]))
            outlier->reason = XTF_OUTLIER_RECEIVER;
    }
    g_array_sort(outliers, compare_outliers);
    return outliers;
}
