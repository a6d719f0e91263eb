/*
 * Heat along a rod: each process has a part of it, and exchanges the temperatures at its ends with its neighbours in
 * each step, by blocking sends and receives. Process 2 has more to do than the others, so its neighbours wait for it.
 * The archive beside it was recorded of it, as README.md says.
 *
 *     mpicc -O1 -o heat heat.c && mpirun -n 4 ./heat [STEPS]
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { CELLS = 20000, LEFT_TAG = 1, RIGHT_TAG = 2, SLOW = 2 };

/* Sends one end and receives the neighbour's: even processes send first, so nobody waits for ever. */
static void exchange(double *own, double *other, int neighbour, int send_tag, int receive_tag, int rank)
{
    for (int turn = 0; turn < 2; turn++) {
        if (turn == rank % 2)
            MPI_Send(own, 1, MPI_DOUBLE, neighbour, send_tag, MPI_COMM_WORLD);
        else
            MPI_Recv(other, 1, MPI_DOUBLE, neighbour, receive_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static double step(double *now, double *next)
{
    double change = 0;

    for (int i = 1; i <= CELLS; i++) {
        next[i] = now[i] + 0.25 * (now[i - 1] - 2 * now[i] + now[i + 1]);
        change += (next[i] - now[i]) * (next[i] - now[i]);
    }
    return change;
}

int main(int argc, char **argv)
{
    int rank, size, steps = argc > 1 ? atoi(argv[1]) : 60;
    double *now = calloc(CELLS + 2, sizeof *now), *next = calloc(CELLS + 2, sizeof *next), change, whole = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Bcast(&steps, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0)
        now[1] = 1000;
    for (int i = 0; i < steps; i++) {
        if (rank > 0)
            exchange(&now[1], &now[0], rank - 1, LEFT_TAG, RIGHT_TAG, rank);
        if (rank < size - 1)
            exchange(&now[CELLS], &now[CELLS + 1], rank + 1, RIGHT_TAG, LEFT_TAG, rank);
        for (int again = 0; again < (rank == SLOW ? 3 : 1); again++)
            change = step(now, next);
        double *swap = now;
        now = next;
        next = swap;
        if (i % 10 == 9)
            MPI_Allreduce(&change, &whole, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("the last step changed the temperatures by %g\n", whole);
    MPI_Finalize();
    free(now);
    free(next);
    return 0;
}
