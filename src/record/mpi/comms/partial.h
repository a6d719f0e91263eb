/* Worlds of which not all processes are recorded: `mpirun -n 2 xtf record ./a : -n 2 ./b`.
 *
 * An unrecorded process takes part in no agreement on ids, so the others would wait for it without end. So all
 * recorded processes have to know the same set of recorded processes. The file `recorded` in the folder of the job
 * (job.h), if it exists, has a byte for each process of the world. `xtf record` writes there that it starts the
 * process, which makes the others wait longer. The process itself writes that it records. A process that finds all
 * registered, or has waited until the timeout, closes the file. All processes read the same from a closed file.
 * Processes that see different folders miss one another, and assume that the others are not recorded, which is safe. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/record/mpi/library/pmpi.h"

#pragma GCC visibility push(hidden)

/* True if some processes of MPI_COMM_WORLD are not recorded. Set once, before the process has any communicator to
 * record. */
extern bool xtf_mpi_is_partial;

/* Finds out which processes are recorded. The world is set, and was not spawned. */
void xtf_mpi_partial_find(void);
/* Returns the rank of the first recorded process of the world, which writes the definitions that one process writes
 * for all. */
uint32_t xtf_mpi_partial_first(void);
/* True if some members of a new communicator are not recorded. For members of other worlds the result is
 * `from_apart`: whether the communicator it is made from has unrecorded members. */
bool xtf_mpi_partial_is_apart(MPI_Comm made, bool from_apart);

#pragma GCC visibility pop
