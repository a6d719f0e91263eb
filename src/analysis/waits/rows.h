/*
 * Rows of `waits` and `contexts` out of points.
 */
#pragma once

#include <stdatomic.h>

#include "libxtf/writer.h"
#include "src/analysis/waits/find.h"

/* Writes the table of call paths, and the waits of all locations by all cores; counts them in `found`.
 * `cancel`: true: stop, with XTF_ERROR_CANCELLED; may be NULL. */
bool xtf_waits_write(const XtfPoints *points, XtfWriter *writer, atomic_bool *cancel, XtfFound *found, GError **error);
