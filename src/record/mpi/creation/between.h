/* Communicators between worlds: two groups of processes that may know nothing of each other.
 *
 * One side makes the ids of the communicator and of both groups. It sends them to the first process of the other
 * side in one small message, before the program can send any. The receiver stops waiting after a timeout, since the
 * sender may not be recorded. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/record/core/core.h"
#include "src/record/mpi/library/pmpi.h"

#pragma GCC visibility push(hidden)

typedef struct {
    uint32_t comm;
    uint32_t giver, receiver; /* group of the side that makes the ids; group of the side that receives them */
} XtfMpiBetween;

/* Gives a communicator its ids and defines it, as made from `from`. */
void xtf_mpi_between_start(XtfRing *ring, MPI_Comm comm, const XtfMpiBetween *ids, uint32_t from);
/* Sends the ids to process `dest` of the other side. Waits until MPI has sent the message, at most some seconds. */
void xtf_mpi_between_send(MPI_Comm comm, int dest, const XtfMpiBetween *ids);
bool xtf_mpi_between_receive(MPI_Comm comm, int source, XtfMpiBetween *ids);
/* Defines a group with the members of `local`, all of which call this function. */
void xtf_mpi_between_define(XtfRing *ring, uint32_t group, MPI_Comm local);

#pragma GCC visibility pop
