/*
 * The pages of a trace that lie in several files: an anchor, and parts beside it.
 *
 * The source reads as if each part stood in the anchor, page by page, where the anchor's catalog says. A part is opened
 * when something of it is first read, and is then compared with what the catalog says of it; of the parts that are open
 * those unused for longest are closed when there are too many. Any number of threads may read.
 */
#pragma once

#include "libxtf/disk/catalog.h"
#include "libxtf/source.h"

enum {
    XTF_PARTS_OPEN_MAX =
        256, /* parts that nobody reads just now are open no more than this; fewer where descriptors are few */
};

/* What there is beside the parts. */
typedef struct {
    XtfSource *own;     /* the anchor; the source takes it over, also when it fails */
    const char *folder; /* where the parts lie; NULL: beside the anchor, wherever its path leads to */
    uint32_t page_size; /* bytes */
    bool growing;       /* the parts may have later commits by now than those that are meant */
} XtfPartsSetting;

/* Copies the files. XTF_ERROR_DAMAGED if their pages overlap those of the anchor. */
XtfSource *xtf_parts_source_new(const XtfPartsSetting *setting, const XtfPartFile *files, uint32_t n, GError **error);

/* Opens one of the parts, unless it is open, and compares it with what is said of it. The message names it. */
bool xtf_parts_source_check(XtfSource *source, uint32_t part, GError **error);

/* The path of one of the parts. The caller frees it. */
char *xtf_parts_source_path(const XtfSource *source, uint32_t part);
