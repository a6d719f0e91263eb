/*
 * The player: handles keys, and advances a playing film by the clock.
 */
#pragma once

#include "src/cli/play/play-screen.h"

typedef struct {
    uint64_t frame; /* first frame that is shown */
    double pause;   /* seconds between frames */
    bool ascii;
} XtfPlayOptions;

/* Plays on the terminal until the user quits, or a signal asks the program to end. In that case call
 * xtf_terminal_end_as_asked(). */
bool xtf_play(XtfFilm *film, const XtfPlayOptions *options, GError **error);
