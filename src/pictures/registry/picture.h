/*
 * Pictures: files of a selection that are drawn when they are read.
 *
 * A picture of few records is drawn when stat() asks for its size. The size of others is a formula of the number of
 * their rows, so that stat() costs little. Blanks pad the text to that size (drawing.h). A bounded store keeps drawn
 * pictures.
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
    bool drawn_first; /* draw all pictures when stat() asks for their size; set before any is drawn */
} XtfPictures;

void xtf_pictures_init(XtfPictures *pictures, XtfViews *views);
void xtf_pictures_finish(XtfPictures *pictures);

/* All pictures in the order in which directories list them; the last is NULL. */
extern const XtfPicture *const xtf_all_pictures[];
/* Finds a picture by name; NULL if there is none. */
const XtfPicture *xtf_picture_find(const char *name);
/* True if the selection has the picture; else fails with XTF_ERROR_NOT_FOUND and the reason. */
bool xtf_picture_check(const XtfPictures *pictures, const XtfPicture *picture, const XtfSelection *selection,
                       GError **error);
/* Returns the colours of the trace's regions, found at the first call. NULL with an error. */
const XtfColours *xtf_pictures_colours(XtfPictures *pictures, GError **error);

/* Computes the size of a picture; `depth` is the number of directories between the root and the picture. */
bool xtf_picture_size(XtfPictures *pictures, const XtfPicture *picture, XtfSelection *selection, uint32_t depth,
                      uint64_t *size, GError **error);
/* Fills `buffer` with `length` bytes from `offset`, all of which are within the size. */
bool xtf_picture_read(XtfPictures *pictures, const XtfPicture *picture, XtfSelection *selection, uint32_t depth,
                      uint64_t offset, char *buffer, size_t length, GError **error);
