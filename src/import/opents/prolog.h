/*
 * What stands before the first element of an XML file: which encoding the file is in, and whether it is one of OpenTS.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

enum { XTF_OPENTS_PROLOG = 4096 }; /* bytes in which it must stand */

/* Whether the file's first element is `trace` with an attribute `ranks`, or that is likely: a declaration of the
 * document's type that names `trace` will do, so that the import can say why it refuses it. */
bool xtf_opents_detect(const char *path);

/* The name of the encoding that a file beginning with these bytes is in: that of its byte order mark, else of its XML
 * declaration, else UTF-8. The caller frees it. */
char *xtf_opents_encoding(const char *bytes, size_t n);
