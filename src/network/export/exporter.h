/* The row of network_test in the table of exporters. */
#pragma once

#include <xtf-options.h>

#include "src/export/exporter.h"

extern const XtfExporter xtf_network_exporter;

#ifdef XTF_WITH_NETCDF
bool xtf_network_export(XtfExportJob *job, GError **error);
#endif
