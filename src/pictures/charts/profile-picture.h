/*
 * profile.svg: calls by their paths. A box is a path, as wide as the time that it was on the stack. Below it are the
 * boxes of the calls from there, the widest first.
 */
#pragma once

#include "src/pictures/drawing/picture-kind.h"

extern const XtfPicture xtf_picture_profile;
