/*
 * Call paths by name: the rows of the table `contexts` of an analysis.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/model/schemas.h"
#include "src/trace/context/trace-context.h"

enum {
    XTF_CALLPATH_WIDTH_MAX = 1024, /* bytes of a name that are shown; longer names are cut */
};

/* Borrowed from the trace, and valid as long as the trace. */
typedef struct {
    const XtfContextRow *rows;
    uint32_t n;
    const XtfNameIndex *regions;
} XtfCallpaths;

/* Loads the call paths; none if the trace has no such table. XTF_ERROR_DAMAGED if its rows are not call paths. */
bool xtf_callpaths_load(XtfCallpaths *callpaths, XtfTraceContext *context, GError **error);

/* Checks that call paths are ordered by parent, paths without a parent first, then by region. Otherwise
 * XTF_ERROR_DAMAGED. */
bool xtf_callpaths_check(const XtfCallpaths *callpaths, GError **error);
/* Returns the call path of a call of `region` inside the call path `parent`, with `depth` calls around it. XTF_NONE32
 * as `parent` or as the result: no call path. Numbers are the analysis's (src/analysis/replay/logs/callpath-log.h). The
 * call paths must be in order: see xtf_callpaths_check(). Returns `parent` if the call path is unknown or too deep. */
uint32_t xtf_callpath_find(const XtfCallpaths *callpaths, uint32_t parent, uint32_t region, uint32_t depth);

/* Sets `name` to the regions of a call path, the outermost call first: `a/b/c`. The name of a very deep path
 * has only the inner calls. XTF_NONE32 is the time outside of all calls: `(no region)`. The name of an unknown call
 * path is `?`. */
void xtf_callpath_name(const XtfCallpaths *callpaths, uint32_t callpath, GString *name);
/* Returns the characters of a call path's name in a table's last column. `name` is scratch. */
size_t xtf_callpath_width(const XtfCallpaths *callpaths, uint32_t callpath, GString *name);
