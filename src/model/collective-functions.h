/*
 * The blocking collective operations of all members of a communicator: MPI_Barrier, MPI_Bcast ...
 * MPI_Neighbor_alltoallw. All members call them in the same order.
 */
#pragma once

#include <stdbool.h>

enum { XTF_COLLECTIVE_FUNCTIONS = 22 };

/* Names for xtf_mpi_function_find(): in lower case and without prefix. The list ends with NULL. */
extern const char *const xtf_collective_functions[XTF_COLLECTIVE_FUNCTIONS + 1];

/* True if no member can leave the operation before all members have called it. `function` is an index in the list. */
bool xtf_collective_function_synchronises(int function);
