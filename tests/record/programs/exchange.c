/* Each process exchanges messages of a given number of bytes with both neighbours in a ring: posts, computes, waits
 * for all. Process 1 computes longer. */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

enum { STEPS = 24, SLOW = 1 };

int main(int argc, char **argv)
{
    int rank, size, bytes = atoi(argv[1]);
    char *data[4];
    MPI_Request requests[4];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int peers[2] = {(rank + 1) % size, (rank + size - 1) % size};
    const struct timespec compute = {.tv_nsec = rank == SLOW ? 6000000 : 1000000};
    for (int i = 0; i < 4; i++)
        data[i] = calloc(1, (size_t)bytes);
    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < 2; i++)
            MPI_Irecv(data[i], bytes, MPI_BYTE, peers[i], i, MPI_COMM_WORLD, &requests[i]);
        for (int i = 0; i < 2; i++)
            MPI_Isend(data[2 + i], bytes, MPI_BYTE, peers[i], 1 - i, MPI_COMM_WORLD, &requests[2 + i]);
        nanosleep(&compute, NULL);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
