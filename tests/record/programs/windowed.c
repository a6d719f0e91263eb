/*
 * Steps of a ring of messages, whose tag is the number of the step, and an MPI_Allreduce. All processes print at which
 * time each step reached MPI_Allreduce, in milliseconds since before MPI_Init.
 *
 * windowed MS [FIRST LAST]: runs for MS milliseconds after MPI_Init, at least LAST + 2 steps. Recording is switched on before step
 * FIRST and off after step LAST. Process 1 is late by 3 ms in each step.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

static void compute_for(double ms)
{
    for (double end = now_ms() + ms; now_ms() < end;)
        continue;
}

int main(int argc, char **argv)
{
    double begin = now_ms(), end, first = argc > 2 ? atof(argv[2]) : -1, last = argc > 3 ? atof(argv[3]) : -1;
    int rank, size, goes_on = 1, any;

    MPI_Init(&argc, &argv);
    end = now_ms() + atof(argv[1]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int step = 0; goes_on; step++) {
        int got;
        if (step == first)
            MPI_Pcontrol(1);
        compute_for(rank == 1 ? 4 : 1);
        MPI_Sendrecv(&step, 1, MPI_INT, (rank + 1) % size, step, &got, 1, MPI_INT, (rank + size - 1) % size, step, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        printf("%d %d %.3f\n", rank, step, now_ms() - begin);
        any = now_ms() < end || step < last + 1;
        MPI_Allreduce(&any, &goes_on, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        if (step == last)
            MPI_Pcontrol(0);
    }
    MPI_Finalize();
    return 0;
}
