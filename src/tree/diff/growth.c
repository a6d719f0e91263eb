#include "src/tree/diff/growth.h"

#include "libxtf/error.h"
#include "src/trace/text/number-words.h"

enum { MILLION = 1000000 };

/* True if part / whole is greater than `millionths` / 1000000. */
static bool is_above(XtfWide part, XtfWide whole, uint64_t millionths)
{
    XtfWide x, y;

    if (__builtin_mul_overflow(part, MILLION, &x) || __builtin_mul_overflow(whole, millionths, &y))
        return (long double)part * MILLION > (long double)whole * (long double)millionths;
    return x > y;
}

/* Formats a time or a number of calls with three digits. */
static XtfWord format_value(XtfWide value, const XtfTimeScale *common, XtfDiffOrder by)
{
    return by == XTF_DIFF_BY_CALLS ? xtf_word_count((uint64_t)MIN(value, UINT64_MAX))
                                   : xtf_word_seconds(xtf_seconds_of(common, value));
}

/* Adds a line for a value that grew too much. `subject` says what the value is. */
static void add_failure(XtfDiffGrowth *growth, const char *label, const char *subject, const XtfWide values[2],
                        const XtfTimeScale *common, XtfDiffOrder by)
{
    double before = (double)values[0], after = (double)values[1];
    g_autofree char *grew = before > 0
                                ? g_strdup_printf("grew by %s, from", xtf_word_percent((after / before - 1) * 1e4).text)
                                : g_strdup("grew from");

    g_ptr_array_add(growth->failures, g_strdup_printf("%s: %s %s %s to %s", label, subject, grew,
                                                      format_value(values[0], common, by).text,
                                                      format_value(values[1], common, by).text));
}

/* Counts a pair of values, and adds a failure if it grew by more than the limit and by more than the noise. */
static void judge_value(XtfDiffGrowth *growth, const char *label, const char *subject, const XtfWide values[2],
                        const XtfTimeScale *common, XtfDiffOrder by)
{
    growth->n_judged++;
    if (values[1] > values[0] && is_above(values[1] - values[0], values[0], growth->limit) &&
        is_above(values[1] - values[0], growth->total, growth->noise))
        add_failure(growth, label, subject, values, common, by);
}

bool xtf_diff_judge_total(XtfDiffGrowth *growth, const XtfDiffSide sides[2], const XtfTimeScale *common,
                          XtfDiffOrder by, GError **error)
{
    XtfWide totals[2];

    for (unsigned i = 0; i < 2; i++) {
        totals[i] = sides[i].calls;
        if (!sides[i].has_regions)
            return xtf_fail(error, XTF_ERROR_NOT_FOUND, "%c: the selection has no times of regions to compare",
                            "ab"[i]);
        if (by != XTF_DIFF_BY_CALLS &&
            !xtf_common_ticks(common, xtf_diff_side_scale(&sides[i]), sides[i].regions.whole, &totals[i], error))
            return false;
    }
    growth->total = totals[0];
    judge_value(growth, "all regions", by == XTF_DIFF_BY_CALLS ? "calls" : "measured time", totals, common, by);
    return true;
}

void xtf_diff_judge_row(XtfDiffGrowth *growth, const char *label, const unsigned __int128 values[2],
                        const XtfTimeScale *common, XtfDiffOrder by)
{
    const char *subject = by == XTF_DIFF_BY_CALLS       ? "calls"
                          : by == XTF_DIFF_BY_INCLUSIVE ? "inclusive time"
                                                        : "exclusive time";

    judge_value(growth, label, subject, values, common, by);
}
