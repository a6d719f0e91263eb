/*
 * Calls that do not communicate, and probes that find nothing, in known numbers, for 2 processes.
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, peer, found, out = 1, in;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    for (int i = 0; i < 2; i++)
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 4; i++)
        MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 5; i++)
        MPI_Wtime();
    for (int i = 0; i < 6; i++)
        MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    peer = 1 - rank;
    for (int i = 0; i < 3; i++)
        MPI_Sendrecv(&out, 1, MPI_INT, peer, i, &in, 1, MPI_INT, peer, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Irecv(&in, 1, MPI_INT, peer, 7, MPI_COMM_WORLD, &request);
    MPI_Send(&out, 1, MPI_INT, peer, 7, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
