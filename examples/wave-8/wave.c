/*
 * An idle wave: processes that stand in a row and exchange a value with their neighbours again and again. Each computes
 * for 4 ms (it sleeps, so that any machine has the cores), but process 3 once for 40 ms more. The archive beside it was
 * recorded of it, as README.md says.
 *
 *     mpicc -O2 -o wave wave.c && mpirun -n 8 ./wave
 */
#include <mpi.h>
#include <unistd.h>

enum { ITERATIONS = 16, LATE_PROCESS = 3, LATE_ITERATION = 4, WORK_US = 4000, DELAY_US = 40000 };

int main(int argc, char **argv)
{
    int rank, size;
    double mine = 0, other;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int iteration = 0; iteration < ITERATIONS; iteration++) {
        usleep(WORK_US);
        if (rank == LATE_PROCESS && iteration == LATE_ITERATION)
            usleep(DELAY_US);
        for (int side = -1; side <= 1; side += 2)
            if (rank + side >= 0 && rank + side < size)
                MPI_Send(&mine, 1, MPI_DOUBLE, rank + side, 0, MPI_COMM_WORLD);
        for (int side = -1; side <= 1; side += 2)
            if (rank + side >= 0 && rank + side < size) {
                MPI_Recv(&other, 1, MPI_DOUBLE, rank + side, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                mine += other;
            }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
