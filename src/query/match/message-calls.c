#include "src/query/match/message-calls.h"

#include "libxtf/aggregates.h"
#include "libxtf/error.h"
#include "libxtf/vocabulary.h"
#include "src/query/select/call-around.h"
#include "src/query/select/call-readers.h"

/* The time of the row that ends a call; of one that is never left the location's last. */
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

bool xtf_message_call_at(XtfMatching *matching, const XtfMessageLocation *location, uint64_t t, uint64_t seq,
                         XtfMessageCall *call, GError **error)
{
    const XtfField *region =
        matching->types.calls ? xtf_schema_field_by_role(matching->types.calls, XTF_ROLE_REGION) : NULL;
    uint8_t row[XTF_ROW_MAX];

    *call = (XtfMessageCall){.enter = t, .leave = t, .record = t};
    if (!location->has_calls || !region)
        return true;
    if (!xtf_matching_load_uses(matching, error) ||
        !xtf_call_around(matching->context, &location->calls, t, seq, &call->row, &call->found, error))
        return false;
    if (!call->found)
        return true;
    if (!xtf_array_row(&location->calls, call->row, row, error) ||
        !find_leave(matching, location, call->row, &call->leave, error))
        return false;
    call->enter = xtf_field_get(&location->calls.schema->fields[0], row);
    call->leave = MAX(call->leave, call->enter);
    call->use = xtf_matching_use(matching, xtf_field_get(region, row));
    return true;
}

bool xtf_message_call_of(XtfMatching *matching, const XtfMessageLocation *location, XtfMessagesKind kind, uint64_t n,
                         XtfMessageCall *call, GError **error)
{
    const XtfMessageType *type = &matching->types.types[kind];
    uint8_t row[XTF_ROW_MAX];

    return xtf_array_row(&location->arrays[kind], n, row, error) &&
           xtf_message_call_at(matching, location, xtf_field_get(&type->schema->fields[0], row),
                               xtf_field_get(type->seq, row), call, error);
}

bool xtf_message_call_of_receive(XtfMatching *matching, const XtfMessageLocation *location, uint64_t n,
                                 XtfMessageCall *call, GError **error)
{
    const XtfMessageTypes *types = &matching->types;
    uint8_t row[XTF_ROW_MAX];

    return xtf_array_row(&location->recvs, n, row, error) &&
           xtf_message_call_at(matching, location, xtf_field_get(&types->recvs->fields[0], row),
                               xtf_field_get(types->recvs_seq, row), call, error);
}
