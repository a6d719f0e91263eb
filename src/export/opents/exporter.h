/* The row of OpenTS's XML in the table of exporters. */
#pragma once

#include "src/export/exporter.h"

extern const XtfExporter xtf_opents_exporter;
