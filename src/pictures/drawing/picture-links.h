/*
 * Links of pictures: relative paths from the file of a picture to other selections of its trace. They lead up to the
 * root and down again by a canonical path, so that they do not grow from click to click.
 */
#pragma once

#include "src/pictures/drawing/drawing.h"
#include "src/trace/select/selection.h"

typedef struct {
    const XtfTraceContext *context; /* borrowed */
    const XtfSelection *selection;  /* of the picture; borrowed */
    char *up;                       /* "../" for each directory above */
} XtfPictureLinks;

/* `depth`: directories between the root and the picture. */
void xtf_picture_links_init(XtfPictureLinks *links, const XtfTraceContext *context, const XtfSelection *selection,
                            uint32_t depth);
void xtf_picture_links_finish(XtfPictureLinks *links);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfPictureLinks, xtf_picture_links_finish)

/* What a link leads to instead of what the picture's selection has; NULL leaves that. As in a URL: names of
 * directories with nothing to escape. */
typedef struct {
    const char *proc, *thread, *peer, *region;
    const char *type; /* if the selection is of all types */
} XtfPictureWhere;

/* The picture's selection in another window; NULL for `where` changes nothing else. Ends in '/'. NULL: there is no such
 * directory: the selection is one of records by number, or has too many regions for the name of one. The caller frees
 * it. Nothing in it needs escaping in XML or in a URL. */
char *xtf_picture_link(const XtfPictureLinks *links, uint64_t from, uint64_t to, const XtfPictureWhere *where);
/* The same without any window. */
char *xtf_picture_link_whole(const XtfPictureLinks *links);

/* Begins an element <a> that leads to a file there; nowhere with a link of NULL. */
void xtf_draw_link(XtfDrawing *drawing, const char *link, const char *file);
