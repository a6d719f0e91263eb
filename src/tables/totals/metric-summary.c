#include "src/tables/totals/metric-summary.h"

static double real_of(XtfValueKind kind, uint64_t bits)
{
    if (kind == XTF_KIND_SIGNED)
        return (double)(int64_t)bits;
    return kind == XTF_KIND_REAL ? xtf_f64_from_bits(bits) : (double)bits;
}

static bool is_less(XtfValueKind kind, uint64_t a, uint64_t b)
{
    return xtf_value_less(kind == XTF_KIND_REAL     ? XTF_TYPE_F64
                          : kind == XTF_KIND_SIGNED ? XTF_TYPE_I64
                                                    : XTF_TYPE_U64,
                          a, b);
}

static __int128 wide_of(XtfValueKind kind, uint64_t bits)
{
    return kind == XTF_KIND_SIGNED ? (__int128)(int64_t)bits : (__int128)bits;
}

/*
 * Computes the true sum, of which totals->sum is the remainder modulo 2^64. The true sum lies between n * min and
 * n * max. If these are less than 2^64 apart, only one number between them has that remainder. Otherwise the sum is
 * unknown: returns false.
 */
static bool find_whole_sum(const XtfMetricTotals *totals, __int128 *sum)
{
    __int128 least, most;

    if (__builtin_mul_overflow(wide_of(totals->kind, totals->min), (__int128)totals->n, &least) ||
        __builtin_mul_overflow(wide_of(totals->kind, totals->max), (__int128)totals->n, &most) || most < least ||
        (unsigned __int128)(most - least) > UINT64_MAX)
        return false;
    return !__builtin_add_overflow(least, (__int128)(totals->sum - (uint64_t)least), sum);
}

static void convert_to_real(XtfMetricSummary *summary)
{
    if (summary->kind == XTF_KIND_REAL)
        return;
    summary->min = xtf_f64_to_bits(real_of(summary->kind, summary->min));
    summary->max = xtf_f64_to_bits(real_of(summary->kind, summary->max));
    summary->last = xtf_f64_to_bits(real_of(summary->kind, summary->last));
    summary->real_sum = (double)summary->sum;
    summary->kind = XTF_KIND_REAL;
}

void xtf_metric_summary_add(XtfMetricSummary *summary, const XtfMetricTotals *totals)
{
    uint64_t min = totals->min, max = totals->max;
    bool has_extremes = !is_less(totals->kind, max, min);
    __int128 sum = 0;

    if (!summary->n) {
        summary->kind = totals->kind;
        summary->has_sum = true;
    }
    summary->n += totals->n;
    if (totals->kind != XTF_KIND_REAL)
        summary->has_sum = summary->has_sum && find_whole_sum(totals, &sum);
    if (summary->kind != totals->kind) {
        convert_to_real(summary);
        min = xtf_f64_to_bits(real_of(totals->kind, min));
        max = xtf_f64_to_bits(real_of(totals->kind, max));
    }
    if (totals->kind == XTF_KIND_REAL)
        summary->real_sum += real_of(XTF_KIND_REAL, totals->sum);
    else if (summary->kind == XTF_KIND_REAL)
        summary->real_sum += (double)sum;
    else if (__builtin_add_overflow(summary->sum, sum, &summary->sum))
        summary->has_sum = false;
    if (!has_extremes)
        return;
    if (!summary->has_extremes || is_less(summary->kind, min, summary->min))
        summary->min = min;
    if (!summary->has_extremes || is_less(summary->kind, summary->max, max))
        summary->max = max;
    summary->has_extremes = true;
}

void xtf_metric_summary_add_last(XtfMetricSummary *summary, XtfValueKind kind, uint64_t value, uint64_t time,
                                 uint64_t location)
{
    if (summary->has_last && (time < summary->time || (time == summary->time && location < summary->location)))
        return;
    summary->has_last = true;
    summary->last = summary->kind == kind ? value : xtf_f64_to_bits(real_of(kind, value));
    summary->time = time;
    summary->location = location;
}

bool xtf_metric_summary_mean(const XtfMetricSummary *summary, double *mean)
{
    if (!summary->has_sum || !summary->n)
        return false;
    *mean = (summary->kind == XTF_KIND_REAL ? summary->real_sum : (double)summary->sum) / (double)summary->n;
    return true;
}
