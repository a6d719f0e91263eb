#include "src/import/chrome/calls.h"

#include "libxtf/error.h"

typedef struct {
    uint32_t region;
    bool is_slice;
    guint slice;  /* XtfChromeCalls.slice below this frame */
    uint64_t end; /* of a slice */
} CallFrame;

void xtf_chrome_calls_init(XtfChromeCalls *calls, XtfStream *stream)
{
    *calls = (XtfChromeCalls){.stream = stream, .frames = g_array_new(FALSE, FALSE, sizeof(CallFrame))};
}

void xtf_chrome_calls_finish(XtfChromeCalls *calls)
{
    g_clear_pointer(&calls->frames, g_array_unref);
}

static CallFrame *frame_at(const XtfChromeCalls *calls, guint i)
{
    return &g_array_index(calls->frames, CallFrame, i);
}

/* Leaves the innermost frame. */
static bool leave_innermost(XtfChromeCalls *calls, uint64_t time)
{
    const CallFrame frame = *frame_at(calls, calls->frames->len - 1);

    g_array_set_size(calls->frames, calls->frames->len - 1);
    if (frame.is_slice)
        calls->slice = frame.slice;
    else
        calls->n_begun--;
    return xtf_stream_leave(calls->stream, time, frame.region);
}

/* Leaves the innermost slice at its end, and before it the calls inside it. */
static bool leave_slice(XtfChromeCalls *calls)
{
    const guint slice = calls->slice;
    const uint64_t end = frame_at(calls, slice - 1)->end;
    bool good = true;

    for (; good && calls->frames->len > slice; calls->clipped++, calls->ended++)
        good = leave_innermost(calls, end);
    return good && leave_innermost(calls, end);
}

bool xtf_chrome_calls_advance(XtfChromeCalls *calls, uint64_t time)
{
    while (calls->slice > 0 && frame_at(calls, calls->slice - 1)->end <= time)
        if (!leave_slice(calls))
            return false;
    return true;
}

static bool enter_frame(XtfChromeCalls *calls, uint64_t time, const CallFrame *frame)
{
    if (calls->frames->len == XTF_STREAM_DEPTH)
        return xtf_fail(&calls->stream->error, XTF_ERROR_TOO_LARGE, "calls are nested deeper than %d",
                        XTF_STREAM_DEPTH);
    g_array_append_vals(calls->frames, frame, 1);
    if (frame->is_slice)
        calls->slice = calls->frames->len;
    else
        calls->n_begun++;
    return xtf_stream_enter(calls->stream, time, frame->region);
}

bool xtf_chrome_calls_begin(XtfChromeCalls *calls, uint64_t time, uint32_t region)
{
    const CallFrame frame = {.region = region};

    return xtf_chrome_calls_advance(calls, time) && enter_frame(calls, time, &frame);
}

bool xtf_chrome_calls_slice(XtfChromeCalls *calls, uint64_t time, uint64_t end, uint32_t region)
{
    if (!xtf_chrome_calls_advance(calls, time))
        return false;
    CallFrame frame = {.region = region, .is_slice = true, .slice = calls->slice, .end = end};
    if (calls->slice > 0 && frame_at(calls, calls->slice - 1)->end < end) {
        frame.end = frame_at(calls, calls->slice - 1)->end;
        calls->clipped++;
    }
    return enter_frame(calls, time, &frame);
}

/* Leaves the slices that end before `time`, and slices without a call inside that end at it. */
static bool advance_to_end(XtfChromeCalls *calls, uint64_t time)
{
    while (calls->slice > 0) {
        uint64_t end = frame_at(calls, calls->slice - 1)->end;
        if (end > time || (end == time && calls->slice < calls->frames->len))
            return true;
        if (!leave_slice(calls))
            return false;
    }
    return true;
}

bool xtf_chrome_calls_end(XtfChromeCalls *calls, uint64_t time, bool *left, bool *open)
{
    *left = *open = false;
    if (!advance_to_end(calls, time))
        return false;
    if (calls->n_begun == 0) {
        *open = calls->ended > 0;
        calls->ended -= *open;
        return true;
    }
    *left = *open = true;
    for (; calls->slice == calls->frames->len; calls->clipped++)
        if (!leave_innermost(calls, time))
            return false;
    return leave_innermost(calls, time);
}

bool xtf_chrome_calls_close(XtfChromeCalls *calls)
{
    bool good = xtf_chrome_calls_advance(calls, UINT64_MAX);

    g_array_set_size(calls->frames, 0);
    calls->slice = calls->n_begun = 0;
    calls->ended = 0;
    return good;
}
