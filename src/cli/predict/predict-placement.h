/*
 * `xtf predict --place NODES`: a map for --map.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* Prints the placement of the processes of a trace on nodes that moves few bytes between nodes (place.h). Comments
 * above it compare it with the placements by blocks and by turns. */
bool xtf_predict_print_placement(const char *source, uint32_t n_nodes, bool incomplete, GError **error);
