/* OTF2's row in the table of importers, and where the files of an archive are. Needs nothing of OTF2's library. */
#pragma once

#include "src/import/importer.h"

extern const XtfImporter xtf_otf2_importer;

/* The folder of the locations' files: the anchor's path without its ending. */
char *xtf_otf2_folder(const char *anchor);

/* The importer's `run`. */
bool xtf_otf2_import(XtfImportJob *job, GError **error);
