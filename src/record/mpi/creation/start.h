/*
 * Hooks of MPI_Init to MPI_Finalize.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/record/core/core.h"
#include "src/record/mpi/library/pmpi.h"

#pragma GCC visibility push(hidden)

/* Sets up the world after MPI_Init or MPI_Init_thread, once. Sets *left to the time after that. */
void xtf_mpi_started(XtfRing *ring, uint64_t *left, int result);
/* Sets up the world if MPI was initialised without a wrapper seeing it. Called once a process, between xtf_core_begin()
 * and xtf_core_end(). */
void xtf_mpi_attach(XtfRing *ring);
#ifdef XTF_MPI_HAS_Session_init
void xtf_mpi_session_started(XtfRing *ring, int result, MPI_Session session);
/* Ends the recording of a session, before MPI_Session_finalize. */
void xtf_mpi_session_ends(void);
#endif
/* Ends the recording of MPI_COMM_WORLD: the first function before MPI_Finalize, the second one after it. */
void xtf_mpi_world_ends(XtfRing *ring, uint64_t entered);
void xtf_mpi_world_ended(XtfRing *ring, uint64_t *left, int result);

#pragma GCC visibility pop
