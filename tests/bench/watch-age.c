/*
 * A program to be watched, for tests/bench/watch-age.py: it exchanges a few messages a second.
 *
 * usage: watch-age SECONDS
 *
 * Process 0 prints the time right before MPI_Init, in seconds since 1970. It is the trace's first record.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(clockid_t clock)
{
    struct timespec time;

    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
    double began = now(CLOCK_REALTIME), first, end;
    int rank, more = 1;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Reduce(&began, &first, 1, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%.6f\n", first);
    fflush(stdout);
    end = now(CLOCK_MONOTONIC) + atof(argv[1]);
    while (more) {
        nanosleep(&(struct timespec){.tv_nsec = 20 * 1000 * 1000}, NULL);
        more = now(CLOCK_MONOTONIC) < end;
        MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
