#include "libxtf/totals/frame-stack.h"

void xtf_frame_stack_init(XtfFrameStack *stack)
{
    *stack = (XtfFrameStack){.frames = g_array_new(FALSE, FALSE, sizeof(XtfOpenFrame)), .least = UINT64_MAX};
}

void xtf_frame_stack_reset(XtfFrameStack *stack)
{
    g_array_set_size(stack->frames, 0);
    *stack = (XtfFrameStack){.frames = stack->frames, .least = UINT64_MAX};
}

void xtf_frame_stack_copy(XtfFrameStack *to, const XtfFrameStack *from)
{
    GArray *frames = to->frames;

    g_array_set_size(frames, 0);
    g_array_append_vals(frames, from->frames->data, from->frames->len);
    *to = *from;
    to->frames = frames;
}

void xtf_frame_stack_finish(XtfFrameStack *stack)
{
    g_clear_pointer(&stack->frames, g_array_unref);
}
