#include "src/tables/match/message-calls.h"

#include "libxtf/aggregates.h"
#include "libxtf/error.h"
#include "libxtf/vocabulary.h"
#include "src/trace/calls/call-readers.h"
#include "src/trace/calls/enclosing-call.h"

/* Finds the time of a call's LEAVE, or the location's last time if the call is never left. */
static bool find_leave(XtfMatching *matching, const XtfMessageLocation *location, uint64_t enter, uint64_t *leave,
                       GError **error)
{
    const XtfArray *calls = &location->calls;
    uint64_t end, last;

    if (!xtf_array_frame_end(calls, matching->types.frames, enter, &end, error))
        return false;
    if (end < calls->n_rows)
        return xtf_array_time(calls, end, leave, error);
    const XtfLocations *locations = xtf_trace_context_locations(matching->context, error);
    if (!locations || !xtf_location_last(matching->context, &locations->all[location->index], &last, error))
        return false;
    *leave = xtf_clock_map_to_global(calls->clock, last);
    return true;
}

/* Returns the site of a call's ENTER. */
static uint32_t site_of(const XtfMessageTypes *types, const uint8_t *row)
{
    return types->site && !xtf_field_is_none(types->site, row) ? (uint32_t)xtf_field_get(types->site, row) : XTF_NONE32;
}

/* ---- Fast path: a call without calls inside, whose LEAVE directly follows its ENTER. A finder of frames finds it. If
 * another record has the same time, or calls have sites, a cursor does. */

enum {
    MOST_STEPS = 64, /* most rows of the record's time to skip */
};

/* Moves to the first row after the record; there may be none. *found is false if there is none, or it is too far. */
static bool seek_after(XtfCursor *cursor, const XtfField *seq_field, uint64_t t, uint64_t seq, bool *found,
                       GError **error)
{
    if (!xtf_cursor_seek_t(cursor, t, found, error))
        return false;
    for (unsigned i = 0; *found && xtf_field_get(seq_field, xtf_cursor_row(cursor)) < seq; i++) {
        *found = i < MOST_STEPS;
        if (*found && !xtf_cursor_next(cursor, 1, found, error))
            return false;
    }
    return true;
}

static XtfFrameFinder *get_frames(XtfCallFinder *finder)
{
    if (!finder->frames)
        finder->frames =
            xtf_frame_finder_new(&finder->location->calls, finder->matching->types.frames, !finder->without_uses);
    return finder->frames;
}

/* Fills the call if it is a leaf call, and no call event has the time of the record. Reads columns of frames. Sets
 * has_use to false if they have no regions. */
static bool find_leaf_frame(XtfCallFinder *finder, XtfMessageCall *call, uint64_t *region, bool *found, GError **error)
{
    const XtfMessageTypes *types = &finder->matching->types;
    XtfFrameSpan frame;

    *found = false;
    if (types->site || !types->calls_seq)
        return true;
    if (!xtf_frame_finder_at(get_frames(finder), call->record, &frame, &call->has_use, found, error))
        return false;
    if (!*found)
        return true;
    call->enter = frame.begin;
    call->leave = frame.end;
    call->row = frame.row;
    *region = frame.key;
    return true;
}

/* Fills the call if it is a leaf call, whose LEAVE directly follows its ENTER. */
static bool find_leaf_call(const XtfMessageTypes *types, XtfCursor *cursor, uint64_t seq, XtfMessageCall *call,
                           uint64_t *region, bool *found, GError **error)
{
    const XtfSchema *schema = types->calls;
    const XtfAggregate *frames = &schema->aggregates[types->frames];
    const XtfField *is_leave = &schema->fields[frames->values[0]], *enter = &schema->fields[frames->values[1]];
    uint64_t first_kept;

    *found = false;
    if (!types->calls_seq)
        return true;
    if (!seek_after(cursor, types->calls_seq, call->record, seq, found, error))
        return false;
    if (!*found)
        return true;
    const uint8_t *row = xtf_cursor_row(cursor);
    if (!xtf_array_first_kept(&cursor->array, &first_kept, error))
        return false;
    *found = cursor->n > first_kept && xtf_field_get(is_leave, row) != 0 && xtf_field_get(enter, row) == 1;
    if (!*found)
        return true;
    call->leave = xtf_cursor_time(cursor);
    if (!xtf_cursor_next(cursor, -1, found, error))
        return false;
    row = xtf_cursor_row(cursor);
    *found = *found && xtf_field_get(is_leave, row) == 0;
    if (!*found)
        return true;
    call->enter = xtf_cursor_time(cursor);
    call->row = cursor->n;
    *region = xtf_field_get(&schema->fields[frames->keys[0]], row);
    call->site = site_of(types, row);
    return true;
}

