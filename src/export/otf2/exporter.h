/* OTF2's row in the table of exporters. This header includes none of OTF2's headers. */
#pragma once

#include "src/export/exporter.h"

extern const XtfExporter xtf_otf2_exporter;

/* Writes the archive: the exporter's `run`. */
bool xtf_otf2_export(XtfExportJob *job, GError **error);

#define XTF_OTF2_EXPORT_NAME "traces" /* name of the archive in the output's folder, as in Score-P */
