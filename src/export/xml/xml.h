/*
 * Writes XML, element by element. A fault of the file shows at the end.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { XTF_XML_SHORTEST = -1 }; /* as many digits behind the point as the number needs */

/* How readers of a format want it. */
typedef struct {
    unsigned indent;        /* blanks before an element, for each one around it */
    bool has_end_tags;      /* also of elements without content */
    bool leaves_characters; /* that XML does not have out, and blanks that are no space; else the first are "?" */
} XtfXmlStyle;

typedef struct {
    FILE *file;
    const char *name; /* in errors; borrowed; NULL: the file is its user's */
    XtfXmlStyle style;
    GPtrArray *open; /* names of elements, the innermost last */
    bool in_tag;     /* the last tag may get attributes */
} XtfXml;

/* Writes the head of a file, which is borrowed and closed by its user. */
void xtf_xml_init(XtfXml *xml, FILE *file, XtfXmlStyle style);
void xtf_xml_finish(XtfXml *xml); /* all zeros is fine */
/* The same of a new file, which is the writer's own. */
bool xtf_xml_open(XtfXml *xml, const char *path, const char *name, XtfXmlStyle style, GError **error);
/* Finishes, closes the file, and says whether all of it was written. Nothing if it is not open. */
bool xtf_xml_close(XtfXml *xml, GError **error);

/* `name` outlives the element. */
void xtf_xml_begin(XtfXml *xml, const char *name);
void xtf_xml_end(XtfXml *xml);
void xtf_xml_end_empty(XtfXml *xml); /* of an element without content: never with an end tag */
/* An element of a text alone, in a line. */
void xtf_xml_element(XtfXml *xml, const char *name, const char *text);
/* Ends elements until so many are open. */
void xtf_xml_end_to(XtfXml *xml, unsigned depth);

/* Attributes of the element that began last. What is none, all ones, is left out. */
void xtf_xml_text(XtfXml *xml, const char *name, const char *text);
void xtf_xml_count(XtfXml *xml, const char *name, uint64_t n);
void xtf_xml_signed(XtfXml *xml, const char *name, int64_t n);
void xtf_xml_seconds(XtfXml *xml, const char *name, uint64_t nanoseconds, int decimals);
void xtf_xml_real(XtfXml *xml, const char *name, double value, int decimals);
