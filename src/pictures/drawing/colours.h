/*
 * The colours of a trace's regions, by line of XtfRegions (region-lines.h), from the profile of the whole trace. The
 * twelve regions of the program with most time get different colours. A region around nearly all of the run is pale.
 * Immutable.
 */
#pragma once

#include "src/pictures/drawing/palette.h"
#include "src/tables/format/format.h"
#include "src/trace/text/table-output.h"

typedef struct {
    uint64_t n; /* number of lines of XtfRegions */
    XtfColour *by_line;
    uint8_t *paints;             /* XtfPaint, by line */
    uint8_t *classes;            /* XtfRegionClass, by line */
    const XtfPaddedNames *shown; /* names of rows of regions, as in tables; NULL: none. Borrowed from the formats */
    char **names;                /* printable names, not escaped for XML */
} XtfColours;

XtfColours *xtf_colours_new(XtfFormats *formats, GError **error);
void xtf_colours_free(XtfColours *colours); /* NULL is valid */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfColours, xtf_colours_free)

/* The table definitions/colours: row, class, colour, name; a line for each region. */
extern const XtfTableDeclaration xtf_table_colours;
bool xtf_colours_table(const XtfColours *colours, const XtfTimeScale *scale, XtfTableOutput *output, GError **error);
