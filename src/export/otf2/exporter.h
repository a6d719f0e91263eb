/* OTF2's row in the table of exporters. Needs nothing of OTF2's library. */
#pragma once

#include "src/export/exporter.h"

extern const XtfExporter xtf_otf2_exporter;

/* The exporter's `run`. */
bool xtf_otf2_export(XtfExportJob *job, GError **error);

#define XTF_OTF2_EXPORT_NAME "traces" /* of the archive in the output's folder, as Score-P calls it */
