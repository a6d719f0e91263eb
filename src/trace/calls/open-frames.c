#include "src/trace/calls/open-frames.h"

bool xtf_open_frames_find(XtfOpenFrames *open, const XtfLocationArrays *arrays, const XtfAggregateRef *frames,
                          uint64_t t, GError **error)
{
    const XtfArray *calls = xtf_location_arrays_find(arrays, frames->schema);
    uint64_t n;

    if (!calls || t <= calls->first || t > arrays->last)
        return true;
    const XtfArray local = xtf_array_local(calls);
    open->t = xtf_clock_map_to_local(calls->clock, t);
    open->clock = calls->clock;
    return xtf_array_rank(calls, t, &n, error) &&
           xtf_array_stack(&local, frames->number, n, &open->frames, &open->n, error);
}

bool xtf_open_frames_at_end(XtfOpenFrames *open, const XtfLocationArrays *arrays, const XtfAggregateRef *frames,
                            GError **error)
{
    const XtfArray *calls = xtf_location_arrays_find(arrays, frames->schema);

    if (!calls)
        return true;
    const XtfArray local = xtf_array_local(calls);
    open->t = arrays->local_last;
    open->clock = calls->clock;
    return xtf_array_stack(&local, frames->number, calls->n_rows, &open->frames, &open->n, error);
}

void xtf_open_frames_finish(XtfOpenFrames *open)
{
    g_clear_pointer(&open->frames, g_free);
}
