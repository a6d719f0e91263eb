/*
 * Cells of tables about rows of an analysis: kinds and regions.
 */
#pragma once

#include "src/tables/format/format.h"
#include "src/trace/text/lines.h"

/* Characters of a kind; `event` is the field that has it. */
size_t xtf_wait_kind_width(const XtfField *event, uint64_t kind);
void xtf_wait_kind_cell(XtfLines *lines, const XtfField *event, uint64_t kind);
/* The value of a field of role XTF_ROLE_REGION. `regions` may be NULL. */
void xtf_wait_region_cell(XtfLines *lines, const XtfField *field, const XtfPaddedNames *regions, uint64_t region);
