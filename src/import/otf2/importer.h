/* OTF2's row in the table of importers. Needs nothing of OTF2's library. */
#pragma once

#include "src/import/importer.h"

extern const XtfImporter xtf_otf2_importer;

/* The importer's `run`. */
bool xtf_otf2_import(XtfImportJob *job, GError **error);
