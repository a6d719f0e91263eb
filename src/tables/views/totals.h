/*
 * The views `totals` of records and of waits. The histograms show them slice by slice.
 */
#pragma once

#include "src/tables/views/view.h"

extern const XtfView xtf_view_totals, xtf_view_totals_of_waits;
