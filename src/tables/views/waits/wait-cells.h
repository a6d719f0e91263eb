/*
 * Cells of the tables of waits and delays: kinds and regions.
 */
#pragma once

#include "src/tables/format/format.h"
#include "src/trace/text/lines.h"

/* Returns the characters of a kind's name; `event` is the field of the kind. */
size_t xtf_wait_kind_width(const XtfField *event, uint64_t kind);
void xtf_wait_kind_cell(XtfLines *lines, const XtfField *event, uint64_t kind);
/* Adds the name of a region, the value of `field`; "-" if it has none, "?" if it is unknown. `regions` may be NULL. */
void xtf_wait_region_cell(XtfLines *lines, const XtfField *field, const XtfPaddedNames *regions, uint64_t region);
