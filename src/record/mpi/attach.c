#include "src/record/mpi/hooks.h"

void xtf_mpi_attach(XtfRing *ring)
{
    int rank = 0, size = 0;

    if (xtf_pmpi.Comm_rank(MPI_COMM_WORLD, &rank) == MPI_SUCCESS &&
        xtf_pmpi.Comm_size(MPI_COMM_WORLD, &size) == MPI_SUCCESS)
        xtf_core_set_rank((uint32_t)rank, (uint32_t)size);
}
