/*
 * Regions as lines of views: those of the trace in their order; then what ended before the trace began; then, where
 * calls say nothing of their region, or something that the trace doesn't define, all of those together.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/query/format/format.h"
#include "src/query/select/aggregate-ref.h"
#include "src/query/text/lines.h"

typedef struct {
    const XtfPaddedNames *names; /* NULL: the trace has none */
    uint64_t n;                  /* that the trace defines: their rows are 0 to n - 1 */
    bool has_unknown;
    const XtfNumberSet *only; /* rows that the selection leaves, and nothing else; NULL: all. Borrowed */
    uint64_t n_listed;        /* of the trace's own, how many are left */
    size_t name_width, row_width;
} XtfRegions;

/* Borrows the selection. */
bool xtf_regions_load(XtfRegions *regions, XtfFormats *formats, const XtfSelection *selection,
                      const XtfAggregateRef *frames, GError **error);

/* Places: rows are their own. */
static inline uint64_t xtf_region_before(const XtfRegions *regions)
{
    return regions->n;
}

static inline uint64_t xtf_region_unknown(const XtfRegions *regions)
{
    return regions->n + 1;
}

static inline uint64_t xtf_regions_n_places(const XtfRegions *regions)
{
    return regions->n + 1 + regions->has_unknown;
}

/* Whether a view of the selection has a line for it. */
static inline bool xtf_region_is_listed(const XtfRegions *regions, uint64_t place)
{
    return !regions->only || (place < regions->n && xtf_number_set_contains(regions->only, place));
}

/* The place of a key of the sums of frames; one that there is not if the trace's limits say so. */
static inline uint64_t xtf_region_place(const XtfRegions *regions, uint64_t key)
{
    if (key == XTF_FRAMES_BEFORE)
        return xtf_region_before(regions);
    return key < regions->n ? key : xtf_region_unknown(regions);
}

void xtf_lines_region_row(XtfLines *lines, const XtfRegions *regions, uint64_t place);
void xtf_lines_region_name(XtfLines *lines, const XtfRegions *regions, uint64_t place);

/* The names of a table's rows at the end of a line; *names is NULL where it has none. */
bool xtf_padded_names_of_table(XtfFormats *formats, const char *table, const XtfPaddedNames **names, GError **error);
