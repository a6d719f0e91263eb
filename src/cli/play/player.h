/*
 * The player: keys, and the clock that a playing film follows.
 */
#pragma once

#include "src/cli/play/play-screen.h"

typedef struct {
    uint64_t frame; /* the first one that is shown */
    double pause;   /* seconds between frames */
    bool ascii;
} XtfPlayOptions;

/* Plays on the terminal until the user quits, or a signal asks the program to end: xtf_terminal_end_as_asked(). */
bool xtf_play(XtfFilm *film, const XtfPlayOptions *options, GError **error);
