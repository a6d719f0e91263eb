/*
 * The colours of a trace's regions, by line of XtfRegions (region-lines.h). Found once, from the profile of the whole
 * trace: the twelve regions of the program that take most time get colours of their own, and a region around nearly
 * all of the run is pale. Immutable.
 */
#pragma once

#include "src/pictures/drawing/palette.h"
#include "src/tables/format/format.h"
#include "src/trace/text/table-output.h"

typedef struct {
    uint64_t n;                  /* lines */
    XtfColour *by_line;          /* colours */
    uint8_t *paints;             /* XtfPaint */
    uint8_t *classes;            /* XtfRegionClass */
    const XtfPaddedNames *shown; /* of rows of regions, as tables have them; NULL: none. Borrowed from the formats */
    char **names;                /* as they may be printed, but for what XML escapes */
} XtfColours;

XtfColours *xtf_colours_new(XtfFormats *formats, GError **error);
void xtf_colours_free(XtfColours *colours); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfColours, xtf_colours_free)

/* definitions/colours: row, class, colour, name; a line for each region. */
extern const XtfTableDeclaration xtf_table_colours;
bool xtf_colours_table(const XtfColours *colours, const XtfTimeScale *scale, XtfTableOutput *output, GError **error);
