/* The row of time-independent traces in the table of exporters. */
#pragma once

#include "src/export/exporter.h"

extern const XtfExporter xtf_ti_exporter;
