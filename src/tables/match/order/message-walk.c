#include "src/tables/match/order/message-walk.h"

#include "libxtf/group-filter.h"

void xtf_message_walk_init(XtfMessageWalk *walk, const XtfMessageSide *side)
{
    *walk = (XtfMessageWalk){.side = side, .reach = XTF_WALK_REACH, .only = xtf_message_only_location(side)};
    if (walk->only < side->process->n)
        xtf_cursor_init(&walk->cursor, &side->process->locations[walk->only].arrays[side->kind]);
}

void xtf_message_walk_finish(XtfMessageWalk *walk)
{
    walk->placed = walk->has_rows = false;
    xtf_cursor_finish(&walk->cursor);
}

/* Moves to a row, which has number k. */
static bool stay_at(XtfMessageWalk *walk, uint64_t row, uint64_t k, GError **error)
{
    walk->number = k;
    return xtf_cursor_seek_n(&walk->cursor, row, &walk->placed, error);
}

/* Moves to the next message of the group, before row `end`. Reads at most *rows rows, and counts them off. *found is
 * false if there is none among them. Then the walk has no place. */
static bool step(XtfMessageWalk *walk, uint64_t end, uint32_t *rows, bool *found, GError **error)
{
    const XtfMessageSide *side = walk->side;
    const XtfMessageLocation *location = &side->process->locations[walk->only];
    const XtfMessageType *type = &side->types->types[side->kind];
    const XtfGroupFilter filter = {.exact = side->envelope};
    bool on = true, cancelled = false;

    *found = walk->placed = false;
    while (*rows > 0 && !*found) {
        --*rows;
        if (!xtf_cursor_next(&walk->cursor, 1, &on, error))
            return false;
        if (!on || walk->cursor.n >= end)
            return true;
        if (!xtf_row_matches(type->schema, type->envelopes, &filter, xtf_cursor_row(&walk->cursor)))
            continue;
        if (side->kind == XTF_MESSAGES_SENDS &&
            !xtf_message_is_cancelled(side->types, location, walk->cursor.n, &cancelled, error))
            return false;
        *found = !cancelled;
    }
    walk->placed = *found;
    walk->number += *found;
    return true;
}

/* True if the location has an index, which answers sooner than the next rows. Finds the group's rows in it, unless some
 * of them may be cancelled. */
static bool has_index(XtfMessageWalk *walk)
{
    const XtfMessageSide *side = walk->side;
    XtfMessageLocation *location = &side->process->locations[walk->only];

    if (walk->has_rows)
        return true;
    if (walk->only == side->process->n)
        return false;
    const XtfMessageIndex *index = xtf_message_index_made(&location->indexes[side->kind]);
    walk->has_rows = index && (side->kind != XTF_MESSAGES_SENDS || !location->has[XTF_MESSAGES_CANCELLED]);
    if (walk->has_rows)
        walk->rows = xtf_message_index_rows(index, side->envelope);
    return index != NULL;
}

bool xtf_message_walk_select(XtfMessageWalk *walk, uint64_t k, XtfMessagePlace *place, bool *found, GError **error)
{
    bool on = walk->placed && walk->number <= k;
    uint32_t rows = walk->reach;

    if (has_index(walk)) {
        if (!walk->has_rows)
            return xtf_message_select(walk->side, k, place, found, error);
        *found = k < walk->rows.n;
        if (*found)
            *place = (XtfMessagePlace){walk->only, walk->rows.rows[k]};
        return true;
    }
    while (on && walk->number < k)
        if (!step(walk, UINT64_MAX, &rows, &on, error))
            return false;
    *found = on;
    if (on) {
        *place = (XtfMessagePlace){walk->only, walk->cursor.n};
        return true;
    }
    walk->placed = false;
    return xtf_message_select(walk->side, k, place, found, error) &&
           (!*found || walk->only == walk->side->process->n || stay_at(walk, place->row, k, error));
}

bool xtf_message_walk_rank(XtfMessageWalk *walk, const XtfMessagePlace *place, uint64_t *k, GError **error)
{
    bool on = walk->placed && place->location == walk->only && walk->cursor.n <= place->row;
    uint32_t rows = walk->reach;

    if (has_index(walk)) {
        if (!walk->has_rows || place->location != walk->only)
            return xtf_message_rank(walk->side, place, k, error);
        *k = xtf_group_rows_rank(&walk->rows, place->row);
        return true;
    }
    while (on && walk->cursor.n < place->row)
        if (!step(walk, place->row + 1, &rows, &on, error))
            return false;
    if (on) {
        *k = walk->number;
        return true;
    }
    walk->placed = false;
    return xtf_message_rank(walk->side, place, k, error) &&
           (place->location != walk->only || stay_at(walk, place->row, *k, error));
}
