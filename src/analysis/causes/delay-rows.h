/*
 * Rows of `delays`.
 */
#pragma once

#include "libxtf/writer.h"
#include "src/analysis/causes/of-points.h"

/* Writes the delays of all locations, as xtf_causes_of_points() found them. */
bool xtf_delays_write(const XtfPoints *points, XtfSortedFile *delays, XtfWriter *writer, GError **error);
