/*
 * A stencil of which some processes are recorded. Each of 20 steps has messages to both neighbours and a collective
 * operation, in MPI_COMM_WORLD and in parts of it. Communicators are made and freed before, between and after. Process
 * 1 computes 12 times as long as the others, in the region "work". Each process prints how many values arrived that
 * were wrong.
 */
#include <mpi.h>
#include <stdio.h>
#include <time.h>
#include <xtf/user.h>

enum { STEPS = 20 };

static void compute_for(double ms)
{
    struct timespec now;
    double begin = -1, at;

    XTF_REGION_BEGIN("work");
    do {
        clock_gettime(CLOCK_MONOTONIC, &now);
        at = now.tv_sec * 1e3 + now.tv_nsec / 1e6;
        begin = begin < 0 ? at : begin;
    } while (at < begin + ms);
    XTF_REGION_END("work");
}

static int exchange(MPI_Comm comm, int step)
{
    int rank, size, got[2] = {-1, -1}, sum = 0;
    MPI_Request requests[2];

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    int left = (rank + size - 1) % size, right = (rank + 1) % size, own = 100 * step + rank;
    MPI_Irecv(&got[0], 1, MPI_INT, left, 1, comm, &requests[0]);
    MPI_Isend(&own, 1, MPI_INT, right, 1, comm, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Sendrecv(&own, 1, MPI_INT, left, 2, &got[1], 1, MPI_INT, right, 2, comm, MPI_STATUS_IGNORE);
    MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, comm);
    return (got[0] != 100 * step + left) + (got[1] != 100 * step + right) +
           (sum != 100 * step * size + size * (size - 1) / 2);
}

int main(int argc, char **argv)
{
    int rank, wrong = 0;
    MPI_Comm halves, again;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &halves);
    for (int step = 0; step < STEPS; step++) {
        MPI_Comm odd;
        compute_for(rank == 1 ? 12 : 1);
        wrong += exchange(MPI_COMM_WORLD, step) + exchange(halves, step);
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &odd);
        wrong += exchange(odd, step);
        MPI_Barrier(MPI_COMM_SELF);
        MPI_Comm_free(&odd);
    }
    MPI_Comm_dup(halves, &again);
    MPI_Bcast(&wrong, 0, MPI_INT, 1, again);
    MPI_Comm_free(&again);
    MPI_Comm_free(&halves);
    printf("%d %d\n", rank, wrong);
    MPI_Finalize();
    return 0;
}
