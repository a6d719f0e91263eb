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

    /* Started before, and completed afterwards. */
    start_both(requests, 1);
    MPI_Pcontrol(0);
    MPI_Pcontrol(1);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);

    /* Started before, completed while off. Then other requests are started while off, which may have the same
     * handles, and completed afterwards. */
    start_both(requests, 2);
    MPI_Pcontrol(0);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    start_both(requests, 3);
    MPI_Pcontrol(1);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);

    /* One of two that were started before is completed while off, the other one afterwards. */
    start_both(requests, 4);
    start_both(later, 5);
    MPI_Pcontrol(0);
    MPI_Waitall(2, later, MPI_STATUSES_IGNORE);
    MPI_Pcontrol(1);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);

    /* A persistent request that starts several times: completed while off and started afterwards, then completed
     * normally. */
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

    /* Tests that find nothing. While off they do not count, and neither do calls that are only counted. */
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

    /* A communicator that completes while off is known afterwards. */
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
