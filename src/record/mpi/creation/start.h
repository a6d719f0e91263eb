/*
 * Hooks of MPI_Init to MPI_Finalize.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/record/core/core.h"
#include "src/record/mpi/library/pmpi.h"

#pragma GCC visibility push(hidden)

/* MPI_Init or MPI_Init_thread has been called; once. *left is set anew. */
void xtf_mpi_started(XtfRing *ring, uint64_t *left, int result);
/* MPI is initialised, where no wrapper saw that: the same. Once a process, between xtf_core_begin() and xtf_core_end().
 */
void xtf_mpi_attach(XtfRing *ring);
#ifdef XTF_MPI_HAS_Session_init
void xtf_mpi_session_started(XtfRing *ring, int result, MPI_Session session);
/* Before MPI_Session_finalize. */
void xtf_mpi_session_ends(void);
#endif
/* Before and behind MPI_Finalize. */
void xtf_mpi_world_ends(XtfRing *ring, uint64_t entered);
void xtf_mpi_world_ended(XtfRing *ring, uint64_t *left, int result);

#pragma GCC visibility pop
