/*
 * An estimate of the offsets and drifts of all clocks from the messages of a trace.
 *
 * Each pair of processes that exchange messages has a corridor (corridor.h). Collective operations count as messages:
 * from the root, to the root, and from each rank to the next in a scan. An operation of all to all counts as messages
 * between parents and children of a binary tree of ranks. So a communicator needs one pair for each member. Source: D.
 * Becker, R. Rabenseifner, F. Wolf: Implications of non-constant clock drifts for the timestamps of concurrent events,
 * CLUSTER 2008.
 *
 * Pairs connect processes to sets. The estimate maps each clock of a set to the clock of the process with the lowest
 * number. It does so along the path of pairs with the least total doubt. If a time would be before 0, the map moves all
 * clocks of the set forward.
 */
#pragma once

#include "src/analysis/align/process-clocks.h"

/* Finds maps of one or two knots each; processes without a partner get no knots. *n_pairs: number of pairs of processes
 * that exchange messages. */
bool xtf_estimate_clocks(XtfReplay *replay, XtfProcessClocks *clocks, uint64_t *n_pairs, GError **error);
