/*
 * Regions as lines of views, before sorting. Line i is row i of definitions/regions. The next line is for frames that
 * began before the trace. If the trace has calls without a region or with an undefined one, a last line sums them.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/tables/format/format.h"
#include "src/trace/select/aggregate-ref.h"
#include "src/trace/text/lines.h"

typedef struct {
    const XtfPaddedNames *names; /* NULL: the trace has no regions */
    uint64_t n;                  /* number of rows of definitions/regions */
    bool has_unknown;
    const XtfNumberSet *only; /* rows that region/ selects, the only lines to list; NULL: all lines. Borrowed */
    uint64_t n_listed;        /* number of listed rows */
    bool lists_unknown;       /* true if the line of undefined regions is listed, too */
    size_t name_width, row_width;
} XtfRegions;

/* Loads the lines of regions. Borrows the selection. */
bool xtf_regions_load(XtfRegions *regions, XtfFormats *formats, const XtfSelection *selection,
                      const XtfAggregateRef *frames, GError **error);

static inline uint64_t xtf_regions_n_lines(const XtfRegions *regions)
{
    return regions->n + 1 + regions->has_unknown;
}

/* True if a view of the selection shows the line. */
static inline bool xtf_region_is_listed(const XtfRegions *regions, uint64_t line)
{
    if (line < regions->n)
        return xtf_number_set_contains(regions->only, line);
    return line == regions->n ? !regions->only : regions->lists_unknown;
}

/* Returns the line of a key of the aggregate of frames. A damaged trace may lead to line xtf_regions_n_lines(). */
static inline uint64_t xtf_region_line(const XtfRegions *regions, uint64_t key)
{
    if (key == XTF_FRAMES_BEFORE)
        return regions->n;
    return key < regions->n ? key : regions->n + 1;
}

void xtf_lines_region_name(XtfLines *lines, const XtfRegions *regions, uint64_t line);
