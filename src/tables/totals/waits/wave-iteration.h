/*
 * How long an iteration of a program takes that receives again and again, as one of its waits shows.
 */
#pragma once

#include "src/tables/totals/waits/wait-fields.h"

/* From the begin of the last call before a wait's own that completed a receive from the same sender, with the same
 * communicator and tag, to the begin of the wait, less the waits in between. *ticks is 0 if the wait is not for a
 * sender, no such receive is among the 4096 before, or there are more than 16384 waits in between. */
bool xtf_wave_iteration(XtfTraceContext *context, const XtfWaitFields *fields, const XtfWaitPlace *place,
                        uint64_t *ticks, GError **error);
