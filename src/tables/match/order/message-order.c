#include "src/tables/match/order/message-order.h"

#include "libxtf/error.h"
#include "libxtf/group-filter.h"
#include "src/trace/select/kept-rows.h"

/* ---- Cancelled sends: few, ordered by row. */

/* Counts the cancelled sends, of any group, before row n. */
static bool count_cancelled(const XtfMessageTypes *types, const XtfMessageLocation *location, uint64_t n,
                            uint64_t *count, GError **error)
{
    const XtfArray *array = &location->arrays[XTF_MESSAGES_CANCELLED];
    const XtfField *message = types->types[XTF_MESSAGES_CANCELLED].message;
    uint64_t low = 0, high = location->has[XTF_MESSAGES_CANCELLED] ? array->n_rows : 0;
    uint8_t row[XTF_ROW_MAX];

    if (high > 0 && !xtf_array_first_kept(array, &low, error))
        return false;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (!xtf_array_row(array, middle, row, error))
            return false;
        if (xtf_field_get(message, row) < n)
            low = middle + 1;
        else
            high = middle;
    }
    *count = low;
    return true;
}

bool xtf_message_is_cancelled(const XtfMessageTypes *types, const XtfMessageLocation *location, uint64_t n,
                              bool *cancelled, GError **error)
{
    uint64_t before, with;

    *cancelled = false;
    if (!location->has[XTF_MESSAGES_CANCELLED])
        return true;
    if (!count_cancelled(types, location, n, &before, error) || !count_cancelled(types, location, n + 1, &with, error))
        return false;
    *cancelled = with > before;
    return true;
}

/* ---- Order in one location. */

static unsigned aggregate_of(const XtfMessageSide *side, XtfMessagesKind kind)
{
    return side->types->types[kind].envelopes;
}

/* Counts the group's cancelled sends before row n. */
static bool count_group_cancelled(const XtfMessageSide *side, const XtfMessageLocation *location, uint64_t n,
                                  uint64_t *count, GError **error)
{
    const XtfGroupFilter filter = {.exact = side->envelope};

    *count = 0;
    if (side->kind != XTF_MESSAGES_SENDS || !location->has[XTF_MESSAGES_CANCELLED])
        return true;
    const XtfArray *array = &location->arrays[XTF_MESSAGES_CANCELLED];
    uint64_t before = array->n_rows;
    return (n == UINT64_MAX || count_cancelled(side->types, location, n, &before, error)) &&
           xtf_array_group_rank(array, aggregate_of(side, XTF_MESSAGES_CANCELLED), &filter, before, count, error);
}

/* Finds the group's rows in the index of a location. Returns false if the location has no index. */
static bool find_rows(const XtfMessageSide *side, XtfMessageLocation *location, XtfGroupRows *rows)
{
    const XtfMessageIndex *index =
        xtf_message_index_find(&location->indexes[side->kind], side->process->bounds, &side->types->types[side->kind],
                               &location->arrays[side->kind]);

    if (index)
        *rows = xtf_message_index_rows(index, side->envelope);
    return index != NULL;
}

/* Counts the group's rows in a location before row n, cancelled ones included. */
static bool rank_row(const XtfMessageSide *side, XtfMessageLocation *location, uint64_t n, uint64_t *k, GError **error)
{
    const XtfGroupFilter filter = {.exact = side->envelope};
    XtfGroupRows rows;

    if (!find_rows(side, location, &rows))
        return xtf_array_group_rank(&location->arrays[side->kind], aggregate_of(side, side->kind), &filter, n, k,
                                    error);
    *k = xtf_group_rows_rank(&rows, n);
    return true;
}

/* Finds the row of a location with k of the group's rows before it, cancelled ones included; n_rows if there is none.
 */
static bool select_row(const XtfMessageSide *side, XtfMessageLocation *location, uint64_t k, uint64_t *n,
                       GError **error)
{
    const XtfGroupFilter filter = {.exact = side->envelope};
    const XtfArray *array = &location->arrays[side->kind];
    XtfGroupRows rows;

    if (!find_rows(side, location, &rows))
        return xtf_kept_select(array, aggregate_of(side, side->kind), &filter, k, n, error);
    *n = k < rows.n ? rows.rows[k] : array->n_rows;
    return true;
}

bool xtf_message_rank_in(const XtfMessageSide *side, uint32_t index, uint64_t n, uint64_t *k, GError **error)
{
    XtfMessageLocation *location = &side->process->locations[index];
    uint64_t cancelled;

    *k = 0;
    if (!location->has[side->kind])
        return true;
    if (!rank_row(side, location, n, k, error) || !count_group_cancelled(side, location, n, &cancelled, error))
        return false;
    *k -= MIN(*k, cancelled);
    return true;
}

