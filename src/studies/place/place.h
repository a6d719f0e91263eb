/*
 * Placement: the nodes on which processes run, chosen so that few bytes move between nodes.
 *
 * n processes run on m nodes, at most ceil(n / m) on each. The search improves starts by exchanges. An exchange moves a
 * process to a free place of another node, or swaps two processes, if fewer bytes then move between nodes. The starts
 * are the placements by blocks and by turns, a greedy one, and random ones. Then the search disturbs the best placement
 * and improves it again. The best one counts, so it is never worse than blocks and turns. Results do not depend on
 * time.
 *
 * Memory: 32 bytes for each pair of processes that exchange bytes, and at most 32 MiB.
 */
#pragma once

#include <stdint.h>

/* Bytes from one process to another one, each less than the number of processes. */
typedef struct {
    uint32_t from, to;
    uint64_t bytes;
} XtfPlaceTraffic;

/* Writes the node of each process to `nodes`, which has `n`. `n_nodes` is at least 1. */
typedef void (*XtfPlaceRule)(uint32_t n, uint32_t n_nodes, uint32_t *nodes);

/* Places by blocks: the first ceil(n / n_nodes) processes on the first node, and so on. */
void xtf_place_blocks(uint32_t n, uint32_t n_nodes, uint32_t *nodes);
/* Places by turns: process i on node i modulo n_nodes. */
void xtf_place_turns(uint32_t n, uint32_t n_nodes, uint32_t *nodes);

/* Returns the bytes between processes on different nodes; UINT64_MAX if they are more. */
uint64_t xtf_place_remote(const XtfPlaceTraffic *traffic, uint64_t n_traffic, const uint32_t *nodes);

/* Finds a placement. Any pairs may be listed, in any order and repeatedly. Returns the bytes between nodes. */
uint64_t xtf_place(const XtfPlaceTraffic *traffic, uint64_t n_traffic, uint32_t n, uint32_t n_nodes, uint32_t *nodes);
