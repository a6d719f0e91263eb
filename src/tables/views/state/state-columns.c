#include "src/tables/views/state/state-columns.h"

#include "src/trace/text/digits.h"

/* Returns how many digits a sum of messages needs: `of_records`, or more if samples of a counter need more. */
static size_t sum_width(const XtfStates *states, size_t of_records, unsigned counter)
{
    uint64_t most = xtf_samples_most(&states->samples.messages, states->views->context, counter);
    return states->has_samples && states->samples.has_messages ? MAX(of_records, xtf_count_digits(most)) : of_records;
}

size_t xtf_state_times_width(const XtfStates *states)
{
    const XtfTraceContext *context = states->views->context;
    unsigned __int128 most = 0;

    if (states->has_calls)
        return xtf_region_times_width(&states->times);
    if (!xtf_states_have_times(states))
        return 1;
    for (unsigned i = 0; i < XTF_N_SAMPLED_TIMES; i++)
        most = MAX(most, (unsigned __int128)xtf_samples_most(&states->samples.times, context, i));
    return xtf_ticks_width(&context->scale, most);
}

size_t xtf_state_calls_width(const XtfStates *states)
{
    return states->has_calls ? xtf_aggregate_ref_rows_width(&states->times.frames, states->views->context) : 1;
}

size_t xtf_state_sent_bytes_width(const XtfStates *states)
{
    const XtfAggregateRef *sends = &states->moved.refs[XTF_MOVED_SENDS];

    return sum_width(states, xtf_aggregate_ref_sum_width(sends, states->views->context, sends->bytes),
                     XTF_SAMPLED_BYTES_SENT);
}

void xtf_state_add_moved_columns(const XtfStates *states, XtfGrid *grid)
{
    static const char *const columns[][2] = {
        [XTF_MOVED_SENDS] = {"sent_messages", "sent_bytes"},
        [XTF_MOVED_RECVS] = {"received_messages", "received_bytes"},
    };
    static const unsigned counters[][2] = {
        [XTF_MOVED_SENDS] = {XTF_SAMPLED_MESSAGES_SENT, XTF_SAMPLED_BYTES_SENT},
        [XTF_MOVED_RECVS] = {XTF_SAMPLED_MESSAGES_RECEIVED, XTF_SAMPLED_BYTES_RECEIVED},
    };
    const XtfTraceContext *context = states->views->context;

    for (unsigned i = XTF_MOVED_SENDS; i <= XTF_MOVED_RECVS; i++) {
        const XtfAggregateRef *ref = &states->moved.refs[i];
        xtf_grid_add(grid, columns[i][0],
                     sum_width(states, xtf_aggregate_ref_rows_width(ref, context), counters[i][0]));
        xtf_grid_add(grid, columns[i][1],
                     sum_width(states, xtf_aggregate_ref_sum_width(ref, context, ref->bytes), counters[i][1]));
    }
}

void xtf_state_add_moved_cells(const XtfProcessState *state, XtfLines *lines)
{
    xtf_lines_number(lines, state->sent.rows);
    xtf_lines_number(lines, state->sent.bytes);
    xtf_lines_number(lines, state->received.rows);
    xtf_lines_number(lines, state->received.bytes);
}
