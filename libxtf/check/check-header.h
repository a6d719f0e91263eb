/*
 * Checking what stands at the top of a file: the superblocks, and the names in the schemas.
 */
#pragma once

#include "libxtf/check/check-aggregates.h"

void xtf_check_superblocks(const XtfTrace *trace, const XtfAggregateCheck *check);
void xtf_check_names(const XtfTrace *trace, const XtfAggregateCheck *check);
