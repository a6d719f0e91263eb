/*
 * Requests that are started or completed while recording is switched off, for 2 processes. Each step has its own tag.
 */
#include <mpi.h>

static int rank, peer, out = 1, in[8];

static void start_both(MPI_Request *requests, int tag)
{
    MPI_Irecv(&in[0], 1, MPI_INT, peer, tag, MPI_COMM_WORLD, &requests[0]);
    MPI_Issend(&out, 1, MPI_INT, peer, tag, MPI_COMM_WORLD, &requests[1]);
}

int main(int argc, char **argv)
{
    MPI_Request requests[2], later[2], persistent, request;
    MPI_Status none;
    MPI_Comm comm;
    int found, count;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Recv(in, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &none);
    peer = 1 - rank;

    /* Requests that start before recording is off, and complete afterwards. */
    start_both(requests, 1);
    MPI_Pcontrol(0);
    MPI_Pcontrol(1);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);

    /* Requests that start before recording is off, and complete while it is off. Then other requests start, perhaps
     * with the same handles. They complete afterwards. */
    start_both(requests, 2);
    MPI_Pcontrol(0);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    start_both(requests, 3);
    MPI_Pcontrol(1);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);

    /* Two pairs of requests that start before recording is off: one completes while it is off, the other one
     * afterwards. */
    start_both(requests, 4);
    start_both(later, 5);
    MPI_Pcontrol(0);
    MPI_Waitall(2, later, MPI_STATUSES_IGNORE);
    MPI_Pcontrol(1);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);

    /* A persistent request that completes while recording is off. It starts again afterwards, and completes normally.
     */
    MPI_Recv_init(in, 1, MPI_INT, peer, 6, MPI_COMM_WORLD, &persistent);
    MPI_Start(&persistent);
    MPI_Send(&out, 1, MPI_INT, peer, 6, MPI_COMM_WORLD);
    MPI_Pcontrol(0);
    MPI_Wait(&persistent, MPI_STATUS_IGNORE);
    MPI_Pcontrol(1);
    MPI_Wait(&persistent, MPI_STATUS_IGNORE);
    MPI_Start(&persistent);
    MPI_Send(&out, 1, MPI_INT, peer, 6, MPI_COMM_WORLD);
    MPI_Wait(&persistent, MPI_STATUS_IGNORE);
    MPI_Request_free(&persistent);

    /* Tests that find nothing. The recorder does not count them while recording is off, nor calls without records, such
     * as MPI_Get_count. */
    MPI_Irecv(in, 1, MPI_INT, peer, 8, MPI_COMM_WORLD, &request);
    MPI_Test(&request, &found, MPI_STATUS_IGNORE);
    MPI_Get_count(&none, MPI_INT, &count);
    MPI_Pcontrol(0);
    for (int i = 0; i < 3; i++) {
        MPI_Test(&request, &found, MPI_STATUS_IGNORE);
        MPI_Get_count(&none, MPI_INT, &count);
    }
    MPI_Pcontrol(1);
    MPI_Test(&request, &found, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(&out, 1, MPI_INT, peer, 8, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);

    /* A communicator whose creation completes while recording is off is known afterwards. */
    MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
    MPI_Pcontrol(0);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Pcontrol(1);
    MPI_Comm_set_name(comm, "duplicate");
    MPI_Sendrecv(&out, 1, MPI_INT, peer, 7, in, 1, MPI_INT, peer, 7, comm, MPI_STATUS_IGNORE);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
