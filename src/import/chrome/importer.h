/* The row of Chrome's trace events in the table of importers. */
#pragma once

#include "src/import/importer.h"

#define XTF_CHROME_ID "chrome.id" /* the property of an import that identifies its file */

extern const XtfImporter xtf_chrome_importer;

/* True if the file begins as JSON of trace events, or as a packed one. */
bool xtf_chrome_detect(const char *path);
/* Returns advice to name the format, if the file begins as JSON. The caller frees it. NULL: it does not. */
char *xtf_chrome_advice(const char *path);
/* Imports a file: the member `run` of the importer. */
bool xtf_chrome_import(XtfImportJob *job, GError **error);
