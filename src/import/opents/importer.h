/* The row of OpenTS's XML in the table of importers. */
#pragma once

#include "src/import/importer.h"

/* Properties of imports. */
#define XTF_OPENTS_ID       "opents.id"
#define XTF_OPENTS_DECIMALS "opents.decimals" /* how numbers are written: notation.h */

extern const XtfImporter xtf_opents_importer;

/* The importer's `run`. */
bool xtf_opents_import(XtfImportJob *job, GError **error);
