/*
 * Writes XML, element by element. xtf_xml_close() reports errors of writing.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { XTF_XML_SHORTEST = -1 }; /* write as few decimals as the number needs to be read back */

/* Differences between the XML of several formats. */
typedef struct {
    unsigned indent;        /* blanks before an element for each element around it */
    bool has_end_tags;      /* write end tags of elements without content, too */
    bool leaves_characters; /* drop control characters; else write "?", or a reference for a tab or line end */
} XtfXmlStyle;

typedef struct {
    FILE *file;
    const char *name; /* names the file in errors; borrowed; NULL: the caller owns the file */
    XtfXmlStyle style;
    GPtrArray *open; /* names of elements, the innermost last */
    bool in_tag;     /* the last tag may get attributes */
} XtfXml;

/* Writes the head of a file. The caller keeps the file, and closes it. */
void xtf_xml_init(XtfXml *xml, FILE *file, XtfXmlStyle style);
void xtf_xml_finish(XtfXml *xml); /* all zeros is fine */
/* Creates a file, which xtf_xml_close() closes, and writes its head. `name` is borrowed: errors name the file by it. */
bool xtf_xml_open(XtfXml *xml, const char *path, const char *name, XtfXmlStyle style, GError **error);
/* Finishes and closes the file. Returns false if part of it could not be written. Does nothing if no file is open. */
bool xtf_xml_close(XtfXml *xml, GError **error);

/* Begins an element. `name` must outlive it. */
void xtf_xml_begin(XtfXml *xml, const char *name);
void xtf_xml_end(XtfXml *xml);
void xtf_xml_end_empty(XtfXml *xml); /* for an element without content: writes no end tag */
/* Writes an element that has only text, on one line. */
void xtf_xml_element(XtfXml *xml, const char *name, const char *text);
/* Ends elements until `depth` elements are open. */
void xtf_xml_end_to(XtfXml *xml, unsigned depth);

/* Writes an attribute of the element that began last. Omits counts and times that are none (all ones), and reals that
 * are not finite. */
void xtf_xml_text(XtfXml *xml, const char *name, const char *text);
void xtf_xml_count(XtfXml *xml, const char *name, uint64_t n);
void xtf_xml_signed(XtfXml *xml, const char *name, int64_t n);
void xtf_xml_seconds(XtfXml *xml, const char *name, uint64_t nanoseconds, int decimals);
void xtf_xml_real(XtfXml *xml, const char *name, double value, int decimals);
