/*
 * The forward pass: finds all points and their waits by a replay. The formulas are in docs/VOCABULARY.md, section 9.
 * They are Scalasca's (MPI.pattern and MpiCommunicationHandler.cpp of Scalasca 2.6).
 */
#pragma once

#include "src/analysis/steps/steps.h"
#include "src/analysis/waits/raw-points.h"
#include "src/model/schemas.h"
#include "src/model/wait-kinds.h"

/* Counts for the report. */
typedef struct {
    XtfReplayCounts counts;
    uint64_t
        violations;  /* messages received before they were sent; operation members that end before another one begins */
    uint64_t judged; /* number of messages and members of operations that were checked for violations */
    uint64_t waits[XTF_N_WAIT_KINDS], amounts[XTF_N_WAIT_KINDS]; /* by kind; completions have kinds, too */
} XtfFound;

/* Finds the waits for messages and in operations, by a run of the replay, which reports its progress itself. Borrows
 * the replay, which must have calls. The run has `n_shares`, of the processes that `borders` divides
 * (xtf_replay_divide()). Forwards the run's `send`, `begin`, `receive`, `end` and `probe` to `beside`, in the thread of
 * the event's share. In a job, `raw` gets the points of this rank's locations, but *found has the counts of all ranks.
 * Then call xtf_world_have_succeeded(), as the error of a rank may be its own. */
bool xtf_find_waits(XtfReplay *replay, const uint32_t *borders, uint32_t n_shares, XtfRawPoints *raw,
                    const XtfReplayConsumer *beside, XtfSteps *steps, XtfFound *found, GError **error);
/* Adds the waits in MPI_Init and MPI_Finalize, and the waits that need no messages. Ends the points. Needs the bounds
 * of all locations. */
bool xtf_find_other_waits(XtfReplay *replay, XtfRawPoints *raw, XtfSteps *steps, GError **error);
/* Returns the first location of each rank of a job, and behind them the number of locations. The caller frees them. */
uint32_t *xtf_find_first_locations(const XtfReplay *replay, unsigned n_ranks);
/* True if the clocks contradict each other more than one time in a thousand. Then waits are not reliable. */
bool xtf_found_contradicts(const XtfFound *found);
/* Counts a point's waits. */
void xtf_found_count(XtfFound *found, const XtfPoint *point);
/* Returns the kind of a point's completion; XTF_N_WAIT_KINDS: its wait's kind has none, or there is no completion. */
unsigned xtf_found_completion(const XtfPoint *point);
