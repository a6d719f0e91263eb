/*
 * The segments of a path, which come the latest first and are read the earliest first.
 *
 * A block of them is in memory, the others in an unlinked file. One thread at a time.
 */
#pragma once

#include "src/analysis/path/critical-path.h"

typedef struct {
    uint64_t n; /* all segments */
    XtfPathSegment *block;
    uint32_t n_block;
    int fd;             /* -1: no file yet */
    const char *folder; /* of the file, borrowed; NULL: the system's for temporary files */
} XtfPathSegments;

void xtf_path_segments_init(XtfPathSegments *segments, const char *folder);
void xtf_path_segments_finish(XtfPathSegments *segments); /* twice is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfPathSegments, xtf_path_segments_finish)

bool xtf_path_segments_add(XtfPathSegments *segments, const XtfPathSegment *segment, GError **error);

/* Takes the segment that was added last; *found is false if there is none left. */
bool xtf_path_segments_take(XtfPathSegments *segments, XtfPathSegment *segment, bool *found, GError **error);
