/* Hooks of calls that spawn processes.
 *
 * While processes are spawned, parents and children are both in a call of MPI. Parents cannot know whether their
 * children are recorded: the children may run a program without this library. So the children make the ids
 * (between.h), since their world has a number of its own. Parents that receive no message before the timeout
 * continue without an id. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/record/core/core.h"
#include "src/record/mpi/library/pmpi.h"

#pragma GCC visibility push(hidden)

/* Sets up the communicator of MPI_Comm_spawn, after all members of `from` have called it. */
void xtf_mpi_spawned(XtfRing *ring, uint64_t *left, int result, MPI_Comm from, MPI_Comm made);
/* Sets up the communicator to the parents of a spawned world, after its start. */
void xtf_mpi_find_parents(XtfRing *ring);

#pragma GCC visibility pop
