/*
 * Regions as lines of views, before any sorting: line i is row i of definitions/regions; then comes a line for frames
 * that began before the trace; then, if the trace has calls with no region or an undefined one, a line for all of
 * these.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/tables/format/format.h"
#include "src/trace/select/aggregate-ref.h"
#include "src/trace/text/lines.h"

typedef struct {
    const XtfPaddedNames *names; /* NULL: the trace has none */
    uint64_t n;                  /* rows of definitions/regions */
    bool has_unknown;
    const XtfNumberSet *only; /* rows that region/ selects: no other line is listed; NULL: all lines are. Borrowed */
    uint64_t n_listed;        /* rows that are listed */
    bool lists_unknown;       /* the line of regions that the trace does not define is listed, too */
    size_t name_width, row_width;
} XtfRegions;

/* Borrows the selection. */
bool xtf_regions_load(XtfRegions *regions, XtfFormats *formats, const XtfSelection *selection,
                      const XtfAggregateRef *frames, GError **error);

static inline uint64_t xtf_regions_n_lines(const XtfRegions *regions)
{
    return regions->n + 1 + regions->has_unknown;
}

/* Whether a view of the selection shows the line. */
static inline bool xtf_region_is_listed(const XtfRegions *regions, uint64_t line)
{
    if (line < regions->n)
        return xtf_number_set_contains(regions->only, line);
    return line == regions->n ? !regions->only : regions->lists_unknown;
}

/* The line of a key of the aggregate of frames. A damaged trace may lead to line xtf_regions_n_lines(). */
static inline uint64_t xtf_region_line(const XtfRegions *regions, uint64_t key)
{
    if (key == XTF_FRAMES_BEFORE)
        return regions->n;
    return key < regions->n ? key : regions->n + 1;
}

void xtf_lines_region_name(XtfLines *lines, const XtfRegions *regions, uint64_t line);
