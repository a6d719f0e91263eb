/*
 * A copy of a trace with new times.
 */
#pragma once

#include "src/analysis/compensate/new-times.h"
#include "src/cli/copy/copy-rows.h"
#include "src/cli/copy/copy-trace.h"

/* True if a copy with new times lacks the table: it has neither clock maps nor an analysis. */
bool xtf_copy_is_left_out(const XtfSchema *schema);
/* Copies the arrays of all locations, without derived rows. Adds changes of order, and the properties. The copy already
 * has the trace's tables. `steps` may be NULL. */
bool xtf_copy_retimed(const XtfCopyRows *copy, const XtfNewTimes *times, const XtfCopyProperty *properties,
                      unsigned n_properties, XtfSteps *steps, GError **error);
