/*
 * A program that any recorder can record: messages around a ring, and collective operations.
 */
#include <mpi.h>

enum { ROUNDS = 20, LARGEST = 64 };

int main(int argc, char **argv)
{
    int rank, size, sent[4 * LARGEST] = {0}, received[4 * LARGEST];
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    for (int i = 1; i <= ROUNDS; i++) {
        MPI_Irecv(received, LARGEST, MPI_INT, before, i, MPI_COMM_WORLD, &request);
        if (i % 5 == 0)
            MPI_Ssend(sent, i, MPI_INT, next, i, MPI_COMM_WORLD);
        else
            MPI_Send(sent, i, MPI_INT, next, i, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Bcast(sent, i, MPI_INT, i % size, MPI_COMM_WORLD);
        MPI_Allreduce(sent, received, i, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Reduce(sent, received, i, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
        MPI_Alltoall(sent, i, MPI_INT, received, i, MPI_INT, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
