/*
 * Views: the small texts that show a selection. Their sizes follow from the trace alone, so they are known at no cost.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/query/format.h"
#include "src/query/selection.h"

/* Lines of a fixed width: `# column...` and so many below it. */
uint64_t xtf_view_info_size(const XtfGuide *guide, const XtfSelection *selection);
GString *xtf_view_info(XtfResolver *resolver, XtfSelection *selection, GError **error);

uint64_t xtf_view_histogram_size(const XtfGuide *guide, const XtfSelection *selection);
GString *xtf_view_histogram(XtfResolver *resolver, XtfSelection *selection, GError **error);

GString *xtf_view_columns(const XtfFormat *format);
