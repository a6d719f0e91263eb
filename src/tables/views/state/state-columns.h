/*
 * Columns of figures that `state`, `total` and `monitor` share, and their widths.
 */
#pragma once

#include "src/tables/views/state/state-figures.h"
#include "src/trace/text/lines.h"

/* Returns the characters of a sum of times. */
size_t xtf_state_times_width(const XtfStates *states);
/* Returns the characters of a number of calls. */
size_t xtf_state_calls_width(const XtfStates *states);
/* Returns the characters of a number of bytes that are sent. */
size_t xtf_state_sent_bytes_width(const XtfStates *states);
/* Adds the columns of the messages and bytes that are sent and received. */
void xtf_state_add_moved_columns(const XtfStates *states, XtfGrid *grid);
/* Adds the cells of these columns. */
void xtf_state_add_moved_cells(const XtfProcessState *state, XtfLines *lines);
