/*
 * The stack of open frames between two rows, as far as it is in memory.
 */
#pragma once

#include "libxtf/aggregates.h"

enum {
    XTF_SNAPSHOT_FRAMES = 64, /* innermost frames that the index stores before each leaf */
    /* Maximum frames of a stack in a reader. A file whose rows all begin frames would take a hundred times its size in
     * memory; no real program nests so deeply. */
    XTF_STACK_FRAMES_MAX = 1 << 21,
};

typedef struct {
    GArray *frames;     /* XtfOpenFrame, outermost first; a reader may hold only the innermost frames */
    uint64_t n_outer;   /* number of outer frames that are not in memory */
    uint64_t inner_row; /* if n_outer > 0: the row that began the frame directly inside these outer frames */
    uint64_t n;         /* number of the next row */
    uint64_t time;      /* time of the previous row, if there is one */
    uint64_t least;     /* fewest frames that a row left open, since the caller set `least` to UINT64_MAX */
} XtfFrameStack;

void xtf_frame_stack_init(XtfFrameStack *stack);  /* to an empty stack before row 0 */
void xtf_frame_stack_reset(XtfFrameStack *stack); /* empties an initialised stack, before row 0 */
/* Copies a stack to an initialised one. */
void xtf_frame_stack_copy(XtfFrameStack *to, const XtfFrameStack *from);
void xtf_frame_stack_finish(XtfFrameStack *stack);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfFrameStack, xtf_frame_stack_finish)

/* Returns the number of open frames, in memory or not. */
static inline uint64_t xtf_frame_stack_depth(const XtfFrameStack *stack)
{
    return stack->n_outer + stack->frames->len;
}

/* Returns frame i of the frames in memory, from the outermost. */
static inline const XtfOpenFrame *xtf_frame_stack_at(const XtfFrameStack *stack, guint i)
{
    return &g_array_index(stack->frames, XtfOpenFrame, i);
}

/* Loads at least one outer frame that is not in memory. Never called if n_outer is 0. */
typedef struct {
    bool (*load)(XtfFrameStack *stack, void *data, GError **error);
    void *data;
} XtfFrameLoader;
