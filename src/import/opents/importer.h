/* The row of OpenTS's XML in the table of importers. */
#pragma once

#include "src/import/importer.h"

/* Names of properties of imports. */
#define XTF_OPENTS_ID       "opents.id"
#define XTF_OPENTS_DECIMALS "opents.decimals" /* how the file writes numbers: notation.h */

extern const XtfImporter xtf_opents_importer;

/* Imports a trace: the member `run` of the importer. */
bool xtf_opents_import(XtfImportJob *job, GError **error);
