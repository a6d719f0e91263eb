#include "src/studies/fit/laws.h"

#include <math.h>

void xtf_amdahl_fit(const XtfScalingPoints *points, const double *times, XtfAmdahl *amdahl)
{
    static const XtfScalingTerm divided = {-1, 1, 0};
    XtfScalingModel model;

    xtf_scaling_fit_term(points, times, &divided, &model);
    amdahl->time = model.constant + model.factor;
    amdahl->serial = amdahl->time > 0 ? model.constant / amdahl->time : 0;
}

double xtf_karp_flatt(double speedup, double p)
{
    return p > 1 ? (1 / speedup - 1 / p) / (1 - 1 / p) : NAN;
}

double xtf_gustafson_fit(const XtfScalingPoints *points, const double *times)
{
    double sum = 0, squares = 0;

    for (unsigned i = 0; i < points->n; i++) {
        double p = points->processes[i], speedup = times[i] > 0 ? p * times[0] / times[i] : p;
        sum += (p - 1) * (p - speedup);
        squares += (p - 1) * (p - 1);
    }
    return squares > 0 ? fmin(fmax(sum / squares, 0), 1) : 0;
}
