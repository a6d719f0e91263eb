#include "src/network/cluster/noise.h"

#include <math.h>

#include "libxtf/error.h"

/* Standard deviation of a normal distribution / its median absolute deviation. */
#define STDDEV_PER_MAD 1.4826

/* Returns the k-th least value. Reorders the values: no greater one is before it. Hoare's FIND, CACM 4, 1961. */
static double select_value(double *values, size_t n, size_t k)
{
    size_t low = 0, high = n - 1;

    while (low < high) {
        double pivot = values[low + (high - low) / 2];
        size_t i = low, j = high;
        while (i <= j) {
            while (values[i] < pivot)
                i++;
            while (pivot < values[j])
                j--;
            if (i > j)
                break;
            double value = values[i];
            values[i++] = values[j];
            values[j] = value;
            if (j-- == 0)
                break;
        }
        if (k >= i)
            low = i;
        else if (j != SIZE_MAX && k <= j)
            high = j;
        else
            break;
    }
    return values[k];
}

static double median_of(double *values, size_t n)
{
    double upper = select_value(values, n, n / 2);
    return n % 2 ? upper : (select_value(values, n, n / 2 - 1) + upper) / 2;
}

/* Computes the noise of one step of length; NaN if no pair was measured at both lengths. Overwrites `from`. */
static double compute_step_noise(double *from, const double *to, size_t n_pairs)
{
    size_t n = 0;

    for (size_t pair = 0; pair < n_pairs; pair++) {
        if (xtf_is_measured(from[pair]) && xtf_is_measured(to[pair]) && from[pair] > 0 && to[pair] > 0)
            from[n++] = log(to[pair] / from[pair]);
    }
    if (n == 0)
        return NAN;
    double median = median_of(from, n);
    for (size_t i = 0; i < n; i++)
        from[i] = fabs(from[i] - median);
    return STDDEV_PER_MAD * median_of(from, n) / sqrt(2);
}

bool xtf_cluster_noise(const XtfMatrixSource *source, const atomic_bool *cancel, double *noise, GError **error)
{
    size_t n_pairs = (size_t)source->n_procs * source->n_procs, n = 0;
    g_autofree double *from = g_try_new(double, n_pairs), *to = g_try_new(double, n_pairs);
    double step_noises[XTF_NOISE_STEPS];
    uint32_t n_steps = source->n_matrices > 0 ? MIN(source->n_matrices - 1, XTF_NOISE_STEPS) : 0;

    if (!from || !to)
        return xtf_fail(error, XTF_ERROR_TOO_LARGE, "not enough memory for two matrices of %" PRIu32 " processors",
                        source->n_procs);
    for (uint32_t step = 0; step < n_steps; step++) {
        uint32_t matrix = (uint32_t)((uint64_t)step * (source->n_matrices - 1) / n_steps);
        if (cancel && atomic_load_explicit(cancel, memory_order_relaxed))
            return xtf_fail(error, XTF_ERROR_CANCELLED, "interrupted");
        if (!source->read(source->data, matrix, from, error) || !source->read(source->data, matrix + 1, to, error))
            return false;
        double step_noise = compute_step_noise(from, to, n_pairs);
        if (!isnan(step_noise))
            step_noises[n++] = step_noise;
    }
    *noise = n > 0 ? median_of(step_noises, n) : NAN;
    return true;
}

XtfThreshold xtf_cluster_threshold(double noise, bool average, uint32_t n_matrices)
{
    double value = XTF_NOISE_FACTOR * noise / (average && n_matrices > 0 ? sqrt(n_matrices) : 1);

    return (XtfThreshold){
        .kind = XTF_THRESHOLD_RELATIVE,
        .value = isnan(noise) ? XTF_THRESHOLD_ONE_LENGTH : MAX(value, XTF_THRESHOLD_LEAST),
    };
}
