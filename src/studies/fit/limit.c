#include "src/studies/fit/limit.h"

#include <math.h>
#include <string.h>

/* Numbers of processes are tried in steps of this factor, and between the two around the best one exactly. */
static const double step = 1.04;

void xtf_scaling_sum_add(XtfScalingSum *sum, const XtfScalingModel *model)
{
    unsigned i = 0;

    sum->constant += model->constant;
    if (!(model->factor > 0))
        return;
    while (i < sum->n && memcmp(&sum->terms[i], &model->term, sizeof model->term) != 0)
        i++;
    if (i == XTF_SCALING_TERMS_MAX)
        return;
    if (i == sum->n) {
        sum->terms[i] = model->term;
        sum->factors[sum->n++] = 0;
    }
    sum->factors[i] += model->factor;
}

double xtf_scaling_sum_at(const XtfScalingSum *sum, double p)
{
    double value = sum->constant;

    for (unsigned i = 0; i < sum->n; i++)
        value += sum->factors[i] * xtf_scaling_term_at(&sum->terms[i], p);
    return value;
}

/* Returns the next number of processes to try. */
static double next(double p)
{
    return fmax(p + 1, floor(p * step));
}

/* Finds the least whole number in [low, high] at which the sum, which has one minimum there, is least. */
static double find_minimum(const XtfScalingSum *sum, double low, double high)
{
    while (low < high) {
        double middle = floor((low + high) / 2);
        if (xtf_scaling_sum_at(sum, middle) <= xtf_scaling_sum_at(sum, middle + 1))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

double xtf_scaling_least(const XtfScalingSum *sum, double from, double to)
{
    double before = from, low = from, high = to, least = xtf_scaling_sum_at(sum, from);
    bool follows_best = true; /* the last number tried is the best one yet */

    for (double p = next(from); p <= to; before = p, p = next(p)) {
        double value = xtf_scaling_sum_at(sum, p);
        if (follows_best)
            high = p;
        follows_best = value < least;
        if (!follows_best)
            continue;
        low = before;
        high = to;
        least = value;
    }
    return find_minimum(sum, low, high);
}

double xtf_scaling_efficiency(const XtfScalingSum *sum, XtfScalingKind kind, double base, double p)
{
    double ratio = xtf_scaling_sum_at(sum, base) / xtf_scaling_sum_at(sum, p);

    return kind == XTF_SCALING_STRONG ? ratio * base / p : ratio;
}

double xtf_scaling_inefficient(const XtfScalingSum *sum, XtfScalingKind kind, double base, double to, double least)
{
    double low = base, high = next(base);

    while (high <= to && xtf_scaling_efficiency(sum, kind, base, high) >= least) {
        low = high;
        high = next(high);
    }
    if (high > to)
        return 0;
    while (high - low > 1) {
        double middle = floor((low + high) / 2);
        if (xtf_scaling_efficiency(sum, kind, base, middle) < least)
            high = middle;
        else
            low = middle;
    }
    return high;
}
