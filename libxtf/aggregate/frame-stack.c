#include "libxtf/aggregate/frame-stack.h"

void xtf_frame_stack_init(XtfFrameStack *stack)
{
    *stack = (XtfFrameStack){.frames = g_array_new(FALSE, FALSE, sizeof(XtfOpenFrame))};
}

void xtf_frame_stack_finish(XtfFrameStack *stack)
{
    g_clear_pointer(&stack->frames, g_array_unref);
}
