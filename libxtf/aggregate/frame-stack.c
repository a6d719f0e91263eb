#include "libxtf/aggregate/frame-stack.h"

void xtf_frame_stack_init(XtfFrameStack *stack)
{
    *stack = (XtfFrameStack){.frames = g_array_new(FALSE, FALSE, sizeof(XtfOpenFrame))};
}

void xtf_frame_stack_finish(XtfFrameStack *stack)
{
    g_clear_pointer(&stack->frames, g_array_unref);
}

void xtf_frame_stack_copy(XtfFrameStack *to, const XtfFrameStack *from)
{
    g_array_set_size(to->frames, 0);
    if (from->frames->len > 0)
        g_array_append_vals(to->frames, from->frames->data, from->frames->len);
    to->has_outer = from->has_outer;
    to->outer_row = from->outer_row;
    to->n = from->n;
    to->time = from->time;
}
