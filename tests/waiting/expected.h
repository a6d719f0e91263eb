/*
 * Threads that can never continue, as far as a trace shows it. Found by a naive fixpoint over the state of a
 * simulation. A thread may do anything while it computes, or if the trace shows too little of its call.
 */
#pragma once

#include "tests/waiting/simulation.h"

/* True if the trace shows that a thread is in a call. Calls of a growing trace count from two seconds on. */
bool expected_counts(const Simulation *simulation, bool growing, unsigned location);
/* True if a thread may call MPI before another thread of its process has returned from a call that counts. */
bool expected_may_call(const Simulation *simulation, bool growing, unsigned location);
/* Sets for each location whether its thread is in a call that never ends. */
void expected_find(const Simulation *simulation, bool growing, bool *is_stuck);
