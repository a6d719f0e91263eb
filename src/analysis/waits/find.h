/*
 * The forward pass: finds who waited, and all points, by a replay. The formulas are those of docs/VOCABULARY.md,
 * section 9, which are Scalasca's (MPI.pattern and MpiCommunicationHandler.cpp of Scalasca 2.6).
 */
#pragma once

#include "src/analysis/steps/steps.h"
#include "src/analysis/waits/raw-points.h"
#include "src/model/schemas.h"
#include "src/model/wait-kinds.h"

/* What was found, for the report. */
typedef struct {
    XtfReplayCounts counts;
    uint64_t violations; /* messages that are received before they are sent, members that end before a beginning */
    uint64_t judged;     /* of so many messages and members of operations */
    uint64_t waits[XTF_N_WAIT_KINDS], amounts[XTF_N_WAIT_KINDS]; /* by kind; completions are kinds of their own */
} XtfFound;

/* Borrows the replay, which is one with calls. Two steps: a run of the replay, which tells its own progress, and the
 * kinds that need no messages. `beside` gets the same run: its `send`, `begin`, `receive` and `end` are called. */
bool xtf_find_waits(XtfReplay *replay, XtfRawPoints *raw, const XtfReplayConsumer *beside, XtfSteps *steps,
                    XtfFound *found, GError **error);
/* Whether the clocks contradict each other more than one time in a thousand: then waits are not to be trusted. */
bool xtf_found_contradicts(const XtfFound *found);
/* Counts a point's waits. */
void xtf_found_count(XtfFound *found, const XtfPoint *point);
/* The kind of a point's completion, if that is a kind of its own; XTF_N_WAIT_KINDS: it is none. */
unsigned xtf_found_completion(const XtfPoint *point);
