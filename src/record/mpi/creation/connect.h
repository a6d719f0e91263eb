/*
 * Hooks of calls that connect groups of processes which were started apart.
 *
 * Both sides may be of one job, or of different ones, and either may not be recorded. Who is recorded marks that in the
 * folder of the job before it connects or accepts, by the name of the port. So the side that connects knows whether the
 * other one listens to its message (between.h), and the side that accepts whether there may come one. Else each side
 * has ids of its own, and its records do not meet those of the other one.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/record/core/core.h"
#include "src/record/mpi/library/pmpi.h"

#pragma GCC visibility push(hidden)

/* Before MPI_Comm_connect, or MPI_Comm_accept; `port` counts at the root only. */
void xtf_mpi_connects(const char *port, int root, MPI_Comm local, bool accepts);
/* Behind it. A port of NULL: of MPI_Comm_join. */
void xtf_mpi_connected(XtfRing *ring, uint64_t *left, int result, const char *port, int root, MPI_Comm local,
                       bool accepts, MPI_Comm made);

#pragma GCC visibility pop
