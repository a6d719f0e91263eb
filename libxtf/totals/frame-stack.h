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
    uint64_t n_outer;   /* frames around these that are not in memory... */
    uint64_t inner_row; /* ...if there are some: the row that began the frame just within them */
    uint64_t n;         /* the next row's number */
    uint64_t time;      /* of the row before it, if there is one */
    uint64_t least;     /* the least number of frames that a row left open, of rows since this was UINT64_MAX */
} XtfFrameStack;

void xtf_frame_stack_init(XtfFrameStack *stack);  /* before row 0 */
void xtf_frame_stack_reset(XtfFrameStack *stack); /* the same of a stack that is initialised */
/* Makes one stack, initialised, as another is. */
void xtf_frame_stack_copy(XtfFrameStack *to, const XtfFrameStack *from);
void xtf_frame_stack_finish(XtfFrameStack *stack);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfFrameStack, xtf_frame_stack_finish)

/* The number of open frames, in memory or not. */
static inline uint64_t xtf_frame_stack_depth(const XtfFrameStack *stack)
{
    return stack->n_outer + stack->frames->len;
}

/* Frame i of the stack, from the outermost one in memory. */
static inline const XtfOpenFrame *xtf_frame_stack_at(const XtfFrameStack *stack, guint i)
{
    return &g_array_index(stack->frames, XtfOpenFrame, i);
}

/* Loads outer frames that are not in memory yet, at least one. Never called where n_outer is 0. */
typedef struct {
    bool (*load)(XtfFrameStack *stack, void *data, GError **error);
    void *data;
} XtfFrameLoader;
