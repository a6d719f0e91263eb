/*
 * The player's screen: a line a process, groups A (one process), B (all of them) and C (the run) of the OpenTS
 * visualizer, the messages, and where in the run the frame is.
 */
#pragma once

#include "src/cli/play/film.h"

enum {
    XTF_PLAY_COLUMNS_MIN = 60,
    XTF_PLAY_LINES_MIN = 12,
};

/* What the user has chosen to see. */
typedef struct {
    guint process; /* a line of `state` */
    guint first;   /* the line of `state` at the top */
    double speed;  /* seconds shown in a second */
    bool playing, map, help;
    char *message;      /* instead of the line of keys; NULL: none. Owned */
    const char *typing; /* the question that is being answered; NULL: none */
    GString *typed;
} XtfPlayLook;

/* A new screen. Moves look->first so that the chosen process is seen. NULL with an error. */
XtfScreen *xtf_play_screen(const XtfFilm *film, const XtfFilmFrame *frame, XtfPlayLook *look, int columns, int lines,
                           bool ascii, GError **error);
