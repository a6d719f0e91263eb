/*
 * Equal regions in several traces.
 *
 * Row numbers cannot identify regions, because each trace numbers its own. A name identifies a region if at most one
 * region of each trace has it. Otherwise name and file identify it or, if they are ambiguous too, name, file and line.
 * Regions that agree in all three count as one.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/handles.h"

/* Names, files and lines of a trace's regions. */
typedef struct {
    uint64_t n; /* rows of definitions/regions */
    struct {
        const char *name, *file; /* borrowed; "": none */
        uint64_t line;
    } * rows;
} XtfRegionTexts;

/* Loads the texts of a trace's regions: no rows if the trace has no table of regions, or regions have no names. */
bool xtf_region_texts_load(XtfRegionTexts *texts, XtfTrace *trace, GError **error);
void xtf_region_texts_finish(XtfRegionTexts *texts); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfRegionTexts, xtf_region_texts_finish)

typedef struct {
    GPtrArray *labels; /* by number: "NAME", "NAME (FILE)" or "NAME (FILE:LINE)" */
    unsigned n_traces;
    uint64_t **numbers; /* of each trace, by row: the number of its label */
} XtfRegionPairs;

/* Pairs the regions of n traces. */
void xtf_region_pairs_init(XtfRegionPairs *pairs, const XtfRegionTexts *texts, unsigned n);
void xtf_region_pairs_finish(XtfRegionPairs *pairs); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfRegionPairs, xtf_region_pairs_finish)
