#include "src/tables/totals/message-totals.h"

#include "libxtf/vocabulary.h"

static const char *const types[XTF_N_MOVED] = {XTF_RECORD_SENDS, XTF_RECORD_RECVS, XTF_RECORD_COLLECTIVES};

void xtf_message_totals_find(const XtfTraceContext *context, XtfAggregateRef refs[static XTF_N_MOVED])
{
    for (unsigned i = 0; i < XTF_N_MOVED; i++) {
        if (!xtf_aggregate_ref_groups(&refs[i], context, types[i]) || !refs[i].bytes ||
            (i == XTF_MOVED_COLLECTIVES && refs[i].event == XTF_KEY_NONE))
            refs[i] = (XtfAggregateRef){0};
    }
}

bool xtf_message_totals_exist(const XtfTraceContext *context, const XtfSelection *selection)
{
    XtfAggregateRef refs[XTF_N_MOVED];
    bool exist = false;

    xtf_message_totals_find(context, refs);
    for (unsigned i = 0; i < XTF_N_MOVED; i++)
        exist |= refs[i].schema && xtf_selection_may_have(selection, refs[i].schema);
    return exist && !selection->base;
}

bool xtf_message_totals_init(XtfMessageTotals *messages, XtfTraceContext *context, const XtfSelection *selection,
                             GError **error)
{
    *messages = (XtfMessageTotals){.context = context};
    xtf_message_totals_find(context, messages->refs);
    for (unsigned i = 0; i < XTF_N_MOVED; i++) {
        const XtfAggregateRef *ref = &messages->refs[i];
        unsigned depth = i == XTF_MOVED_COLLECTIVES ? ref->event + 1 : 0;
        if (!xtf_location_totals_init(&messages->totals[i], context, selection, ref, depth, error))
            return false;
    }
    return true;
}

void xtf_message_totals_finish(XtfMessageTotals *messages)
{
    for (unsigned i = 0; i < XTF_N_MOVED; i++)
        xtf_location_totals_finish(&messages->totals[i]);
    xtf_location_arrays_finish(&messages->arrays);
}

/* True if a group's rows end a collective operation. Only such rows record its bytes. */
static bool ends_collective(const XtfAggregateRef *ref, const uint64_t *key)
{
    const XtfField *event = xtf_aggregate_ref_key(ref, ref->event);
    uint64_t value = key[ref->event];

    return value < event->n_labels && (g_str_equal(event->labels[value], XTF_EVENT_COLLECTIVE_END) ||
                                       g_str_equal(event->labels[value], XTF_EVENT_COLLECTIVE_COMPLETE));
}

static XtfMoved sum_groups(const XtfLocationTotals *totals, bool collectives)
{
    const XtfAggregateRef *ref = totals->ref;
    XtfMoved sum = {0};

    for (uint32_t i = 0; totals->groups && i < xtf_group_totals_n(totals->groups); i++) {
        const uint64_t *cells = xtf_group_totals_cells(totals->groups, i);
        if (collectives && !ends_collective(ref, xtf_group_totals_key(totals->groups, i)))
            continue;
        sum.rows += cells[XTF_GROUP_ROWS];
        sum.bytes += cells[ref->bytes];
        sum.received += ref->received ? cells[ref->received] : 0;
    }
    return sum;
}

bool xtf_message_totals_of(XtfMessageTotals *messages, const XtfSelectedLocations *selected,
                           const XtfSelectedProcess *proc, XtfMoved moved[static XTF_N_MOVED], GError **error)
{
    for (unsigned i = 0; i < XTF_N_MOVED; i++) {
        if (messages->totals[i].groups)
            xtf_group_totals_clear(messages->totals[i].groups);
    }
    for (uint32_t i = proc->first; i < proc->first + proc->n; i++) {
        const XtfLocation *location = xtf_selected_location(selected, i);
        if (!xtf_location_arrays_load(&messages->arrays, messages->context, location, error))
            return false;
        for (unsigned j = 0; j < XTF_N_MOVED; j++) {
            if (!xtf_location_totals_add_window(&messages->totals[j], &messages->arrays, error))
                return false;
        }
    }
    for (unsigned i = 0; i < XTF_N_MOVED; i++)
        moved[i] = sum_groups(&messages->totals[i], i == XTF_MOVED_COLLECTIVES);
    return true;
}
