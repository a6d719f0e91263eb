/*
 * Scaling models: a value as a function of the number of processes p,
 *
 *     y(p) = constant + factor * term(p),    constant and factor at least 0.
 *
 * A fit minimizes the sum of the squares of the relative errors, since the noise of a time grows with the time. The
 * term is chosen that best predicts points left out of the fit, one at a time. The error is the symmetric mean absolute
 * percentage error (SMAPE) over all points. A constant model is kept unless a term is better by far.
 *
 * Immutable after xtf_scaling_points_init(): any thread may use the points.
 */
#pragma once

#include "src/studies/fit/terms.h"

enum {
    XTF_SCALING_POINTS_LEAST = 3, /* numbers of processes that a model needs */
    XTF_SCALING_POINTS_FEW = 5,   /* with fewer numbers of processes, models are weak */
    XTF_SCALING_POINTS_MAX = 64,
};

/* The numbers of processes at which values were measured, and the values of all terms there. */
typedef struct {
    unsigned n;
    double processes[XTF_SCALING_POINTS_MAX]; /* ascending, all different, at least 1 */
    unsigned n_terms;
    XtfScalingTerm terms[XTF_SCALING_TERMS_MAX];
    double at[XTF_SCALING_TERMS_MAX][XTF_SCALING_POINTS_MAX]; /* by term and point */
} XtfScalingPoints;

typedef struct {
    XtfScalingTerm term;
    double constant, factor; /* factor 0: a constant model */
    double smape;            /* error of points that were left out, 0 to 2; 0.01 is 1 % */
} XtfScalingModel;

/* Sets the points; n is from XTF_SCALING_POINTS_LEAST to XTF_SCALING_POINTS_MAX. `falls` is true if values may fall
 * with the number of processes, as in strong scaling. */
void xtf_scaling_points_init(XtfScalingPoints *points, const double *processes, unsigned n, bool falls);

/* Chooses the model of values, by point, each at least 0. */
void xtf_scaling_fit(const XtfScalingPoints *points, const double *values, XtfScalingModel *model);
/* Chooses the model of resampled values. It has `term`, that of the model of the measured values, unless another is
 * better. */
void xtf_scaling_fit_sample(const XtfScalingPoints *points, const double *values, const XtfScalingTerm *term,
                            XtfScalingModel *model);
/* Fits a model of one term, which may be of no set. Sets the error to 0. */
void xtf_scaling_fit_term(const XtfScalingPoints *points, const double *values, const XtfScalingTerm *term,
                          XtfScalingModel *model);

static inline double xtf_scaling_at(const XtfScalingModel *model, double p)
{
    return model->constant + (model->factor > 0 ? model->factor * xtf_scaling_term_at(&model->term, p) : 0);
}
