/*
 * Which regions of two traces are the same.
 *
 * Row numbers say nothing: each trace has its own. A name is enough if at most one region of each trace has it.
 * Otherwise its regions go by name and file and, if that is not enough either, by name, file and line. Regions that
 * agree in all of these count as one.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/handles.h"

/* The regions of a trace, in its own text. */
typedef struct {
    uint64_t n; /* rows of definitions/regions */
    struct {
        const char *name, *file; /* borrowed; "": none */
        uint64_t line;
    } * rows;
} XtfRegionTexts;

/* There are no rows if the trace has no such table, or its regions have no names. */
bool xtf_region_texts_load(XtfRegionTexts *texts, XtfTrace *trace, GError **error);
void xtf_region_texts_finish(XtfRegionTexts *texts); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfRegionTexts, xtf_region_texts_finish)

typedef struct {
    GPtrArray *labels;  /* by pair: "NAME", "NAME (FILE)" or "NAME (FILE:LINE)" */
    uint64_t *pairs[2]; /* of each trace, by row: the number of its pair */
} XtfRegionPairs;

void xtf_region_pairs_init(XtfRegionPairs *pairs, const XtfRegionTexts texts[2]);
void xtf_region_pairs_finish(XtfRegionPairs *pairs); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfRegionPairs, xtf_region_pairs_finish)
