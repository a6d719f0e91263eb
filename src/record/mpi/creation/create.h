/* Hooks of calls that make, name and free communicators. Wrappers call them after the call, with its result. `ring`
 * is NULL while the thread does not record. Hooks agree on ids even then, since all members of a communicator have
 * to take part. *left is the time at which the call returned. A hook that communicates sets it to the time after
 * that. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/record/core/core.h"
#include "src/record/mpi/comms/comms.h"
#include "src/record/mpi/library/pmpi.h"

#pragma GCC visibility push(hidden)

/* Sets up `made`, which all of its members made from `out_of`. `out_of.id` is XTF_WIRE_NONE if that communicator has no
 * id, or if only some of its members took part in the call. */
void xtf_mpi_comm_created(XtfRing *ring, uint64_t *left, int result, XtfMpiFrom out_of, MPI_Comm made);
void xtf_mpi_comm_named(XtfRing *ring, int result, MPI_Comm comm, const char *name);
void xtf_mpi_comm_freed(XtfRing *ring, uint64_t left, int result, uint32_t comm);
/* Defines the cartesian topology of a new communicator. */
void xtf_mpi_cart_created(XtfRing *ring, int result, MPI_Comm made);
/* Adds the request of MPI_Comm_idup, whose completion sets up the duplicate. */
void xtf_mpi_idup(XtfRing *ring, int result, MPI_Comm from, MPI_Comm *made, MPI_Request request);

/* Writes the definition of a communicator. */
void xtf_mpi_define_comm(XtfRing *ring, uint32_t id, uint32_t group, uint32_t remote, uint32_t from, const char *name);

#pragma GCC visibility pop
