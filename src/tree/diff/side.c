#include "src/tree/diff/side.h"

#include "libxtf/error.h"
#include "libxtf/trace.h"
#include "src/trace/text/digits.h"
#include "src/tree/paths/selection-dir.h"

enum {
    DIGITS_MAX = 18, /* most digits after the decimal point */
};

static bool add_messages(XtfDiffSide *side, const XtfSelectedLocations *selected, GError **error)
{
    g_auto(XtfMessageTotals) messages = {0};
    XtfMoved moved[XTF_N_MOVED];

    if (!xtf_message_totals_init(&messages, &side->directory->tree->context, side->directory->selection, error))
        return false;
    for (uint32_t i = 0; i < selected->n_procs; i++) {
        if (!xtf_message_totals_of(&messages, selected, &selected->procs[i], moved, error))
            return false;
        for (unsigned j = 0; j < XTF_N_MOVED; j++) {
            side->moved[j].rows += moved[j].rows;
            side->moved[j].bytes += moved[j].bytes;
            side->moved[j].received += moved[j].received;
        }
    }
    return true;
}

static bool add_regions(XtfDiffSide *side, GError **error)
{
    XtfTree *tree = side->directory->tree;

    if (!xtf_region_totals_load(&side->regions, &tree->formats, side->directory->selection, error))
        return false;
    const XtfRegions *regions = &side->regions.times.regions;
    for (uint64_t i = 0; i < side->regions.n; i++) {
        if (i != regions->n && xtf_region_is_listed(regions, i)) /* calls that began before the trace do not count */
            side->calls += side->regions.all[i].calls;
    }
    return true;
}

bool xtf_diff_side_load(XtfDiffSide *side, XtfNode *directory, GError **error)
{
    XtfTree *tree = directory->tree;
    XtfTraceContext *context = &tree->context;
    g_auto(XtfSelectedLocations) selected = {0};
    uint64_t from, to;

    *side = (XtfDiffSide){.directory = directory};
    if (directory->class != &xtf_selection_dir)
        return xtf_fail(error, XTF_ERROR_NOT_FOUND, "it is not a directory of records, such as proc/0 or time/1-2");
    if (!xtf_selected_locations_init(&selected, context, directory->selection, error) ||
        !xtf_resolver_count(&tree->resolver, directory->selection, &side->n_records, error) ||
        !xtf_region_texts_load(&side->texts, tree->trace, error))
        return false;
    xtf_selection_window(directory->selection, &context->scale, &from, &to);
    side->window = to - from;
    side->n_procs = selected.n_procs;
    side->n_locations = selected.n;
    side->has_regions = xtf_region_times_exist(context, directory->selection);
    side->has_messages = xtf_message_totals_exist(context, directory->selection);
    side->has_efficiency = xtf_efficiency_exists(context, directory->selection);
    xtf_message_totals_find(context, side->refs);
    return (!side->has_efficiency ||
            xtf_efficiency_measure(&tree->formats, directory->selection, &side->efficiency, error)) &&
           (!side->has_regions || add_regions(side, error)) &&
           (!side->has_messages || add_messages(side, &selected, error));
}

void xtf_diff_side_finish(XtfDiffSide *side)
{
    xtf_region_texts_finish(&side->texts);
    xtf_region_totals_finish(&side->regions);
}

/* ---- Clocks. */

void xtf_common_scale_init(XtfTimeScale *common, const XtfDiffSide sides[2])
{
    unsigned digits = MAX(xtf_diff_side_scale(&sides[0])->digits, xtf_diff_side_scale(&sides[1])->digits);
    const XtfClock clock = {
        .resolution_num = xtf_largest_of_digits(MIN(digits, DIGITS_MAX)) + 1, .resolution_den = 1, .first = 1};

    xtf_time_scale_init(common, &clock);
}

bool xtf_common_ticks(const XtfTimeScale *common, const XtfTimeScale *scale, XtfWide ticks, XtfWide *shown,
                      GError **error)
{
    XtfWide numerator = ticks % scale->num * scale->den, whole; /* numerator / num seconds are less than den */
    uint64_t parts = 0, remainder = (uint64_t)(numerator % scale->num);

    if (__builtin_mul_overflow(ticks / scale->num, (XtfWide)scale->den, &whole) ||
        __builtin_add_overflow(whole, numerator / scale->num, &whole) ||
        __builtin_mul_overflow(whole, (XtfWide)common->num, shown))
        return xtf_fail(error, XTF_ERROR_UNSUPPORTED, "the times are too long to be compared");
    for (uint64_t power = common->num; power > 1; power /= 10) { /* digit by digit: the product may be too large */
        XtfWide ten = (XtfWide)remainder * 10;
        parts = parts * 10 + (uint64_t)(ten / scale->num);
        remainder = (uint64_t)(ten % scale->num);
    }
    return !__builtin_add_overflow(*shown, parts, shown) ||
           xtf_fail(error, XTF_ERROR_UNSUPPORTED, "the times are too long to be compared");
}
