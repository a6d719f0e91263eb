/*
 * state.svg: where each process is in a frame, and who sends to whom. Few processes are circles on a ring, with the
 * shares of their time around them and arrows between them; more are cells of a grid, beside a matrix of bytes; very
 * many are an image. A process has the same place in all frames.
 *
 * arrows/LETTER.svg is the same with the arrows of one letter (arrows.h).
 */
#pragma once

#include "src/pictures/drawing/picture-kind.h"

extern const XtfPicture xtf_picture_state;
/* "d.svg": of a letter's arrows. NULL if no letter has it. */
const XtfPicture *xtf_picture_of_arrows(const char *name);
