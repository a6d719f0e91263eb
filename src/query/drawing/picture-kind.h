/*
 * A kind of picture: what src/query/pictures has a list of.
 */
#pragma once

#include "src/query/drawing/colours.h"
#include "src/query/views/registry.h"

typedef struct XtfPicture XtfPicture;

/* What is to be drawn. Borrowed. */
typedef struct {
    XtfViews *views;
    XtfSelection *selection;
    const XtfColours *colours; /* NULL: the picture has none */
    uint32_t depth;            /* directories above the picture */
} XtfPictureJob;

struct XtfPicture {
    const char *name; /* of the file */
    const char *of;   /* the view that it draws: where that is not, the picture is not */
    bool has_colours; /* of regions, which take a profile of the whole trace to find */
    bool (*is_image)(XtfViews *views, const XtfSelection *selection); /* has pixels, and so needs libpng; NULL: never */
    bool (*size)(XtfViews *views, const XtfSelection *selection, uint64_t *size, GError **error);
    /* Appends the whole file, `size` bytes. */
    bool (*draw)(const XtfPictureJob *job, uint64_t size, GString *out, GError **error);
};
