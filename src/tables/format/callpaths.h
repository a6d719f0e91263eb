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
    XTF_CALLPATH_WIDTH_MAX = 1024, /* bytes of a name that are shown; longer ones are cut */
};

/* Borrowed from the trace, and good as long as that is. */
typedef struct {
    const XtfContextRow *rows;
    uint32_t n;
    const XtfNameIndex *regions;
} XtfCallpaths;

/* Of a trace without such a table, none. XTF_ERROR_DAMAGED if the table is no table of call paths. */
bool xtf_callpaths_load(XtfCallpaths *callpaths, XtfTraceContext *context, GError **error);

/* XTF_ERROR_DAMAGED if call paths are not in their order: of parents, those without one first, and then of regions. */
bool xtf_callpaths_check(const XtfCallpaths *callpaths, GError **error);
/* The call path of a call of a region on another one, with `depth` calls around it, which must be in order; as the
 * analysis numbered it (src/analysis/replay/logs/callpath-log.h). XTF_NONE32: none, and there is no call path at all.
 */
uint32_t xtf_callpath_find(const XtfCallpaths *callpaths, uint32_t parent, uint32_t region, uint32_t depth);

/* Sets `name` to the regions of a call path from the outermost call on, `a/b/c`; of a very deep one the inner calls
 * alone. XTF_NONE32 is the time outside of all calls, and what the table does not have is `?`. */
void xtf_callpath_name(const XtfCallpaths *callpaths, uint32_t callpath, GString *name);
/* Characters that a name takes in a table's last column. `name` is scratch. */
size_t xtf_callpath_width(const XtfCallpaths *callpaths, uint32_t callpath, GString *name);
