/* Cube's row in the table of exporters. */
#pragma once

#include "src/export/exporter.h"

extern const XtfExporter xtf_cube_exporter;
