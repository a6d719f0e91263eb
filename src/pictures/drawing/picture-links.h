/*
 * Links of pictures: relative paths from the file of a picture to other selections of its trace. A link goes up to the
 * root, and down again by a canonical path, so that paths do not grow from click to click.
 */
#pragma once

#include "src/pictures/drawing/drawing.h"
#include "src/trace/select/selection.h"

typedef struct {
    const XtfTraceContext *context; /* borrowed */
    const XtfSelection *selection;  /* selection of the picture; borrowed */
    char *up;                       /* "../" for each directory up to the root */
} XtfPictureLinks;

/* Initializes links; `depth` is the number of directories between the root and the picture. */
void xtf_picture_links_init(XtfPictureLinks *links, const XtfTraceContext *context, const XtfSelection *selection,
                            uint32_t depth);
void xtf_picture_links_finish(XtfPictureLinks *links);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfPictureLinks, xtf_picture_links_finish)

/* The parts of a link that differ from the picture's selection. NULL keeps the selection's part. Names of directories
 * are escaped for URLs. */
typedef struct {
    const char *proc, *thread, *peer, *region;
    const char *type; /* applies if the selection is of all types */
} XtfPictureTarget;

/* Returns a link to the picture's selection in another window, which ends in '/'. NULL for `target` changes only the
 * window. The caller frees the link, which needs no escaping in XML or in a URL. Returns NULL if no directory has the
 * selection: one of records by number, or with too many regions for the name of a directory. */
char *xtf_picture_link(const XtfPictureLinks *links, uint64_t from, uint64_t to, const XtfPictureTarget *target);
/* Returns a link to the picture's selection without any window. NULL if no directory has the selection. The caller
 * frees the link. */
char *xtf_picture_link_whole(const XtfPictureLinks *links);

/* Begins an element <a> that leads to a file at a link; without a target if `link` is NULL. */
void xtf_draw_link(XtfDrawing *drawing, const char *link, const char *file);
