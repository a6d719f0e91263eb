/* The begin of a recording with --from, in all processes at one collective operation.
 *
 * If each process began by its own clock, one would record an operation that another one has passed. Then all later
 * operations on the communicator would be matched wrongly. So the processes agree before each blocking operation of all
 * of them, until recording begins. It begins where the time is over for one of them. */
#pragma once

#include <stdbool.h>

#include "src/record/mpi/library/pmpi.h"

#pragma GCC visibility push(hidden)

/* True while xtf_mpi_begin_together() may begin the recording. */
extern bool xtf_mpi_begins_together;

/* Decides whether all processes of the world will begin to record at one operation, instead of each by its own clock.
 * The world is set. */
void xtf_mpi_together_start(void);
/* Asks all members of the communicator, before a blocking operation on it, whether recording begins. Returns true if it
 * does. */
bool xtf_mpi_begin_together(MPI_Comm comm);

#pragma GCC visibility pop
