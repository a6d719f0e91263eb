/*
 * A copy of a trace with the times of a compensation.
 */
#pragma once

#include "src/analysis/compensate/compensate.h"
#include "src/cli/copy/copy-rows.h"

/* True if a compensated copy lacks the table: it has neither clock maps nor an analysis. */
bool xtf_copy_is_left_out(const XtfSchema *schema);
/* Copies the arrays of all locations, without derived rows. Adds changes of order, and the properties of a compensated
 * trace. The copy already has the trace's tables. `steps` may be NULL. */
bool xtf_copy_compensated(const XtfCopyRows *copy, const XtfCompensation *compensation, XtfSteps *steps,
                          GError **error);
