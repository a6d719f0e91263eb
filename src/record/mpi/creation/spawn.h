/*
 * Hooks of calls that spawn processes.
 *
 * Parents and children are both in a call of MPI when children are spawned, but parents cannot know whether their
 * children are recorded: those may be of a program that this library is not in. So the children give the ids
 * (between.h), since their world has a number of its own. Parents who hear nothing in time go on without an id.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/record/core/core.h"
#include "src/record/mpi/library/pmpi.h"

#pragma GCC visibility push(hidden)

/* Processes were spawned by all members of `from`. */
void xtf_mpi_spawned(XtfRing *ring, uint64_t *left, int result, MPI_Comm from, MPI_Comm made);
/* The parents of a spawned world, after its start. */
void xtf_mpi_find_parents(XtfRing *ring);

#pragma GCC visibility pop
