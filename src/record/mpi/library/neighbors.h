/*
 * The neighbours of a process in the topology of a communicator, for the bytes of neighbourhood operations.
 *
 * They are asked for once and kept in an attribute of the communicator. Any thread may call.
 */
#pragma once

#include <stdint.h>

#include "src/record/mpi/library/pmpi.h"

#pragma GCC visibility push(hidden)

/* Grids have places for neighbours beyond their borders, where there is no process: bit i of `absent` stands for place
 * i. The places for sources and destinations are the same then. */
typedef struct {
    uint32_t n_sources, n_destinations; /* processes */
    uint32_t source_places, destination_places;
    uint64_t absent;
} XtfMpiNeighbors;

/* None, of a communicator without a topology. */
XtfMpiNeighbors xtf_mpi_neighbors_of(MPI_Comm comm);

#pragma GCC visibility pop
