/*
 * Heat along a rod, as in heat-4, with non-blocking messages and regions: each process has a part of the rod, begins to
 * exchange the temperatures at its ends with its neighbours, computes what needs none of them, and waits. Process 2 has
 * more to do than the others. The trace beside it was recorded of it, as README.md says.
 *
 *     mpicc -O1 -o rod rod.c && xtf record mpirun -n 4 ./rod [STEPS]
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#if __has_include(<xtf/user.h>)
#include <xtf/user.h>
#else /* xtf is not installed */
#include "../../src/record/regions/user.h"
#endif

enum { CELLS = 200000, TO_RIGHT = 1, TO_LEFT = 2, SLOW = 2, SOME = 10 };

typedef struct {
    MPI_Comm comm;
    int left, right, rank; /* MPI_PROC_NULL: the rod ends here */
    double *now, *next;
} Rod;

static void begin_exchange(Rod *rod, MPI_Request *requests)
{
    XTF_FUNCTION;
    MPI_Irecv(&rod->now[0], 1, MPI_DOUBLE, rod->left, TO_RIGHT, rod->comm, &requests[0]);
    MPI_Irecv(&rod->now[CELLS + 1], 1, MPI_DOUBLE, rod->right, TO_LEFT, rod->comm, &requests[1]);
    MPI_Isend(&rod->now[1], 1, MPI_DOUBLE, rod->left, TO_LEFT, rod->comm, &requests[2]);
    MPI_Isend(&rod->now[CELLS], 1, MPI_DOUBLE, rod->right, TO_RIGHT, rod->comm, &requests[3]);
}

static double compute(Rod *rod, int first, int last)
{
    double change = 0;

    for (int i = first; i <= last; i++) {
        rod->next[i] = rod->now[i] + 0.25 * (rod->now[i - 1] - 2 * rod->now[i] + rod->now[i + 1]);
        change += (rod->next[i] - rod->now[i]) * (rod->next[i] - rod->now[i]);
    }
    return change;
}

static double step(Rod *rod)
{
    MPI_Request requests[4];
    MPI_Status statuses[4];
    double change = 0;

    XTF_FUNCTION;
    begin_exchange(rod, requests);
    XTF_REGION_BEGIN("inner cells");
    for (int again = 0; again < (rod->rank == SLOW ? 3 : 1); again++)
        change = compute(rod, 2, CELLS - 1);
    XTF_REGION_END("inner cells");
    MPI_Waitall(4, requests, statuses);
    change += compute(rod, 1, 1) + compute(rod, CELLS, CELLS);
    double *swap = rod->now;
    rod->now = rod->next;
    rod->next = swap;
    return change;
}

int main(int argc, char **argv)
{
    Rod rod = {.now = calloc(CELLS + 2, sizeof(double)), .next = calloc(CELLS + 2, sizeof(double))};
    int steps = argc > 1 ? atoi(argv[1]) : 60, size, ends = 0;
    double change, whole = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Bcast(&steps, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &ends, 0, &rod.comm);
    MPI_Comm_set_name(rod.comm, "rod");
    MPI_Comm_rank(rod.comm, &rod.rank);
    MPI_Cart_shift(rod.comm, 0, 1, &rod.left, &rod.right);
    if (rod.rank == 0)
        rod.now[1] = 1000;
    for (int i = 1; i <= steps; i++) {
        change = step(&rod);
        if (i % SOME == 0)
            MPI_Allreduce(&change, &whole, 1, MPI_DOUBLE, MPI_SUM, rod.comm);
    }
    if (rod.rank == 0)
        printf("the last step changed the temperatures by %g\n", whole);
    MPI_Comm_free(&rod.comm);
    MPI_Finalize();
    free(rod.now);
    free(rod.next);
    return 0;
}
