/*
 * The report of a compensated copy.
 */
#pragma once

#include "src/analysis/compensate/compensate.h"

/* Fails if too many messages contradict the clocks: more than one in a thousand. */
bool xtf_compensation_trusts_clocks(const XtfCompensation *compensation, GError **error);
/* Prints the report on standard output, and warnings of the model's limits on standard error. */
void xtf_compensation_print(const XtfCompensation *compensation, const XtfTrace *trace);
