/*
 * The derived type `ideal`: the run on the ideal network.
 */
#pragma once

#include "libxtf/writer.h"
#include "src/analysis/replay/replay.h"
#include "src/analysis/steps/steps.h"

/* Runs the replay, which is one with calls, and writes the rows, as two steps. *end: ticks that the ideal run takes. */
bool xtf_ideal_write(XtfReplay *replay, XtfWriter *writer, XtfSteps *steps, uint64_t *end, GError **error);
