/*
 * What is said of a selection, and of its lines.
 */
#pragma once

#include <glib.h>

#include "src/query/format/format.h"
#include "src/query/select/selection.h"

/* Digits of the largest number that any selection of these types can count. */
size_t xtf_count_width(const XtfTraceContext *context, const XtfSelection *selection);

/* What the columns of a format's lines are. */
GString *xtf_columns_text(const XtfFormat *format, const XtfTimeScale *scale);
