/*
 * The stack of open frames between two rows, as far as it is in memory.
 */
#pragma once

#include "libxtf/aggregates.h"

enum {
    XTF_SNAPSHOT_FRAMES = 64, /* innermost frames that the index keeps before each leaf */
    /* Frames of a stack that a reader holds. A file of nothing but beginnings would take a hundred times its size in
     * memory; no program nests as deep. */
    XTF_STACK_FRAMES_MAX = 1 << 21,
};

typedef struct {
    GArray *frames;     /* XtfOpenFrame, outermost first: the innermost ones, in a reader perhaps not all */
    bool has_outer;     /* there are frames around these that are not in memory... */
    uint64_t outer_row; /* ...the innermost of which this row began */
    uint64_t n;         /* the next row's number */
    uint64_t time;      /* of the row before it, if there is one */
} XtfFrameStack;

void xtf_frame_stack_init(XtfFrameStack *stack); /* before row 0 */
void xtf_frame_stack_finish(XtfFrameStack *stack);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfFrameStack, xtf_frame_stack_finish)

/* Frame i of the stack, from the outermost one in memory. */
static inline const XtfOpenFrame *xtf_frame_stack_at(const XtfFrameStack *stack, guint i)
{
    return &g_array_index(stack->frames, XtfOpenFrame, i);
}

/* Loads outer frames that are not in memory yet: at least the one that row outer_row began. Afterwards outer_row is
 * smaller, or has_outer is false. Never called where has_outer is false. */
typedef struct {
    bool (*load)(XtfFrameStack *stack, void *data, GError **error);
    void *data;
} XtfFrameLoader;
