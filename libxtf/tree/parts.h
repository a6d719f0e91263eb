/*
 * The source of a trace that consists of several files: an anchor and its parts.
 *
 * The source reads as if each part were stored in the anchor, at the pages that the anchor's catalog gives. The earlier
 * volumes of a trace are such parts, too. The source opens a part when the part is first read, and then compares it
 * with the catalog. When too many parts are open, it closes the ones unused for longest. Any number of threads may
 * read.
 */
#pragma once

#include "libxtf/disk/catalog.h"
#include "libxtf/source.h"

enum {
    /* Most open parts that no thread reads at the moment; fewer if the process may have few descriptors. */
    XTF_PARTS_OPEN_MAX = 256,
};

/* Settings besides the parts. */
typedef struct {
    XtfSource *own;     /* the anchor, or the later volume; the source takes ownership, also on failure */
    uint64_t own_first; /* number of its first page: 0 for an anchor, after all others for a later volume */
    const char *folder; /* folder of the parts; NULL: that of the anchor, symbolic links resolved */
    uint32_t page_size; /* bytes */
    bool growing;       /* the parts may have later commits than the catalog names */
    bool anchored;      /* the first part is an anchor, and the others are its parts */
} XtfPartsSetting;

/* Creates a source without parts. */
XtfSource *xtf_parts_source_new(const XtfPartsSetting *setting, GError **error);
/* Adds copies of `files`, at least one, once, before other threads use the source. XTF_ERROR_DAMAGED if their pages
 * overlap the anchor's, or do not end where a later volume's begin. */
bool xtf_parts_source_add(XtfSource *source, const XtfPartFile *files, uint32_t n, GError **error);

/* Opens a part, unless it is open, and compares it with the catalog. The error message names the part. */
bool xtf_parts_source_check(XtfSource *source, uint32_t part, GError **error);

/* Returns the path of a part. The caller frees it. */
char *xtf_parts_source_path(const XtfSource *source, uint32_t part);
