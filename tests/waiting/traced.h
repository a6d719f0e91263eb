/* Writes what a recorder would have written of a simulation, and reads the table `waiting` of it. */
#pragma once

#include "tests/waiting/simulation.h"

typedef struct {
    unsigned location;
    char *verdict;
    int64_t group, waits_for; /* -1: none */
} Line;

/* Reads the table of a trace that has the rows of each location up to a time. `growing`: the trace is still written,
 * and complete up to `now`; else its processes were killed. Returns an array of Line, or fails the program. */
GArray *traced_table(const Simulation *simulation, const uint64_t *cuts, bool growing, uint64_t now);
