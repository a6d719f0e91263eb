/* Calls of MPI that stay open, as arguments WAY FILE; 4 processes. Each process makes a file "at-RANK" before its call.
 *
 * - ring: all wait in MPI_Recv, each for the next one.
 * - mixed: process 0 waits in MPI_Waitall for two receives, one of which completes. Process 1 waits in MPI_Sendrecv, 2 in
 *   MPI_Ssend. Process 3 does not receive; it waits in a barrier that the others do not reach.
 * - handles: each waits alone in a call that creates or frees handles, of another communicator. The communicators are
 *   called "of MPI_Comm_dup" and so on.
 * - slow: process 0 computes until FILE exists, while the others wait for it in MPI_Recv, and a barrier follows. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { FIRST = 5, SECOND, SENT, RECEIVED, SYNCHRONOUS };

static void make_file(int rank)
{
    char name[32];

    snprintf(name, sizeof name, "at-%d", rank);
    fclose(fopen(name, "w"));
}

static void wait_in_several_calls(int rank)
{
    MPI_Request requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int values[2] = {0};

    if (rank == 0) {
        MPI_Irecv(&values[0], 1, MPI_INT, 1, FIRST, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&values[1], 1, MPI_INT, MPI_ANY_SOURCE, SECOND, MPI_COMM_WORLD, &requests[2]);
        make_file(rank);
        MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    }
    if (rank == 1)
        MPI_Send(&values[0], 1, MPI_INT, 0, FIRST, MPI_COMM_WORLD);
    if (rank != 0)
        make_file(rank);
    if (rank == 1)
        MPI_Sendrecv(&values[0], 1, MPI_INT, 2, SENT, &values[1], 1, MPI_INT, 3, RECEIVED, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    if (rank == 2)
        MPI_Ssend(&values[0], 1, MPI_INT, 3, SYNCHRONOUS, MPI_COMM_WORLD);
    if (rank == 3)
        MPI_Barrier(MPI_COMM_WORLD);
}

static MPI_Comm new_comm(const char *name)
{
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_name(comm, name);
    return comm;
}

static void wait_for_handles(int rank)
{
    MPI_Comm comms[] = {new_comm("of MPI_Comm_dup"), new_comm("of MPI_Win_create"), new_comm("of MPI_File_open")}, copy;
    MPI_File file;
    MPI_Win win;

    make_file(rank);
    if (rank == 0)
        MPI_Comm_dup(comms[0], &copy);
    if (rank == 1)
        MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, comms[1], &win);
    if (rank == 2)
        MPI_File_open(comms[2], "opened", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
}

int main(int argc, char **argv)
{
    int rank, size, value = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(MPI_COMM_WORLD);
    if (!strcmp(argv[1], "mixed"))
        wait_in_several_calls(rank);
    else if (!strcmp(argv[1], "handles"))
        wait_for_handles(rank);
    else
        make_file(rank);
    if (!strcmp(argv[1], "ring"))
        MPI_Recv(&value, 1, MPI_INT, (rank + 1) % size, FIRST, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!strcmp(argv[1], "slow")) {
        while (rank == 0 && access(argv[2], F_OK) != 0)
            usleep(10000);
        for (int peer = 1; rank == 0 && peer < size; peer++)
            MPI_Send(&value, 1, MPI_INT, peer, FIRST, MPI_COMM_WORLD);
        if (rank > 0)
            MPI_Recv(&value, 1, MPI_INT, 0, FIRST, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
