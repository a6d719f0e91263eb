/*
 * A ring of processes that exchange halos. All post receives and sends, then compute, then wait for the requests.
 *
 *     stencil RANK STEPS EXTRA      the rank that computes EXTRA milliseconds longer, from a third of the steps on
 */
#include <mpi.h>

#include "fault.h"

enum { HALO = 256, STEP = 2 }; /* doubles of a halo; milliseconds of work in a step */

static double halos[4][HALO];

static void exchange(int left, int right, double milliseconds)
{
    MPI_Request requests[4];

    MPI_Irecv(halos[0], HALO, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(halos[1], HALO, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(halos[2], HALO, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(halos[3], HALO, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[3]);
    work(milliseconds);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
    int slow = atoi(argv[1]), steps = atoi(argv[2]), rank, size;
    double extra = atof(argv[3]);

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int step = 0; step < steps; step++)
        exchange((rank + size - 1) % size, (rank + 1) % size, STEP + (rank == slow && 3 * step >= steps ? extra : 0));
    MPI_Finalize();
    return 0;
}
