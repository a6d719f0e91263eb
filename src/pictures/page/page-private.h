/* Inside the front page: its parts. */
#pragma once

#include "src/pictures/drawing/picture-frame.h"
#include "src/pictures/page/page.h"
#include "src/tables/totals/selected-locations.h"

enum {
    XTF_PAGE_LINE = 6 << 10, /* bytes that are left where a line, or a link, of a part is still drawn */
};

typedef struct {
    const XtfPictureJob *job;
    XtfDrawing *drawing;
    XtfPictureLinks links;
    uint64_t from, to; /* the window, ticks */
    bool has_messages;
    XtfSelectedLocations selected;
} XtfPage;

/* Whether the selection has a table. */
bool xtf_page_has(const XtfPage *page, const char *view);

/* A link to the front page of the same selection elsewhere: `text` as it stands, or plain text if there is no such
 * page. */
void xtf_page_link(const XtfPage *page, uint64_t from, uint64_t to, const XtfPictureTarget *where, const char *text);

/* A number as a table has it, its digits before the point in groups of three. The caller frees it. */
char *xtf_page_number(const char *number);

/* Begins a part, with a heading and, in it, links to files of the directory: their words and names by turns, NULL at
 * the end. Ends with xtf_page_end(). */
void xtf_page_begin(const XtfPage *page, const char *id, const char *heading, const char *const *files);
void xtf_page_end(const XtfPage *page);

/* The name of the trace, what part of it this is, and where it comes from; and its figures. Finds whether there are
 * messages. */
bool xtf_page_facts(XtfPage *page, GError **error);
/* The ten regions that took most time. */
bool xtf_page_profile(XtfPage *page, GError **error);
/* The five regions whose times differ most between processes. */
bool xtf_page_imbalance(XtfPage *page, GError **error);
/* Links to the files of the directory, the ten parts of the window, and processes. */
bool xtf_page_links(XtfPage *page, GError **error);