bool xtf_message_select_in(const XtfMessageSide *side, uint32_t index, uint64_t k, uint64_t *n, GError **error)
{
    XtfMessageLocation *location = &side->process->locations[index];
    uint64_t cancelled = 0, before;

    *n = UINT64_MAX;
    if (!location->has[side->kind])
        return true;
    do { /* each round skips the cancelled sends found so far */
        before = cancelled;
        if (!select_row(side, location, k + before, n, error))
            return false;
        if (*n == location->arrays[side->kind].n_rows) {
            *n = UINT64_MAX;
            return true;
        }
        if (!count_group_cancelled(side, location, *n + 1, &cancelled, error))
            return false;
    } while (cancelled > before);
    return true;
}

/* ---- Order in several locations. */

/* Counts the group's messages in one location before the kept time. */
static bool count_removed_in(const XtfMessageSide *side, uint32_t index, uint64_t *k, GError **error)
{
    const XtfMessageLocation *location = &side->process->locations[index];
    uint64_t first_kept;

    *k = 0;
    return !location->has[side->kind] || (xtf_array_first_kept(&location->arrays[side->kind], &first_kept, error) &&
                                          (first_kept == 0 || xtf_message_rank_in(side, index, first_kept, k, error)));
}

bool xtf_message_count_removed(const XtfMessageSide *side, uint64_t *k, GError **error)
{
    *k = 0;
    for (uint32_t i = 0; i < side->process->n; i++) {
        uint64_t in;
        if (!count_removed_in(side, i, &in, error))
            return false;
        *k += in;
    }
    return true;
}

bool xtf_message_rows_before(const XtfMessageSide *side, const XtfMessagePlace *place, uint32_t index, uint64_t *n,
                             GError **error)
{
    const XtfMessageLocation *own = &side->process->locations[place->location];
    const XtfMessageLocation *location = &side->process->locations[index];
    uint64_t t;

    *n = place->row;
    if (index == place->location)
        return true;
    *n = 0;
    if (!location->has[side->kind])
        return true;
    if (!xtf_array_time(&own->ordered[side->kind], place->row, &t, error))
        return false;
    bool with_equals = location->id < own->id;
    if (with_equals && t == UINT64_MAX) {
        *n = location->arrays[side->kind].n_rows;
        return true;
    }
    return xtf_array_rank(&location->ordered[side->kind], t + with_equals, n, error);
}

bool xtf_message_rank(const XtfMessageSide *side, const XtfMessagePlace *place, uint64_t *k, GError **error)
{
    *k = 0;
    for (uint32_t i = 0; i < side->process->n; i++) {
        uint64_t n, in;
        if (!side->process->locations[i].has[side->kind])
            continue;
        if (!xtf_message_rows_before(side, place, i, &n, error) || !xtf_message_rank_in(side, i, n, &in, error))
            return false;
        *k += in;
    }
    return true;
}

bool xtf_message_count(const XtfMessageSide *side, uint64_t *n, GError **error)
{
    *n = 0;
    for (uint32_t i = 0; i < side->process->n; i++) {
        uint64_t in;
        if (!xtf_message_rank_in(side, i, UINT64_MAX, &in, error))
            return false;
        *n += in;
    }
    return true;
}

/* Adds a location's messages, less cancelled ones, if its index or totals of the whole array give their number. */
static bool add_counted(const XtfMessageSide *side, XtfMessageLocation *location, uint64_t *n, bool *known,
                        GError **error)
{
    const XtfGroupFilter filter = {.exact = side->envelope};
    uint64_t count, cancelled;
    XtfGroupRows rows;

    *known = true;
    if (!location->has[side->kind])
        return true;
    *known = find_rows(side, location, &rows);
    count = *known ? rows.n : 0;
    if ((!*known && !xtf_array_group_known(&location->arrays[side->kind], aggregate_of(side, side->kind), &filter,
                                           &count, known, error)) ||
        !count_group_cancelled(side, location, UINT64_MAX, &cancelled, error))
        return false;
    if (*known)
        *n += count - MIN(count, cancelled);
    return true;
}

/* Adds the messages of a location from row `from` on. */
static bool add_from(const XtfMessageSide *side, const XtfMessageLocation *location, uint64_t from, uint64_t *n,
                     GError **error)
{
    const XtfGroupFilter filter = {.exact = side->envelope};
    uint64_t count, all, before;

    if (!xtf_array_group_count(&location->arrays[side->kind], aggregate_of(side, side->kind), &filter, from, UINT64_MAX,
                               &count, error) ||
        !count_group_cancelled(side, location, UINT64_MAX, &all, error) ||
        !count_group_cancelled(side, location, from, &before, error))
        return false;
    *n += count - MIN(count, all - MIN(all, before));
    return true;
}

