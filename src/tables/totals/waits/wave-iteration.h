/*
 * Length of an iteration of a program that receives repeatedly, as one of its waits shows it.
 */
#pragma once

#include "src/tables/totals/waits/wait-fields.h"

/* Measures the time from the previous iteration's receive to a wait, less the waits in between. The receive is the last
 * one before the wait's call of the same sender, communicator and tag; its time is the begin of its call. *ticks is 0
 * if the wait is not for a sender, or if none of the 4096 receives before matches. It is also 0 if over 16384 waits are
 * in between. */
bool xtf_wave_iteration(XtfTraceContext *context, const XtfWaitFields *fields, const XtfWaitPlace *place,
                        uint64_t *ticks, GError **error);
