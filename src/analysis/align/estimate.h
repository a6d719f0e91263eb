/*
 * Offsets and drifts of all clocks, estimated from the messages of a trace.
 *
 * Each pair of processes that exchange messages has a corridor (corridor.h); collective operations count as messages
 * (D. Becker, R. Rabenseifner, F. Wolf: Implications of non-constant clock drifts for the timestamps of concurrent
 * events, CLUSTER 2008): from the root, to the root, from each rank to the next in a scan, and between parent and
 * children of a binary tree of ranks in operations of all to all, so that a large communicator takes as many pairs as
 * it has members. The clocks of a set of processes that are connected by pairs are led to that of the process with the
 * lowest number, each along the pairs whose corridors leave the least doubt together. If a time would lie before 0, all
 * clocks of the set are set forward by as much.
 */
#pragma once

#include "src/analysis/align/process-clocks.h"

/* Finds maps, of a knot or two each; those of processes without a partner have no knots. *n_pairs is the number of
 * pairs of processes that exchange messages. */
bool xtf_estimate_clocks(XtfReplay *replay, XtfProcessClocks *clocks, uint64_t *n_pairs, GError **error);