bool xtf_message_count_on(const XtfMessageSide *side, const XtfMessagePlace *place, uint64_t k, uint64_t *n,
                          GError **error)
{
    bool known = true;
    uint64_t from;

    *n = 0;
    for (uint32_t i = 0; i < side->process->n && known; i++)
        if (!add_counted(side, &side->process->locations[i], n, &known, error))
            return false;
    if (known)
        return true;
    *n = k;
    for (uint32_t i = 0; i < side->process->n; i++)
        if (side->process->locations[i].has[side->kind] &&
            (!xtf_message_rows_before(side, place, i, &from, error) ||
             !add_from(side, &side->process->locations[i], from, n, error)))
            return false;
    return true;
}

/* The messages of a location among which the searched place may be: [low, high). */
typedef struct {
    uint64_t low, high, here;
} Range;

static uint32_t find_widest(const Range *ranges, uint32_t n)
{
    uint32_t best = 0;

    for (uint32_t i = 1; i < n; i++)
        if (ranges[i].high - ranges[i].low > ranges[best].high - ranges[best].low)
            best = i;
    return best;
}

/* Compares the message in the middle of a location's range with message k: finds it, or narrows all ranges. */
static bool narrow_ranges(const XtfMessageSide *side, uint64_t k, Range *ranges, uint32_t at, XtfMessagePlace *place,
                          bool *found, GError **error)
{
    uint64_t middle = ranges[at].low + (ranges[at].high - ranges[at].low) / 2, rank = 0, n;

    *place = (XtfMessagePlace){.location = at};
    if (!xtf_message_select_in(side, at, middle, &place->row, error))
        return false;
    if (place->row == UINT64_MAX)
        return xtf_damaged(error, "a group of messages has fewer rows than its totals say");
    for (uint32_t i = 0; i < side->process->n; i++) {
        ranges[i].here = middle;
        if (i != at && side->process->locations[i].has[side->kind] &&
            (!xtf_message_rows_before(side, place, i, &n, error) ||
             !xtf_message_rank_in(side, i, n, &ranges[i].here, error)))
            return false;
        if (!side->process->locations[i].has[side->kind])
            ranges[i].here = 0;
        rank += ranges[i].here;
    }
    *found = rank == k;
    for (uint32_t i = 0; i < side->process->n && !*found; i++) {
        if (rank < k)
            ranges[i].low = CLAMP(ranges[i].here + (i == at), ranges[i].low, ranges[i].high);
        else
            ranges[i].high = CLAMP(ranges[i].here, ranges[i].low, ranges[i].high);
    }
    return true;
}

static bool select_of_several(const XtfMessageSide *side, uint64_t k, XtfMessagePlace *place, bool *found,
                              GError **error)
{
    g_autofree Range *ranges = g_new0(Range, side->process->n);
    uint32_t n_ranges = side->process->n, at;
    uint64_t all = 0, removed = 0;

    for (uint32_t i = 0; i < n_ranges; i++) {
        if (!xtf_message_rank_in(side, i, UINT64_MAX, &ranges[i].high, error) ||
            !count_removed_in(side, i, &ranges[i].low, error))
            return false;
        all += ranges[i].high;
        removed += ranges[i].low;
    }
    if (k >= all || k < removed)
        return true;
    for (at = find_widest(ranges, n_ranges); !*found && ranges[at].low < ranges[at].high;
         at = find_widest(ranges, n_ranges))
        if (!narrow_ranges(side, k, ranges, at, place, found, error))
            return false;
    return *found || xtf_damaged(error, "a group of messages has fewer rows than its totals say");
}

uint32_t xtf_message_only_location(const XtfMessageSide *side)
{
    uint32_t only = side->process->n;

    for (uint32_t i = 0; i < side->process->n; i++) {
        if (!side->process->locations[i].has[side->kind])
            continue;
        if (only < side->process->n)
            return side->process->n;
        only = i;
    }
    return only;
}

bool xtf_message_select(const XtfMessageSide *side, uint64_t k, XtfMessagePlace *place, bool *found, GError **error)
{
    uint32_t only = xtf_message_only_location(side);

    *found = false;
    if (only == side->process->n)
        return select_of_several(side, k, place, found, error);
    *place = (XtfMessagePlace){.location = only};
    if (!xtf_message_select_in(side, only, k, &place->row, error))
        return false;
    *found = place->row != UINT64_MAX;
    return true;
}
