#include "src/trace/calls/enclosing-call.h"

#include "libxtf/spans.h"
#include "libxtf/vocabulary.h"
#include "src/trace/select/aggregate-ref.h"

bool xtf_row_linked_enter(const XtfArray *calls, uint64_t n, const uint8_t *row, uint64_t *enter)
{
    const XtfField *field = xtf_schema_field_by_role(calls->schema, XTF_ROLE_ENTER);
    uint64_t back = xtf_field_get_or(field, row, 0);

    *enter = n - back;
    return back && back <= n;
}

static bool is_enter(const XtfArray *calls, const uint8_t *row)
{
    const XtfField *event = xtf_schema_field_by_role(calls->schema, XTF_ROLE_EVENT);
    uint64_t v = event ? xtf_field_get(event, row) : UINT64_MAX;
    return event && v < event->n_labels && g_str_equal(event->labels[v], XTF_EVENT_ENTER);
}

/* Finds the ENTER of the innermost frame that is open at row n. */
static bool find_innermost_frame(const XtfTraceContext *context, const XtfArray *calls, uint64_t n, uint64_t *enter,
                                 bool *found, GError **error)
{
    g_autofree XtfOpenFrame *frames = NULL;
    XtfAggregateRef ref;
    size_t depth = 0;

    *found = false;
    if (!xtf_aggregate_ref_frames(&ref, context))
        return true;
    if (!xtf_array_stack(calls, ref.number, n, &frames, &depth, error))
        return false;
    *found = depth > 0;
    if (*found)
        *enter = frames[depth - 1].row;
    return true;
}

/* Reads the location's last call event before the record. An ENTER is the result itself. A LEAVE points to its own
 * ENTER, which points to the ENTER around it. For a LEAVE without an ENTER the function reads the stack. */
bool xtf_enclosing_call_find(const XtfTraceContext *context, const XtfArray *calls, uint64_t t, uint64_t seq,
                             uint64_t *n, bool *found, GError **error)
{
    XtfSpan span = {.array = *calls, .hi = calls->n_rows};
    uint64_t low, high = calls->n_rows, enter, first_kept;
    uint8_t row[XTF_ROW_MAX];

    *found = false;
    if (t < calls->first)
        return true;
    if (!xtf_array_rank(calls, t, &low, error) ||
        (t < calls->last && !xtf_array_rank_within(calls, t + 1, low, calls->n_rows, &high, error)) ||
        !xtf_span_rank_of_seq(&span, seq, low, high, &low, error))
        return false;
    if (!low)
        return true;
    *n = low - 1;
    if (!xtf_array_first_kept(calls, &first_kept, error))
        return false;
    if (*n < first_kept)
        return find_innermost_frame(context, calls, low, n, found, error);
    if (!xtf_array_row(calls, *n, row, error))
        return false;
    *found = is_enter(calls, row);
    if (*found)
        return true;
    if (!xtf_row_linked_enter(calls, *n, row, &enter) || enter < first_kept)
        return find_innermost_frame(context, calls, low, n, found, error);
    if (!xtf_array_row(calls, enter, row, error))
        return false;
    *found = xtf_row_linked_enter(calls, enter, row, n);
    return true;
}
