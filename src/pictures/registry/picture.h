/*
 * Pictures: files of a selection that are drawn when they are read.
 *
 * Pictures of few records are drawn when their size is asked for. Of others the size is a formula of the number of
 * their rows, so that little is done for stat(); the text is padded to it (drawing.h). Drawn pictures are kept for a
 * while.
 *
 * All functions may be called from any thread.
 */
#pragma once

#include "src/pictures/drawing/picture-kind.h"

typedef struct {
    XtfViews *views; /* borrowed */
    GMutex lock;
    XtfColours *colours; /* NULL: not found yet */
    XtfKeeper drawn;
    bool drawn_first; /* all pictures are drawn when their size is asked for. Set before any is */
} XtfPictures;

void xtf_pictures_init(XtfPictures *pictures, XtfViews *views);
void xtf_pictures_finish(XtfPictures *pictures);

/* In the order in which directories list them; the last is NULL. */
extern const XtfPicture *const xtf_all_pictures[];
/* NULL if there is none of the name. */
const XtfPicture *xtf_picture_find(const char *name);
/* Whether the selection has it; if not, XTF_ERROR_NOT_FOUND says why. */
bool xtf_picture_check(const XtfPictures *pictures, const XtfPicture *picture, const XtfSelection *selection,
                       GError **error);
/* The colours of the trace's regions, found when first asked for. NULL with an error. */
const XtfColours *xtf_pictures_colours(XtfPictures *pictures, GError **error);

/* `depth` is the number of directories above it. */
bool xtf_picture_size(XtfPictures *pictures, const XtfPicture *picture, XtfSelection *selection, uint32_t depth,
                      uint64_t *size, GError **error);
/* Fills `buffer` with `length` bytes from `offset`, all of which lie within the size. */
bool xtf_picture_read(XtfPictures *pictures, const XtfPicture *picture, XtfSelection *selection, uint32_t depth,
                      uint64_t offset, char *buffer, size_t length, GError **error);
