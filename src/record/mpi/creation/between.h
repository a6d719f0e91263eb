/*
 * Communicators between worlds: two groups of processes that may know nothing of each other.
 *
 * One side gives the ids of the communicator and of both groups, and tells the other side's first process by one small
 * message, before the program can send any. Nobody waits for it without bound: who should have sent it may not be
 * recorded.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/record/core/core.h"
#include "src/record/mpi/library/pmpi.h"

#pragma GCC visibility push(hidden)

typedef struct {
    uint32_t comm;
    uint32_t giver, other; /* the group of the side that gives the ids; of the other one */
} XtfMpiBetween;

/* The communicator has these ids, and was made out of `from`. */
void xtf_mpi_between_begins(XtfRing *ring, MPI_Comm comm, const XtfMpiBetween *ids, uint32_t from);
/* Tells the other side's process `dest`; waits some seconds for the message to be on its way. */
void xtf_mpi_between_tell(MPI_Comm comm, int dest, const XtfMpiBetween *ids);
bool xtf_mpi_between_hear(MPI_Comm comm, int source, XtfMpiBetween *ids);
/* Defines a group whose members are those of `local`, all of which call this. */
void xtf_mpi_between_define(XtfRing *ring, uint32_t group, MPI_Comm local);

#pragma GCC visibility pop
