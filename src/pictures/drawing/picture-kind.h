/*
 * A kind of picture: an entry of the list in src/pictures/registry.
 */
#pragma once

#include "src/pictures/drawing/colours.h"
#include "src/pictures/drawing/drawing.h"
#include "src/tables/views/registry.h"
#include "src/trace/text/table-output.h"

typedef struct XtfPicture XtfPicture;

/* A picture to draw. All pointers are borrowed. */
typedef struct {
    const XtfPicture *picture;
    XtfViews *views;
    XtfSelection *selection;
    const XtfColours *colours; /* NULL: the picture needs none */
    uint32_t depth;            /* number of directories between the tree's root and the picture */
    const char *file;          /* file that links to other windows open: the picture, or the page around it */
    bool in_page;              /* part of a page: charts are small, and have no title, as the page has one */
} XtfPictureJob;

struct XtfPicture {
    const char *name;  /* name of the file */
    const char *path;  /* path of the file below a window; NULL: its name */
    const char *of;    /* view that it draws; a selection without the view has no picture */
    const char *or_of; /* another view that it can draw; NULL: none */
    bool of_frames;    /* listed only in directories of frames */
    char arrows;       /* for state.svg and its kind: letter of the arrows that it shows */
    bool has_colours;  /* needs colours of regions, which need a profile of the whole trace */
    bool (*size)(XtfViews *views, const XtfSelection *selection, uint64_t *size, GError **error);
    /* Draws all up to `end`, in the room that is left in the drawing. */
    bool (*draw)(const XtfPictureJob *job, XtfDrawing *drawing, GError **error);
    /* Writes a picture that is really a table as rows. NULL: it is a picture. */
    bool (*table)(XtfViews *views, XtfSelection *selection, XtfTableOutput *output, GError **error);
    const char *end; /* last tags of the file, with a newline; NULL: it is not XML */
};

/* True if the selection has the picture; else fails with XTF_ERROR_NOT_FOUND and the reason. */
bool xtf_picture_kind_check(XtfViews *views, const XtfPicture *picture, const XtfSelection *selection, GError **error);

/* Draws a picture as a part of a page, in at most `room` bytes. */
bool xtf_draw_part(const XtfPictureJob *page, const XtfPicture *picture, XtfDrawing *drawing, size_t room,
                   GError **error);
