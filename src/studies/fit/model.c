#include "src/studies/fit/model.h"

#include <math.h>
#include <string.h>

static const XtfScalingTerm constant_term = {0, 1, 0};

/* A constant below this part of the greatest value is rounding, and counts as 0. */
static const double least_part = 1e-9;

/* A term must have less than this part of the constant model's error. One in ten constants with noise still gets a
 * term; with 1 one in three would get one. A later term must have less than this part of a former term's error. */
static const double better_than_constant = 0.7, better_than_term = 0.999;

void xtf_scaling_points_init(XtfScalingPoints *points, const double *processes, unsigned n, bool falls)
{
    unsigned set = (n < XTF_SCALING_POINTS_FEW ? XTF_SCALING_FEW : 0) | (falls ? XTF_SCALING_FALLING : 0);

    memcpy(points->processes, processes, n * sizeof *processes);
    points->n = n;
    points->n_terms = xtf_scaling_terms(set, points->terms);
    for (unsigned term = 0; term < points->n_terms; term++) {
        for (unsigned i = 0; i < n; i++)
            points->at[term][i] = xtf_scaling_term_at(&points->terms[term], processes[i]);
    }
}

/* Values to fit, by point. Their weights are the inverse squares of the values. A value of 0 counts as the least value
 * above 0, so that its weight is finite. */
typedef struct {
    unsigned n;
    const double *values;
    double weights[XTF_SCALING_POINTS_MAX];
} Weighted;

static void weigh_values(Weighted *weighted, const double *values, unsigned n)
{
    double least = INFINITY;

    for (unsigned i = 0; i < n; i++)
        least = values[i] > 0 ? fmin(least, values[i]) : least;
    weighted->n = n;
    weighted->values = values;
    for (unsigned i = 0; i < n; i++) {
        double value = fmax(values[i], least);
        weighted->weights[i] = isfinite(value) ? 1 / (value * value) : 1;
    }
}

/* Fits all points but `without`, which may be n for none. `f` has the term's values, by point; NULL: a constant. */
static void solve(const Weighted *weighted, const double *f, unsigned without, double *constant, double *factor)
{
    double w = 0, wf = 0, wff = 0, wy = 0, wfy = 0, most = 0;

    for (unsigned i = 0; i < weighted->n; i++) {
        if (i == without)
            continue;
        double weight = weighted->weights[i], x = f ? f[i] : 0, y = weighted->values[i];
        w += weight;
        wf += weight * x;
        wff += weight * x * x;
        wy += weight * y;
        wfy += weight * x * y;
        most = fmax(most, y);
    }
    double determinant = w * wff - wf * wf;
    *constant = wy / w;
    *factor = 0;
    if (!(determinant > 1e-12 * w * wff)) /* the term is constant, or has the same value at all points */
        return;
    double slope = (w * wfy - wf * wy) / determinant;
    if (!(slope > 0))
        return;
    double level = (wy - slope * wf) / w;
    bool is_zero = level < most * least_part;
    *factor = is_zero ? wfy / wff : slope;
    *constant = is_zero ? 0 : level;
}

/* Returns the SMAPE of all points, each predicted by a fit of the others. Stops once it exceeds `most`. */
static double error_of(const Weighted *weighted, const double *f, double most)
{
    double sum = 0, bound = most * weighted->n, constant, factor;

    for (unsigned i = 0; i < weighted->n && sum <= bound; i++) {
        solve(weighted, f, i, &constant, &factor);
        double predicted = constant + (f ? factor * f[i] : 0), size = predicted + weighted->values[i];
        if (size > 0)
            sum += 2 * fabs(predicted - weighted->values[i]) / size;
    }
    return sum / weighted->n;
}

void xtf_scaling_fit(const XtfScalingPoints *points, const double *values, XtfScalingModel *model)
{
    Weighted weighted;
    const double *chosen = NULL;

    weigh_values(&weighted, values, points->n);
    *model = (XtfScalingModel){.term = constant_term, .smape = error_of(&weighted, NULL, 2)};
    for (unsigned term = 0; term < points->n_terms; term++) {
        double bound = model->smape * (chosen ? better_than_term : better_than_constant);
        double error = error_of(&weighted, points->at[term], bound);
        if (error >= bound)
            continue;
        chosen = points->at[term];
        model->term = points->terms[term];
        model->smape = error;
    }
    solve(&weighted, chosen, points->n, &model->constant, &model->factor);
    if (model->factor == 0)
        model->term = constant_term;
}

void xtf_scaling_fit_term(const XtfScalingPoints *points, const double *values, const XtfScalingTerm *term,
                          XtfScalingModel *model)
{
    double f[XTF_SCALING_POINTS_MAX];
    Weighted weighted;

    for (unsigned i = 0; i < points->n; i++)
        f[i] = xtf_scaling_term_at(term, points->processes[i]);
    weigh_values(&weighted, values, points->n);
    *model = (XtfScalingModel){.term = *term};
    solve(&weighted, f, points->n, &model->constant, &model->factor);
}
