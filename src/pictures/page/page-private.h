/* Definitions that the parts of the front page share. */
#pragma once

#include "src/pictures/drawing/picture-frame.h"
#include "src/pictures/page/page.h"
#include "src/tables/totals/selected-locations.h"

enum {
    XTF_PAGE_LINE = 6 << 10, /* a line or a link of a part is drawn if this many bytes are left */
};

typedef struct {
    const XtfPictureJob *job;
    XtfDrawing *drawing;
    XtfPictureLinks links;
    uint64_t from, to; /* bounds of the window in ticks */
    bool has_messages;
    XtfSelectedLocations selected;
} XtfPage;

/* True if the selection has a table. */
bool xtf_page_has(const XtfPage *page, const char *view);

/* Draws a link to the front page of another selection, with `text` unescaped. Draws only the text if there is no such
 * page. */
void xtf_page_link(const XtfPage *page, uint64_t from, uint64_t to, const XtfPictureTarget *target, const char *text);

/* Returns a number from a table with the digits before its point in groups of three. The caller frees it. */
char *xtf_page_number(const char *number);

/* Begins a part with a heading. The heading has links to `files` of the directory: words and names by turns, with NULL
 * at the end. xtf_page_end() ends the part. */
void xtf_page_begin(const XtfPage *page, const char *id, const char *heading, const char *const *files);
void xtf_page_end(const XtfPage *page);

/* Returns the path of the page's selection from the root, escaped for terminals, or "A part" if no directory has it.
 * NULL: all of the trace. The caller frees it. */
char *xtf_page_path(const XtfPage *page);
/* Draws the name of the trace, the selection, the origin, and figures. Finds whether there are messages. */
bool xtf_page_facts(XtfPage *page, GError **error);
/* Draws the ten regions with most time. */
bool xtf_page_profile(XtfPage *page, GError **error);
/* Draws the five regions whose times differ most between processes. */
bool xtf_page_imbalance(XtfPage *page, GError **error);
/* Draws links to the files of the directory, the ten parts of the window, and processes. */
bool xtf_page_links(XtfPage *page, GError **error);
