/*
 * Hooks of calls that make, name and free communicators. Wrappers call them behind the call, with its outcome. `ring`
 * is NULL while the thread does not record: ids are agreed on nevertheless, since all members of a communicator have to
 * take part. *left is when the call was left, and is set anew where a hook communicates.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/record/core/core.h"
#include "src/record/mpi/comms/comms.h"
#include "src/record/mpi/library/pmpi.h"

#pragma GCC visibility push(hidden)

/* A communicator was made out of `out_of`, by all members of that; an id of XTF_WIRE_NONE: by some of them. */
void xtf_mpi_comm_created(XtfRing *ring, uint64_t *left, int result, XtfMpiFrom out_of, MPI_Comm made);
void xtf_mpi_comm_named(XtfRing *ring, int result, MPI_Comm comm, const char *name);
void xtf_mpi_comm_freed(XtfRing *ring, uint64_t left, int result, uint32_t comm);
/* The cartesian topology of a new communicator. */
void xtf_mpi_cart_created(XtfRing *ring, int result, MPI_Comm made);
/* MPI_Comm_idup: when it is called, and when it is complete. */
void xtf_mpi_idup(XtfRing *ring, int result, MPI_Comm from, MPI_Comm *made, MPI_Request request);

/* What a communicator is to readers. */
void xtf_mpi_define_comm(XtfRing *ring, uint32_t id, uint32_t group, uint32_t remote, uint32_t from, const char *name);

#pragma GCC visibility pop
