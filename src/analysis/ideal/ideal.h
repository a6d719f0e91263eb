/*
 * The derived type `ideal`: the run on the ideal network.
 */
#pragma once

#include "libxtf/writer.h"
#include "src/analysis/replay/replay.h"
#include "src/analysis/steps/steps.h"
#include "src/world/world.h"

typedef struct XtfIdeal XtfIdeal;

/* Creates an ideal run beside a run of the replay with these shares (xtf_replay_divide()). Borrows the replay, which
 * must have calls. */
XtfIdeal *xtf_ideal_new(XtfReplay *replay, const uint32_t *borders, uint32_t n_shares, GError **error);
void xtf_ideal_free(XtfIdeal *ideal); /* accepts NULL */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfIdeal, xtf_ideal_free)
/* Returns the consumer for exactly one run of the replay, for all its shares. The run may also serve other consumers.
 * Borrowed. */
const XtfReplayConsumer *xtf_ideal_consumer(const XtfIdeal *ideal);
/* Gets the end of the run in all ranks, for rank 0 of a job, after the replay's run. Collective: if it fails, one rank
 * gets the error. */
bool xtf_ideal_join_ends(XtfIdeal *ideal, XtfWorld *world, GError **error);
/* Writes the rows, as a step, after the replay's run. *end: length of the ideal run in ticks. In a job each rank writes
 * the rows of its own locations, and only rank 0 gets *end. */
bool xtf_ideal_write(XtfIdeal *ideal, XtfWriter *writer, XtfSteps *steps, uint64_t *end, GError **error);
