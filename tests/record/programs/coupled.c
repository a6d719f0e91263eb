/*
 * Two programs in one world; the argument, 0 or 1, says which one this is. There are a communicator of all processes,
 * two of each program, and an intercommunicator. In each communicator, rank 0 sends a message to the last rank. In the
 * intercommunicator, each process exchanges messages with the process of the same rank in the other program.
 */
#include <mpi.h>
#include <stdlib.h>

static void pass_on(MPI_Comm comm, const char *name, int tag)
{
    int rank, size;

    MPI_Comm_set_name(comm, name);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (rank == 0)
        MPI_Send(&tag, 1, MPI_INT, size - 1, tag, comm);
    if (rank == size - 1)
        MPI_Recv(&tag, 1, MPI_INT, 0, tag, comm, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    MPI_Comm all, own, again, between;
    MPI_Request request;
    MPI_Win win;
    int rank, which = atoi(argv[1]), memory = 0, in;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &all);
    pass_on(all, "all", 1);
    MPI_Comm_split(all, which, 0, &own);
    pass_on(own, "own", 2);
    MPI_Comm_idup(own, &again, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    pass_on(again, "again", 3);
    MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, which ? 0 : 2, 4, &between);
    MPI_Comm_rank(own, &rank);
    MPI_Sendrecv(&rank, 1, MPI_INT, rank, 5, &in, 1, MPI_INT, rank, 5, between, MPI_STATUS_IGNORE);
    MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, all, &win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Comm_free(&between);
    MPI_Comm_free(&again);
    MPI_Comm_free(&own);
    MPI_Comm_free(&all);
    MPI_Finalize();
    return 0;
}
