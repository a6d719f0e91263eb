/*
 * Inside state.svg: what its parts share.
 */
#pragma once

#include "src/pictures/drawing/picture-frame.h"
#include "src/pictures/drawing/picture-kind.h"
#include "src/pictures/frames/arrows.h"
#include "src/tables/views/state/state-figures.h"

enum {
    XTF_STATE_CIRCLES = 24, /* processes: more are cells */
    XTF_STATE_CELLS = 256,  /* more are an image */
    XTF_STATE_TOP = 60,
    XTF_STATE_HEIGHT = 700, /* of what is below it */
    XTF_STATE_TITLE = 900,  /* bytes of a tool tip and what is around a link, at most */
    XTF_STATE_SIDE = 1120,  /* where the column at the right begins, pixels */
};

typedef struct {
    const XtfPictureJob *job;
    XtfDrawing *drawing;
    XtfPictureLinks links;
    uint64_t from, to;
    XtfStates states;
    XtfProcessState *all; /* of all selected processes */
    uint32_t n;
    GArray *arrows;   /* between two of these processes, the most first */
    guint n_drawable; /* how many */
} XtfStateDrawing;

/* The index of a process in `all`; n if it is none of them. */
uint32_t xtf_state_index(const XtfStateDrawing *state, uint64_t proc);
/* What a process does, in words: for its tool tip. */
void xtf_state_draw_title(const XtfStateDrawing *state, const XtfProcessState *process);
/* "0 to 1: 2 messages, 16 B", "0 to 1: 3 tasks exported". */
void xtf_state_draw_arrow_text(const XtfStateDrawing *state, const XtfArrow *arrow);
/* A link to the process's own directory; NULL if there is none. The caller frees it. */
char *xtf_state_link(const XtfStateDrawing *state, const XtfProcessState *process);
/* Whether there is room for a link around something with a tool tip, and after it for `rest` bytes of what must be
 * drawn: a path may be long. */
bool xtf_state_has_room(const XtfStateDrawing *state, const char *link, size_t rest);

void xtf_state_draw_ring(XtfStateDrawing *state);
bool xtf_state_draw_grid(XtfStateDrawing *state, GError **error);

/* "G", "Y", "R", or nothing: a colour is never alone. */
const char *xtf_light_letter(XtfLight light);
/* The colour of a share of time. */
XtfColour xtf_share_colour(XtfShare share);
