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
        least = values[i] > 0 && values[i] < least ? values[i] : least;
    weighted->n = n;
    weighted->values = values;
    for (unsigned i = 0; i < n; i++) {
        double value = values[i] > least ? values[i] : least;
        weighted->weights[i] = isfinite(value) ? 1 / (value * value) : 1;
    }
}

/* Sums over points, from which a fit is solved. */
typedef struct {
    double w, wf, wff, wy, wfy, most;
} Sums;

/* Returns the sums with a point added. `f` has the term's values, by point; NULL: a constant. */
static inline Sums with_point(Sums sums, const Weighted *weighted, const double *f, unsigned i)
{
    double weight = weighted->weights[i], x = f ? f[i] : 0, y = weighted->values[i];

    return (Sums){sums.w + weight,      sums.wf + weight * x,      sums.wff + weight * x * x,
                  sums.wy + weight * y, sums.wfy + weight * x * y, sums.most > y ? sums.most : y};
}

static void solve(const Sums *sums, double *constant, double *factor)
{
    double determinant = sums->w * sums->wff - sums->wf * sums->wf;

    *constant = sums->wy / sums->w;
    *factor = 0;
    if (!(determinant > 1e-12 * sums->w * sums->wff)) /* the term has the same value at all points, or is constant */
        return;
    double slope = (sums->w * sums->wfy - sums->wf * sums->wy) / determinant;
    if (!(slope > 0))
        return;
    double level = (sums->wy - slope * sums->wf) / sums->w;
    bool is_zero = level < sums->most * least_part;
    *factor = is_zero ? sums->wfy / sums->wff : slope;
    *constant = is_zero ? 0 : level;
}

/* Returns the SMAPE of all points, each predicted by a fit of the others. Stops once it exceeds `most`. The sums
 * without a point are sums of the points before and behind it, since a difference would lose digits. */
static double error_of(const Weighted *weighted, const double *f, double most)
{
    double sum = 0, bound = most * weighted->n, constant, factor;
    Sums behind[XTF_SCALING_POINTS_MAX + 1], before = {0};

    behind[weighted->n] = (Sums){0};
    for (unsigned i = weighted->n; i-- > 1;)
        behind[i] = with_point(behind[i + 1], weighted, f, i);
    for (unsigned i = 0; i < weighted->n && sum <= bound; i++) {
        const Sums *b = &behind[i + 1];
        Sums without = {before.w + b->w,   before.wf + b->wf,   before.wff + b->wff,
                        before.wy + b->wy, before.wfy + b->wfy, before.most > b->most ? before.most : b->most};
        solve(&without, &constant, &factor);
        double predicted = constant + (f ? factor * f[i] : 0), size = predicted + weighted->values[i];
        if (size > 0)
            sum += 2 * fabs(predicted - weighted->values[i]) / size;
        before = with_point(before, weighted, f, i);
    }
    return sum / weighted->n;
}

static void fit_all(const Weighted *weighted, const double *f, XtfScalingModel *model)
{
    Sums sums = {0};

    for (unsigned i = 0; i < weighted->n; i++)
        sums = with_point(sums, weighted, f, i);
    solve(&sums, &model->constant, &model->factor);
}

static bool is_same_term(const XtfScalingTerm *a, const XtfScalingTerm *b)
{
    return a->numerator == b->numerator && a->denominator == b->denominator && a->log == b->log;
}

/* Chooses the model. `first` is a term to try before the others; NULL: none. */
static void choose_model(const XtfScalingPoints *points, const double *values, const XtfScalingTerm *first,
                         XtfScalingModel *model)
{
    Weighted weighted;
    const double *chosen = NULL;
    unsigned begin = 0;

    weigh_values(&weighted, values, points->n);
    *model = (XtfScalingModel){.term = constant_term, .smape = error_of(&weighted, NULL, 2)};
    while (first && begin < points->n_terms && !is_same_term(&points->terms[begin], first))
        begin++;
    for (unsigned k = 0; k <= points->n_terms; k++) {
        unsigned term = k == 0 ? begin : k - 1;
        if (term == points->n_terms || (k == 0 && !first))
            continue;
        double bound = model->smape * (chosen ? better_than_term : better_than_constant);
        double error = error_of(&weighted, points->at[term], bound);
        if (error >= bound)
            continue;
        chosen = points->at[term];
        model->term = points->terms[term];
        model->smape = error;
    }
    fit_all(&weighted, chosen, model);
    if (model->factor == 0)
        model->term = constant_term;
}

void xtf_scaling_fit(const XtfScalingPoints *points, const double *values, XtfScalingModel *model)
{
    choose_model(points, values, NULL, model);
}

void xtf_scaling_fit_sample(const XtfScalingPoints *points, const double *values, const XtfScalingTerm *term,
                            XtfScalingModel *model)
{
    choose_model(points, values, term, model);
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
    fit_all(&weighted, f, model);
}
