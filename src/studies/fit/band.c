#include "src/studies/fit/band.h"

#include <math.h>
#include <stdlib.h>

#include "libxtf/base/doubles.h"
#include "libxtf/base/splitmix.h"

void xtf_scaling_sample(const XtfScalingPoints *points, const double *values, const XtfScalingModel *model,
                        uint64_t seed, XtfScalingSamples *samples)
{
    double errors[XTF_SCALING_POINTS_MAX], fitted[XTF_SCALING_POINTS_MAX], sample[XTF_SCALING_POINTS_MAX];
    unsigned n = points->n, parameters = model->factor > 0 ? 3 : 1; /* constant, factor, and the choice of the term */
    double enlarged = sqrt((double)n / (n > parameters ? n - parameters : 1));

    for (unsigned i = 0; i < n; i++) {
        fitted[i] = xtf_scaling_at(model, points->processes[i]);
        errors[i] = fitted[i] > 0 ? enlarged * (values[i] - fitted[i]) / fitted[i] : 0;
    }
    for (unsigned k = 0; k < XTF_SCALING_SAMPLES; k++) {
        for (unsigned i = 0; i < n; i++) {
            seed = xtf_splitmix_step(seed, i);
            sample[i] = fmax(fitted[i] * (1 + errors[seed % n]), 0);
        }
        xtf_scaling_fit_sample(points, sample, &model->term, &samples->models[k]);
    }
}

XtfScalingBand xtf_scaling_band_of(double *numbers)
{
    qsort(numbers, XTF_SCALING_SAMPLES, sizeof *numbers, xtf_compare_doubles);
    return (XtfScalingBand){numbers[XTF_SCALING_SAMPLES / 10],
                            numbers[XTF_SCALING_SAMPLES - XTF_SCALING_SAMPLES / 10 - 1]};
}

XtfScalingBand xtf_scaling_band(const XtfScalingSamples *samples, double p)
{
    double values[XTF_SCALING_SAMPLES];

    for (unsigned i = 0; i < XTF_SCALING_SAMPLES; i++)
        values[i] = xtf_scaling_at(&samples->models[i], p);
    return xtf_scaling_band_of(values);
}
