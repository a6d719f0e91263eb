/* The row of Chrome's trace events in the table of exporters. */
#pragma once

#include "src/export/exporter.h"

extern const XtfExporter xtf_chrome_exporter;
