/* Readings of the clocks of other nodes, from which the merge of the parts makes clock maps.
 *
 * The process with the lowest rank of each node takes part, by a private communicator. The nodes form a binomial tree
 * whose root is the node of rank 0. A reader sends a question to its reference, the node above it, which answers and
 * notes when. The exchange with the least round trip counts, and the reference's clock is known to half of it.
 *
 * Nodes are read at the end of MPI_Init, at the begin of MPI_Finalize, in MPI_Pcontrol(3), and with --sync-every behind
 * blocking collective operations on MPI_COMM_WORLD. There are no readings on one node, in spawned worlds, and in worlds
 * of which only some processes are recorded. All processes of a world call MPI_Init by a wrapper, or none does. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/record/core/core.h"
#include "src/record/mpi/library/pmpi.h"

#pragma GCC visibility push(hidden)

/* True if xtf_mpi_clocks_count() counts blocking collective operations. */
extern bool xtf_mpi_clocks_counts;

/* Finds the nodes, and reads their clocks, at the end of MPI_Init. All processes of the world call it. `ring`: NULL if
 * the thread does not record. */
void xtf_mpi_clocks_begin(XtfRing *ring);
/* Reads the clocks, in processes that take part, and frees the communicator, at the begin of MPI_Finalize. True if the
 * clocks were read. */
bool xtf_mpi_clocks_end(XtfRing *ring);
/* Does the same in a process that does not record MPI_Finalize, for which other processes wait. */
void xtf_mpi_clocks_end_unrecorded(void);
/* Reads the clocks in MPI_Pcontrol(3), which all processes of the world call. The caller is not between begin and
 * end. */
void xtf_mpi_clocks_ask(void);
/* Counts a blocking collective operation that has returned, and reads the clocks if it is time. The caller is not
 * between begin and end, unless MPI itself has called the operation. */
void xtf_mpi_clocks_count(MPI_Comm comm);

#pragma GCC visibility pop
