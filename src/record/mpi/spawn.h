/*
 * Communicators between worlds.
 *
 * Parents and children are both in a call of MPI when children are spawned, but parents cannot know whether their
 * children are recorded: those may be of a program that this library is not in. So nobody waits for anybody without
 * bound. Rank 0 of the children sends one small message to rank 0 of the parents, before the program can send any, with
 * the ids of their communicator and of both groups; these are the children's to give, since their world has a number of
 * its own. Parents who get no such message in time go on without an id.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/record/core/core.h"
#include "src/record/mpi/pmpi.h"

#pragma GCC visibility push(hidden)

/* The same, by connecting to processes that this library may know nothing of; `local` are the members on this side. */
void xtf_mpi_comm_connected(XtfRing *ring, uint64_t *left, int result, MPI_Comm local, MPI_Comm made);
/* Processes were spawned by all members of `from`. */
void xtf_mpi_spawned(XtfRing *ring, uint64_t *left, int result, MPI_Comm from, MPI_Comm made);
/* The parents of a spawned world, after its start. */
void xtf_mpi_find_parents(XtfRing *ring);

#pragma GCC visibility pop
