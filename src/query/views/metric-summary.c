#include "src/query/views/metric-summary.h"

static double real_of(XtfValueKind kind, uint64_t bits)
{
    if (kind == XTF_VALUE_SIGNED)
        return (double)(int64_t)bits;
    return kind == XTF_VALUE_REAL ? xtf_f64_from_bits(bits) : (double)bits;
}

static bool less(XtfValueKind kind, uint64_t a, uint64_t b)
{
    return xtf_value_less(kind == XTF_VALUE_REAL     ? XTF_TYPE_F64
                          : kind == XTF_VALUE_SIGNED ? XTF_TYPE_I64
                                                     : XTF_TYPE_U64,
                          a, b);
}

static __int128 wide_of(XtfValueKind kind, uint64_t bits)
{
    return kind == XTF_VALUE_SIGNED ? (__int128)(int64_t)bits : (__int128)bits;
}

/*
 * The sum that a sum modulo 2^64 stands for. It lies between n times the least value and n times the greatest; where
 * these are less than 2^64 apart, only one number there has that remainder.
 */
static bool whole_sum(const XtfMetricPart *part, __int128 *sum)
{
    __int128 least, most;

    if (__builtin_mul_overflow(wide_of(part->kind, part->min), (__int128)part->n, &least) ||
        __builtin_mul_overflow(wide_of(part->kind, part->max), (__int128)part->n, &most) || most < least ||
        (unsigned __int128)(most - least) > UINT64_MAX)
        return false;
    return !__builtin_add_overflow(least, (__int128)(part->sum - (uint64_t)least), sum);
}

static void become_real(XtfMetricSummary *series)
{
    if (series->kind == XTF_VALUE_REAL)
        return;
    series->min = xtf_f64_to_bits(real_of(series->kind, series->min));
    series->max = xtf_f64_to_bits(real_of(series->kind, series->max));
    series->last = xtf_f64_to_bits(real_of(series->kind, series->last));
    series->real_sum = (double)series->sum;
    series->kind = XTF_VALUE_REAL;
}

void xtf_metric_summary_add(XtfMetricSummary *series, const XtfMetricPart *part)
{
    uint64_t min = part->min, max = part->max;
    bool has_extremes = !less(part->kind, max, min);
    __int128 sum = 0;

    if (!series->n) {
        series->kind = part->kind;
        series->has_sum = true;
    }
    series->n += part->n;
    if (part->kind != XTF_VALUE_REAL)
        series->has_sum = series->has_sum && whole_sum(part, &sum);
    if (series->kind != part->kind) {
        become_real(series);
        min = xtf_f64_to_bits(real_of(part->kind, min));
        max = xtf_f64_to_bits(real_of(part->kind, max));
    }
    if (part->kind == XTF_VALUE_REAL)
        series->real_sum += real_of(XTF_VALUE_REAL, part->sum);
    else if (series->kind == XTF_VALUE_REAL)
        series->real_sum += (double)sum;
    else if (__builtin_add_overflow(series->sum, sum, &series->sum))
        series->has_sum = false;
    if (!has_extremes)
        return;
    if (!series->has_extremes || less(series->kind, min, series->min))
        series->min = min;
    if (!series->has_extremes || less(series->kind, series->max, max))
        series->max = max;
    series->has_extremes = true;
}

void xtf_metric_summary_add_last(XtfMetricSummary *series, XtfValueKind kind, uint64_t value, uint64_t time,
                                 uint64_t location)
{
    if (series->has_last && (time < series->time || (time == series->time && location < series->location)))
        return;
    series->has_last = true;
    series->last = series->kind == kind ? value : xtf_f64_to_bits(real_of(kind, value));
    series->time = time;
    series->location = location;
}

bool xtf_metric_summary_mean(const XtfMetricSummary *series, double *mean)
{
    if (!series->has_sum || !series->n)
        return false;
    *mean = (series->kind == XTF_VALUE_REAL ? series->real_sum : (double)series->sum) / (double)series->n;
    return true;
}
