/* The row of CSV in the table of exporters. */
#pragma once

#include "src/export/exporter.h"

extern const XtfExporter xtf_csv_exporter;
