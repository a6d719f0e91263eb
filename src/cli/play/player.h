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

/* Plays on the terminal until the user quits. *ended: the number of a signal that ended it. */
bool xtf_play(XtfFilm *film, const XtfPlayOptions *options, int *ended, GError **error);
