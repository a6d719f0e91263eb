/* The row of web pages in the table of exporters. */
#pragma once

#include "src/export/exporter.h"

extern const XtfExporter xtf_html_exporter;
