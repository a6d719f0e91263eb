/* Neighbours of a process in the topology of a communicator, for the bytes of neighbourhood operations.
 *
 * The first call for a communicator asks MPI and keeps the result in an attribute. Any thread may call. */
#pragma once

#include <stdint.h>

#include "src/record/mpi/library/pmpi.h"

#pragma GCC visibility push(hidden)

/* Numbers of neighbours. A grid has places for neighbours beyond its borders, where no process is: bit i of `absent`
 * is set if place i is empty. In a grid, sources and destinations have the same places. */
typedef struct {
    uint32_t n_sources, n_destinations; /* processes */
    uint32_t source_places, destination_places;
    uint64_t absent;
} XtfMpiNeighbors;

/* Returns the neighbours in a communicator; all 0 if it has no topology. */
XtfMpiNeighbors xtf_mpi_neighbors_of(MPI_Comm comm);

#pragma GCC visibility pop
