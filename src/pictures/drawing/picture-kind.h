/*
 * A kind of picture: what src/pictures/registry has a list of.
 */
#pragma once

#include "src/pictures/drawing/colours.h"
#include "src/pictures/drawing/drawing.h"
#include "src/tables/views/registry.h"
#include "src/trace/text/table-output.h"

typedef struct XtfPicture XtfPicture;

/* What is to be drawn. Borrowed. */
typedef struct {
    const XtfPicture *picture;
    XtfViews *views;
    XtfSelection *selection;
    const XtfColours *colours; /* NULL: the picture has none */
    uint32_t depth;            /* directories above the picture */
    const char *file;          /* that links to other windows lead to: the picture, or the page that it is a part of */
    bool in_page;              /* a part of a page: charts are small, and without the title, which the page has */
} XtfPictureJob;

struct XtfPicture {
    const char *name;  /* of the file */
    const char *path;  /* of the file below a window; NULL: its name */
    const char *of;    /* the view that it draws: where that is not, the picture is not */
    const char *or_of; /* another view that it can be drawn of; NULL: none */
    bool of_frames;    /* listed in frames alone */
    char arrows;       /* of state.svg and its kind: whose arrows it has, a letter */
    bool has_colours;  /* of regions, which take a profile of the whole trace to find */
    bool (*is_image)(XtfViews *views, const XtfSelection *selection); /* has pixels, and so needs libpng; NULL: never */
    bool (*size)(XtfViews *views, const XtfSelection *selection, uint64_t *size, GError **error);
    /* Draws all up to `end`, in what is left of the drawing. */
    bool (*draw)(const XtfPictureJob *job, XtfDrawing *drawing, GError **error);
    /* Of what is a table in truth: the same as rows. NULL: it is a picture. */
    bool (*table)(XtfViews *views, XtfSelection *selection, XtfTableOutput *output, GError **error);
    const char *end; /* the last tags, which the file ends in, with a newline; NULL: it is no XML */
};

/* Whether the selection has it; if not, XTF_ERROR_NOT_FOUND says why. */
bool xtf_picture_kind_check(XtfViews *views, const XtfPicture *picture, const XtfSelection *selection, GError **error);

/* Draws a picture as a part of a page, in at most `room` bytes of it. */
bool xtf_draw_part(const XtfPictureJob *page, const XtfPicture *picture, XtfDrawing *drawing, size_t room,
                   GError **error);
