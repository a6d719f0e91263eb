/* The clock of the whole, and the clock maps of a part's locations in the whole. */
#include "libxtf/disk/clock-maps.h"
#include "libxtf/merge/merge-private.h"

/* Gives a clock map to an array that has none, if the caller of the merge has one. */
static bool correct_clock(const XtfMerge *merge, XtfArray *array, GError **error)
{
    const XtfClockMap *map;
    const char *fault;
    uint32_t knot;

    if (array->clock || !merge->options.clock_of)
        return true;
    map = merge->options.clock_of(array->location, merge->options.data);
    fault = map ? xtf_clock_map_fault(map, &knot) : NULL;
    if (fault)
        return xtf_fail(error, XTF_ERROR_INVALID, "the clock map of location %" PRIu64 ", knot %u: %s", array->location,
                        knot, fault);
    array->clock = map && !xtf_clock_map_is_identity(map) ? map : NULL;
    return true;
}

/* Returns the clock of a part, whose locations may have other clock maps in the whole. `removed`: its first volumes
 * were removed. */
static XtfClock corrected_clock(const XtfMerge *merge, const XtfClock *clock, const GArray *arrays, bool removed)
{
    XtfClock corrected = *clock;

    if (!merge->options.clock_of || clock->first > clock->last || arrays->len == 0)
        return corrected;
    corrected.first = UINT64_MAX;
    corrected.last = 0;
    for (guint i = 0; i < arrays->len; i++) {
        const XtfArray *array = &g_array_index(arrays, XtfArray, i);
        if (array->schema->kind != XTF_SCHEMA_RECORD)
            continue;
        corrected.first = MIN(corrected.first, xtf_clock_map_to_global(array->clock, array->local_first));
        corrected.last = MAX(corrected.last, xtf_clock_map_to_global(array->clock, array->local_last));
    }
    if (removed) /* parts in volumes are of one process, so all arrays have the same clock */
        corrected.first =
            MIN(xtf_clock_map_to_global(g_array_index(arrays, XtfArray, 0).clock, clock->first), corrected.last);
    if (clock->origin == clock->first)
        corrected.origin = corrected.first;
    corrected.origin = MIN(corrected.origin, corrected.first);
    return corrected;
}

static void add_clock(XtfMerge *merge, const XtfClock *clock)
{
    XtfClock *whole = &merge->clock;

    if (merge->parts->len == 0)
        *whole = *clock;
    bool records = clock->first <= clock->last, known = whole->first <= whole->last;
    /* A part without records may have no origin; then 0 is stored. */
    bool has_origin = records || clock->origin > 0, whole_has = known || whole->origin > 0;
    if (has_origin)
        whole->origin = whole_has ? MIN(whole->origin, clock->origin) : clock->origin;
    whole->complete = UINT64_MAX; /* a merged trace does not grow */
    if (records) {
        whole->first = known ? MIN(whole->first, clock->first) : clock->first;
        whole->last = known ? MAX(whole->last, clock->last) : clock->last;
    }
}

/* Returns the number of a clock map in the whole. */
static uint32_t add_clock_map(XtfMerge *merge, const XtfClockMap *map)
{
    guint n = g_hash_table_size(merge->clocks);

    if (!map)
        return 0;
    const XtfClockMap *known = xtf_clock_set_add(merge->clocks, map);
    if (known->id > n)
        xtf_clock_map_encode(known, merge->clock_bytes);
    return known->id;
}

/* Checks that the knots of the whole do not exceed a writer's limit for one file. */
static bool check_knots(const XtfMerge *merge, const XtfPart *part, GError **error)
{
    size_t maps = g_hash_table_size(merge->clocks) * sizeof(XtfDiskClockMap);

    return (merge->clock_bytes->len - maps) / sizeof(XtfDiskClockKnot) <= XTF_CLOCK_KNOTS_MAX ||
           xtf_fail(error, XTF_ERROR_TOO_LARGE,
                    "%s: the clock maps of the parts up to this one have more than %d knots", part->path,
                    XTF_CLOCK_KNOTS_MAX);
}

bool xtf_merge_add_clocks(XtfMerge *merge, const XtfPart *part, GArray *arrays, bool removed, GError **error)
{
    for (guint i = 0; i < arrays->len; i++)
        if (!correct_clock(merge, &g_array_index(arrays, XtfArray, i), error))
            return false;
    const XtfClock clock = corrected_clock(merge, &part->clock, arrays, removed);
    add_clock(merge, &clock);
    if (removed)
        merge->kept_from = MAX(merge->kept_from, clock.first);
    for (guint i = 0; i < arrays->len; i++) {
        XtfArray *array = &g_array_index(arrays, XtfArray, i);
        array->clock_map = add_clock_map(merge, array->clock);
        array->clock = NULL;
    }
    return check_knots(merge, part, error);
}
