/*
 * Definitions that the parts of state.svg share.
 */
#pragma once

#include "src/pictures/drawing/picture-frame.h"
#include "src/pictures/drawing/picture-kind.h"
#include "src/pictures/frames/arrows.h"
#include "src/tables/views/state/state-figures.h"

enum {
    XTF_STATE_CIRCLES = 24, /* most processes that are circles; more are cells */
    XTF_STATE_CELLS = 256,  /* most processes that are cells; more are an image */
    XTF_STATE_TOP = 60,
    XTF_STATE_HEIGHT = 700, /* pixels below XTF_STATE_TOP */
    XTF_STATE_TITLE = 900,  /* most bytes of a tool tip, and of the tags around a link */
    XTF_STATE_SIDE = 1120,  /* pixels from the left to the right column */
};

typedef struct {
    const XtfPictureJob *job;
    XtfDrawing *drawing;
    XtfPictureLinks links;
    uint64_t from, to;
    XtfStates states;
    XtfProcessState *all; /* all selected processes */
    uint32_t n;
    GArray *arrows;   /* XtfArrow between two of these processes, the most first */
    guint n_drawable; /* number of arrows */
} XtfStateDrawing;

/* Returns the index of a process in `all`; n if it is not selected. */
uint32_t xtf_state_index(const XtfStateDrawing *state, uint64_t proc);
/* Draws the tool tip of a process: its light, times and messages. */
void xtf_state_draw_title(const XtfStateDrawing *state, const XtfProcessState *process);
/* Draws the words of an arrow: "0 to 1: 2 messages, 16 B", "0 to 1: 3 tasks exported". */
void xtf_state_draw_arrow_text(const XtfStateDrawing *state, const XtfArrow *arrow);
/* Returns a link to the directory of a process; NULL if there is none. The caller frees it. */
char *xtf_state_link(const XtfStateDrawing *state, const XtfProcessState *process);
/* True if there is room for a link around an element with a tool tip, and for `later_bytes` of later elements. The path
 * of a link may be long. */
bool xtf_state_has_room(const XtfStateDrawing *state, const char *link, size_t later_bytes);

void xtf_state_draw_ring(XtfStateDrawing *state);
bool xtf_state_draw_grid(XtfStateDrawing *state, GError **error);

/* Returns "G", "Y", "R" or "", so that a reader does not depend on colours. */
const char *xtf_light_letter(XtfLight light);
/* Returns the colour of a share of time. */
XtfColour xtf_share_colour(XtfShare share);
