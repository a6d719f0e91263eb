/*
 * state.svg: the state of each process in a frame, and the messages between processes. Few processes are circles on a
 * ring, with the shares of their time around them and arrows between them. More are cells of a grid, beside a matrix
 * of bytes. Very many are an image. A process has the same place in all frames.
 *
 * arrows/LETTER.svg is the same with the arrows of one letter (arrows.h).
 */
#pragma once

#include "src/pictures/drawing/picture-kind.h"

extern const XtfPicture xtf_picture_state;
/* Returns the picture of a letter's arrows by its name, such as "d.svg"; NULL if no letter has the name. */
const XtfPicture *xtf_picture_of_arrows(const char *name);
