/*
 * Fits scaling models to numbers, for test_extrap.py. A line of the input has n, 1 if values may fall or else 0, n
 * numbers of processes, and n values. A line of the output has the constant and the factor. Then follow the term's
 * exponents: numerator and denominator of the exponent of p, and the exponent of log2(p).
 */
#include <stdio.h>

#include "src/studies/fit/model.h"

static bool read_numbers(double *numbers, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        if (scanf("%lf", &numbers[i]) != 1)
            return false;
    }
    return true;
}

int main(void)
{
    static XtfScalingPoints points;
    double processes[XTF_SCALING_POINTS_MAX], values[XTF_SCALING_POINTS_MAX];
    unsigned n, falls;
    XtfScalingModel model;

    while (scanf("%u %u", &n, &falls) == 2) {
        if (n < XTF_SCALING_POINTS_LEAST || n > XTF_SCALING_POINTS_MAX || !read_numbers(processes, n) ||
            !read_numbers(values, n))
            return 1;
        xtf_scaling_points_init(&points, processes, n, falls != 0);
        xtf_scaling_fit(&points, values, &model);
        printf("%.17g %.17g %d %u %u\n", model.constant, model.factor, model.term.numerator, model.term.denominator,
               model.term.log);
    }
    return 0;
}
