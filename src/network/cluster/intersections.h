/*
 * Steps 3 and 4: clusters of pairs on which several matrices agree.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Computes the cluster of each pair from its labels in `n_places` matrices: labels[k][pair]. Returns the number of
 * clusters. Clusters are numbered in the order of their formation, the largest intersection first.
 *
 * If `first_fixed`, labels[0] is an earlier partition, which the clusters refine: the pairs of a cluster agree in
 * it. */
uint32_t xtf_intersections_cluster(const uint32_t *const *labels, unsigned n_places, bool first_fixed, size_t n_pairs,
                                   uint32_t *clusters);

/* Returns the number of dropped pairs. `after` refines the clusters `before`; a pair is dropped unless it is in the
 * largest piece of its cluster. */
size_t xtf_intersections_dropped(const uint32_t *before, uint32_t n_before, const uint32_t *after, uint32_t n_after,
                                 size_t n_pairs);
