/*
 * The player's screen. It shows a line for each process, the messages, and the position of the frame in the run. It
 * also shows groups A (one process), B (all processes) and C (the run) of the OpenTS visualizer.
 */
#pragma once

#include "src/cli/play/film.h"

enum {
    XTF_PLAY_COLUMNS_MIN = 60,
    XTF_PLAY_LINES_MIN = 12,
};

/* State of the screen that the user has chosen. */
typedef struct {
    guint process; /* chosen process: a line of `state` */
    guint first;   /* line of `state` at the top */
    double speed;  /* seconds of the trace per second of playing */
    bool playing, map, help;
    char *message;      /* shown instead of the line of keys; NULL: none. Owned */
    const char *typing; /* question that the user is answering; NULL: none */
    GString *typed;
} XtfPlayLook;

/* Draws a new screen. Moves look->first so that the chosen process is visible. Returns NULL with an error. */
XtfScreen *xtf_play_screen(const XtfFilm *film, const XtfFilmFrame *frame, XtfPlayLook *look, int columns, int lines,
                           bool ascii, GError **error);
