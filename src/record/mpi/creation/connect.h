/* Hooks of calls that connect groups of processes that were started separately.
 *
 * Both sides may be of one job or of different ones, and either may not be recorded. A recorded side creates a file
 * in the folder of its job before it connects or accepts, named after the port. A connecting side that sees the
 * other side's file sends the ids of the new communicator in a message of the recorder (between.h). An accepting side
 * that sees the other side's file waits for this message. Otherwise each side makes its own ids, and a reader cannot
 * match the records of the two sides. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/record/core/core.h"
#include "src/record/mpi/library/pmpi.h"

#pragma GCC visibility push(hidden)

/* Announces this side, before MPI_Comm_connect or MPI_Comm_accept. Only the root's `port` is used. */
void xtf_mpi_connects(const char *port, int root, MPI_Comm local, bool accepts);
/* Defines the new communicator, after the call. `port` is NULL for MPI_Comm_join. */
void xtf_mpi_connected(XtfRing *ring, uint64_t *left, int result, const char *port, int root, MPI_Comm local,
                       bool accepts, MPI_Comm made);

#pragma GCC visibility pop
