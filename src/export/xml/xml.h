/*
 * Elements of OpenTS's XML, two blanks deeper than those around them. A fault of the file shows at the end.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { XTF_XML_SHORTEST = -1 }; /* as many digits behind the point as the number needs */

typedef struct {
    FILE *file;
    const char *path; /* borrowed */
    const char *open[8];
    unsigned depth;
    bool in_tag; /* the last tag may get attributes */
} XtfXml;

bool xtf_xml_open(XtfXml *xml, const char *path, GError **error);
/* Closes the file, and says whether all of it was written. Nothing if it is not open. */
bool xtf_xml_close(XtfXml *xml, GError **error);

/* `name` outlives the element. */
void xtf_xml_begin(XtfXml *xml, const char *name);
void xtf_xml_end(XtfXml *xml);
/* Ends elements until so many are open. */
void xtf_xml_end_to(XtfXml *xml, unsigned depth);

/* Attributes of the element that began last. What is none, all ones, is left out. */
void xtf_xml_text(XtfXml *xml, const char *name, const char *text);
void xtf_xml_count(XtfXml *xml, const char *name, uint64_t n);
void xtf_xml_seconds(XtfXml *xml, const char *name, uint64_t nanoseconds, int decimals);
void xtf_xml_real(XtfXml *xml, const char *name, double value, int decimals);
