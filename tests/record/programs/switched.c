/*
 * Requests that are started and completed while the process is switched off, or only one of both, for 2 processes. The
 * tag of a message says where it is.
 */
#include <mpi.h>

static int rank, other, out = 1, in[8];

static void start(MPI_Request *requests, int tag)
{
    MPI_Irecv(&in[0], 1, MPI_INT, other, tag, MPI_COMM_WORLD, &requests[0]);
    MPI_Issend(&out, 1, MPI_INT, other, tag, MPI_COMM_WORLD, &requests[1]);
}

int main(int argc, char **argv)
{
    MPI_Request requests[2], later[2], persistent, told;
    MPI_Status none;
    MPI_Comm comm;
    int found, count;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Recv(in, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &none);
    other = 1 - rank;

    /* Started before, and completed behind. */
    start(requests, 1);
    MPI_Pcontrol(0);
    MPI_Pcontrol(1);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);

    /* Started before, completed meanwhile; then others are started meanwhile, which may have the same handles, and
     * completed behind. */
    start(requests, 2);
    MPI_Pcontrol(0);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    start(requests, 3);
    MPI_Pcontrol(1);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);

    /* One of two that were started before is completed meanwhile, the other one behind. */
    start(requests, 4);
    start(later, 5);
    MPI_Pcontrol(0);
    MPI_Waitall(2, later, MPI_STATUSES_IGNORE);
    MPI_Pcontrol(1);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);

    /* A persistent one, started anew each time: behind, where it was completed meanwhile; and meanwhile. */
    MPI_Recv_init(in, 1, MPI_INT, other, 6, MPI_COMM_WORLD, &persistent);
    MPI_Start(&persistent);
    MPI_Send(&out, 1, MPI_INT, other, 6, MPI_COMM_WORLD);
    MPI_Pcontrol(0);
    MPI_Wait(&persistent, MPI_STATUS_IGNORE);
    MPI_Pcontrol(1);
    MPI_Wait(&persistent, MPI_STATUS_IGNORE);
    MPI_Start(&persistent);
    MPI_Send(&out, 1, MPI_INT, other, 6, MPI_COMM_WORLD);
    MPI_Wait(&persistent, MPI_STATUS_IGNORE);
    MPI_Request_free(&persistent);

    /* Tests that find nothing: meanwhile they do not count, nor do calls that are counted only. */
    MPI_Irecv(in, 1, MPI_INT, other, 8, MPI_COMM_WORLD, &told);
    MPI_Test(&told, &found, MPI_STATUS_IGNORE);
    MPI_Get_count(&none, MPI_INT, &count);
    MPI_Pcontrol(0);
    for (int i = 0; i < 3; i++) {
        MPI_Test(&told, &found, MPI_STATUS_IGNORE);
        MPI_Get_count(&none, MPI_INT, &count);
    }
    MPI_Pcontrol(1);
    MPI_Test(&told, &found, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(&out, 1, MPI_INT, other, 8, MPI_COMM_WORLD);
    MPI_Wait(&told, MPI_STATUS_IGNORE);

    /* A communicator that is complete meanwhile is known behind. */
    MPI_Comm_idup(MPI_COMM_WORLD, &comm, &told);
    MPI_Pcontrol(0);
    MPI_Wait(&told, MPI_STATUS_IGNORE);
    MPI_Pcontrol(1);
    MPI_Comm_set_name(comm, "duplicate");
    MPI_Sendrecv(&out, 1, MPI_INT, other, 7, in, 1, MPI_INT, other, 7, comm, MPI_STATUS_IGNORE);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
