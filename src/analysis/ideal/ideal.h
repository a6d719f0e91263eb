/*
 * The derived type `ideal`: the run on the ideal network.
 */
#pragma once

#include "libxtf/writer.h"
#include "src/analysis/replay/replay.h"
#include "src/analysis/steps/steps.h"

typedef struct XtfIdeal XtfIdeal;

/* Borrows the replay, which is one with calls. */
XtfIdeal *xtf_ideal_new(XtfReplay *replay, GError **error);
void xtf_ideal_free(XtfIdeal *ideal); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfIdeal, xtf_ideal_free)
/* What the replay is to be run with, once, beside whatever else the run is for. Borrowed. */
const XtfReplayConsumer *xtf_ideal_consumer(const XtfIdeal *ideal);
/* After that writes the rows, as a step. *end: ticks that the ideal run takes. */
bool xtf_ideal_write(XtfIdeal *ideal, XtfWriter *writer, XtfSteps *steps, uint64_t *end, GError **error);
