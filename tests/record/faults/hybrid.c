/*
 * OpenMP loops between reductions. In some steps one process writes a checkpoint while the others wait.
 *
 *     hybrid RANK STEPS EXTRA      the rank, and the milliseconds of its write
 */
#include <mpi.h>

#include "fault.h"

enum { EVERY = 5, PARTS = 4 };

static void write_checkpoint(double milliseconds)
{
    work(milliseconds);
}

int main(int argc, char **argv)
{
    int writer = atoi(argv[1]), steps = atoi(argv[2]), rank;
    double extra = atof(argv[3]), sum = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < steps; step++) {
#pragma omp parallel for schedule(static) num_threads(2)
        for (int part = 0; part < PARTS; part++)
            work(1);
        if (rank == writer && step % EVERY == 0)
            write_checkpoint(EVERY * extra);
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
