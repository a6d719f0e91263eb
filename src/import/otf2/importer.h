/* The row of OTF2 in the table of importers, which needs no part of OTF2's library. */
#pragma once

#include "src/import/importer.h"

extern const XtfImporter xtf_otf2_importer;

/* Imports an archive: the member `run` of the importer. */
bool xtf_otf2_import(XtfImportJob *job, GError **error);