/* ---- Any call. */

static bool find_call(XtfMatching *matching, const XtfMessageLocation *location, uint64_t seq, XtfMessageCall *call,
                      uint64_t *region, bool *found, GError **error)
{
    const XtfAggregate *frames = &matching->types.calls->aggregates[matching->types.frames];
    XtfOpenFrame frame;
    bool removed;
    uint8_t row[XTF_ROW_MAX];

    call->enter = call->leave = call->record;
    if (!xtf_enclosing_call_find(matching->context, &location->calls, call->record, seq, &call->row, found, error))
        return false;
    if (!*found)
        return true;
    if (!xtf_array_removed_frame(&location->calls, matching->types.frames, call->row, &frame, NULL, &removed, error) ||
        (!removed && !xtf_array_row(&location->calls, call->row, row, error)) ||
        !find_leave(matching, location, call->row, &call->leave, error))
        return false;
    call->enter = removed ? frame.time : xtf_field_get(&location->calls.schema->fields[0], row);
    call->leave = MAX(call->leave, call->enter);
    *region = removed ? frame.key : xtf_field_get(&location->calls.schema->fields[frames->keys[0]], row);
    call->site = removed ? XTF_NONE32 : site_of(&matching->types, row);
    return true;
}

/* ---- Finders. */

void xtf_call_finder_init(XtfCallFinder *finder, XtfMatching *matching, const XtfMessageLocation *location)
{
    *finder = (XtfCallFinder){.matching = matching, .location = location};
    if (location->has_calls)
        xtf_cursor_init(&finder->cursor, &location->calls);
}

void xtf_call_finder_finish(XtfCallFinder *finder)
{
    xtf_cursor_finish(&finder->cursor);
    g_clear_pointer(&finder->frames, xtf_frame_finder_free);
}

void xtf_call_finder_turn(XtfCallFinder *finder, XtfMatching *matching, const XtfMessageLocation *location)
{
    if (finder->location == location)
        return;
    xtf_call_finder_finish(finder);
    xtf_call_finder_init(finder, matching, location);
}

bool xtf_call_finder_at(XtfCallFinder *finder, uint64_t t, uint64_t seq, XtfMessageCall *call, GError **error)
{
    XtfMatching *matching = finder->matching;
    uint64_t region;

    *call = (XtfMessageCall){.enter = t, .leave = t, .record = t, .site = XTF_NONE32, .has_use = true};
    if (!finder->location->has_calls)
        return true;
    if (!xtf_matching_load_uses(matching, error) || !find_leaf_frame(finder, call, &region, &call->found, error) ||
        (!call->found && !find_leaf_call(&matching->types, &finder->cursor, seq, call, &region, &call->found, error)) ||
        (!call->found && !find_call(matching, finder->location, seq, call, &region, &call->found, error)))
        return false;
    if (call->found && call->has_use)
        call->use = xtf_matching_use(matching, region);
    return true;
}

bool xtf_call_finder_use(XtfCallFinder *finder, const XtfMessageCall *call, unsigned *use, GError **error)
{
    uint64_t region;

    *use = call->use;
    if (call->has_use)
        return true;
    if (!xtf_frame_finder_key(get_frames(finder), call->row, &region, error))
        return false;
    *use = xtf_matching_use(finder->matching, region);
    return true;
}

bool xtf_call_finder_of(XtfCallFinder *finder, XtfMessagesKind kind, const uint8_t *row, XtfMessageCall *call,
                        GError **error)
{
    const XtfMessageType *type = &finder->matching->types.types[kind];
    return xtf_call_finder_at(finder, xtf_field_get(&type->schema->fields[0], row), xtf_field_get(type->seq, row), call,
                              error);
}

bool xtf_message_call_of(XtfMatching *matching, const XtfMessageLocation *location, XtfMessagesKind kind, uint64_t n,
                         XtfMessageCall *call, GError **error)
{
    g_auto(XtfCallFinder) finder;
    uint8_t row[XTF_ROW_MAX];

    xtf_call_finder_init(&finder, matching, location);
    return xtf_array_row(&location->arrays[kind], n, row, error) && xtf_call_finder_of(&finder, kind, row, call, error);
}
