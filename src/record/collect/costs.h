/*
 * The cost of records to the traced program, by a loop that does what its threads do.
 */
#pragma once

#include "src/record/collect/rows/clock.h"

/* Measures what the records of this clock cost on this machine: the least of many short loops, some 0.3 ms in all.
 * Returns the text of XTF_RECORD_PROBES, which the caller frees. An ENTER or a LEAVE reads the clock. A record of MPI
 * has the time of its call, so it is only appended. */
char *xtf_collect_measure_costs(const XtfCollectClock *clock);
