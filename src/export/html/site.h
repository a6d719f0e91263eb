/*
 * Site: the files of a tree that an export of web pages copies. A file has a path in the tree and one in the output
 * folder. Links of the copied pages lead to other files of the site, or to nothing.
 *
 * Only one thread at a time may use a site.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/trace/text/time-scale.h"

enum {
    XTF_SITE_FILES_MAX = 200, /* most files of a site */
};

/* A front page of a window of time. */
typedef struct {
    uint64_t from, to; /* ticks */
    const char *path;  /* of index.html in the tree; the site owns it */
    unsigned level;    /* 0: the root page; 1: a tenth of its window; 2: a tenth of that */
} XtfSiteWindow;

typedef struct {
    const XtfTimeScale *scale; /* borrowed */
    char *root;                /* directory of the root page in the tree: "" or ends in '/' */
    char *root_window;         /* directory of the root page's selection with its window spelled out */
    GHashTable *files;         /* path in the tree -> path in the output folder */
    GPtrArray *paths;          /* the keys of `files` in the order of their addition */
    GArray *windows;           /* of XtfSiteWindow; element 0 is the root page's */
    uint64_t dropped;          /* links that lead to no file of the site */
} XtfSite;

/* Initializes a site whose root page is index.html of the directory `root`. `root_window` is the same selection as a
 * directory below time/. The site copies both paths. */
void xtf_site_init(XtfSite *site, const XtfTimeScale *scale, const char *root, const char *root_window);
void xtf_site_finish(XtfSite *site);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfSite, xtf_site_finish)

/* Adds the file of the tree's path to the site. Returns false if the site has the file or is full. A table gets the
 * extension .txt, by which browsers show it. */
bool xtf_site_add(XtfSite *site, const char *path);
/* Adds the front page of a window: `directory` ends in '/'. Returns false as xtf_site_add() does. */
bool xtf_site_add_window(XtfSite *site, const char *directory, uint64_t from, uint64_t to, unsigned level);

/* Returns the path in the tree to which a link of the page at `page` leads, without escapes. Returns NULL for links
 * within the page and to other hosts. A path in the root page's own window is that of the same file beside the root
 * page. The caller frees the path. */
char *xtf_site_resolve(const XtfSite *site, const char *page, const char *link);

/* Returns a copy of the page at `page`, whose links lead to files of the site, and which says that it is a copy. A link
 * to a window that the site lacks leads to the smallest window around it. If that window is wider than the page's, the
 * link leads to the next wider one. Other links to missing files lose their target, and site->dropped counts them. The
 * caller frees the copy. */
GString *xtf_site_rewrite(XtfSite *site, const char *page, const char *text);
/* Appends a comment with the paths of all files of the site, by which xtf_site_list_read() knows an export. */
void xtf_site_list_append(const XtfSite *site, GString *page);
/* Returns the set of paths in such a comment of a page, escaped as by xtf_site_list_escape(). NULL: the page has none.
 */
GHashTable *xtf_site_list_read(const char *page);
/* Escapes a path for the comment. The caller frees it. */
char *xtf_site_list_escape(const char *file);
/* Calls `visit` for the target of each link of a page to a file: as xtf_site_resolve() returns it. */
void xtf_site_visit_links(const XtfSite *site, const char *page, const char *text,
                          void (*visit)(const char *path, void *data), void *data);
