/*
 * Reads the beginning of an XML file: its encoding, and whether it is a trace of OpenTS.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

enum { XTF_OPENTS_PROLOG = 4096 }; /* the first element must begin within that many bytes */

/* True if the file's first element is `trace` with an attribute `ranks`, or may be. Also true for a document type
 * declaration of `trace`: the import then refuses the file with a reason. */
bool xtf_opents_detect(const char *path);

/* Returns the name of the encoding of a file that begins with these bytes. The byte order mark decides, else
 * the XML declaration. Without either the encoding is UTF-8. The caller frees the name. */
char *xtf_opents_encoding(const char *bytes, size_t n);
