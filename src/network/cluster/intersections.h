/*
 * Steps 3 and 4: clusters of pairs that several matrices agree on.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Gives each pair the number of its cluster, and returns how many there are. Place k of a pair's vector is
 * labels[k][pair]. Clusters are numbered as they are formed, the largest intersection first.
 *
 * `first_fixed`: the first place is a partition that is refined: it stays equal in a cluster. */
uint32_t xtf_intersections_cluster(const uint32_t *const *labels, unsigned n_places, bool first_fixed, size_t n_pairs,
                                   uint32_t *clusters);

/* How many pairs of the clusters of `before` are outside of the largest piece that their cluster has in `after`, a
 * refinement of it. */
size_t xtf_intersections_dropped(const uint32_t *before, uint32_t n_before, const uint32_t *after, uint32_t n_after,
                                 size_t n_pairs);
