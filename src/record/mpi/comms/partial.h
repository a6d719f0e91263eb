/*
 * Worlds of which not all processes are recorded: `mpirun -n 2 xtf record ./a : -n 2 ./b`.
 *
 * Who is not recorded takes part in nothing that others agree on, and would be waited for. So all who are recorded have
 * to know the same of who is. The file `recorded` in the folder of the job (job.h), if there is one, has a byte for
 * each process of the world. `xtf record` says there that it starts the process, which is worth a longer wait, and the
 * process that it records. Whoever finds all there, or has waited long enough, closes the file, and from then on it
 * says the same to all. Processes that see different folders each find too few, and so know nothing of one another,
 * which is safe.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/record/mpi/library/pmpi.h"

#pragma GCC visibility push(hidden)

/* Some processes of MPI_COMM_WORLD are not recorded. Set once, before the process has any communicator to record. */
extern bool xtf_mpi_is_partial;

/* Finds it out: the world is known, and it was not spawned. */
void xtf_mpi_partial_find(void);
/* The first process of the world that is recorded: it tells what one process has to tell. */
uint32_t xtf_mpi_partial_first(void);
/* Whether some members of a new communicator are not recorded. Of processes of other worlds only `from_apart` tells,
 * whether there were some in what it is made out of. */
bool xtf_mpi_partial_is_apart(MPI_Comm made, bool from_apart);

#pragma GCC visibility pop
