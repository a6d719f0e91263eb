/*
 * Collective operations of three processes: blocking, in place, non-blocking, persistent if MPI has it, of neighbours,
 * and between groups. test_collectives.py has the expected records.
 */
#include <mpi.h>
#include <stdlib.h>

enum { P = 3, ROOM = 4096 };

static int rank;
static int sent[ROOM], received[ROOM];
/* Operations v: process i has i + 1 elements. Operations w: the same, with bytes as displacements. */
static int counts[P] = {1, 2, 3}, displacements[P] = {0, 10, 20}, bytes_at[P] = {0, 40, 80};
static int own[P], own_at[P]; /* elements that this process sends to each: rank + 1 */
static MPI_Datatype types[P];

static void blocking(void)
{
    MPI_Comm comm = MPI_COMM_WORLD;

    MPI_Barrier(comm);
    MPI_Bcast(sent, 5, MPI_INT, 1, comm);
    MPI_Gather(sent, 2, MPI_INT, received, 2, MPI_INT, 2, comm);
    MPI_Gatherv(sent, counts[rank], MPI_INT, received, counts, displacements, MPI_INT, 0, comm);
    MPI_Scatter(sent, 4, MPI_INT, received, 2, MPI_DOUBLE, 0, comm);
    MPI_Scatterv(sent, counts, displacements, MPI_INT, received, counts[rank], MPI_INT, 1, comm);
    MPI_Allgather(sent, 3, MPI_INT, received, 3, MPI_INT, comm);
    MPI_Allgatherv(sent, counts[rank], MPI_INT, received, counts, displacements, MPI_INT, comm);
    MPI_Alltoall(sent, 7, MPI_INT, received, 7, MPI_INT, comm);
    MPI_Alltoallv(sent, own, own_at, MPI_INT, received, counts, displacements, MPI_INT, comm);
    MPI_Alltoallw(sent, own, own_at, types, received, counts, bytes_at, types, comm);
    MPI_Allreduce(sent, received, 6, MPI_INT, MPI_SUM, comm);
    MPI_Reduce(sent, received, 6, MPI_INT, MPI_SUM, 2, comm);
    MPI_Reduce_scatter(sent, received, counts, MPI_INT, MPI_SUM, comm);
    MPI_Reduce_scatter_block(sent, received, 4, MPI_INT, MPI_SUM, comm);
    MPI_Scan(sent, received, 3, MPI_INT, MPI_SUM, comm);
    MPI_Exscan(sent, received, 3, MPI_INT, MPI_SUM, comm);
}

static void in_place(void)
{
    MPI_Comm comm = MPI_COMM_WORLD;

    if (rank == 1)
        MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, received, 2, MPI_INT, 1, comm);
    else
        MPI_Gather(sent, 2, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, 1, comm);
    if (rank == 1)
        MPI_Gatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, received, counts, displacements, MPI_INT, 1, comm);
    else
        MPI_Gatherv(sent, counts[rank], MPI_INT, NULL, NULL, NULL, MPI_DATATYPE_NULL, 1, comm);
    if (rank == 1)
        MPI_Scatter(sent, 2, MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 1, comm);
    else
        MPI_Scatter(NULL, 0, MPI_DATATYPE_NULL, received, 2, MPI_INT, 1, comm);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, received, 3, MPI_INT, comm);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, received, counts, displacements, MPI_INT, comm);
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, received, 7, MPI_INT, comm);
    MPI_Allreduce(MPI_IN_PLACE, received, 6, MPI_INT, MPI_SUM, comm);
    MPI_Reduce(rank == 0 ? MPI_IN_PLACE : sent, received, 6, MPI_INT, MPI_SUM, 0, comm);
    MPI_Reduce_scatter(MPI_IN_PLACE, received, counts, MPI_INT, MPI_SUM, comm);
    MPI_Reduce_scatter_block(MPI_IN_PLACE, received, 4, MPI_INT, MPI_SUM, comm);
    MPI_Scan(MPI_IN_PLACE, received, 3, MPI_INT, MPI_SUM, comm);
}

static void non_blocking(void)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Request requests[17];
    int n = 0;

    MPI_Ibarrier(comm, &requests[n++]);
    MPI_Ibcast(sent, 5, MPI_INT, 1, comm, &requests[n++]);
    MPI_Igather(sent, 2, MPI_INT, received, 2, MPI_INT, 2, comm, &requests[n++]);
    MPI_Igatherv(sent, counts[rank], MPI_INT, received + 100, counts, displacements, MPI_INT, 0, comm, &requests[n++]);
    MPI_Iscatter(sent, 4, MPI_INT, received + 200, 2, MPI_DOUBLE, 0, comm, &requests[n++]);
    MPI_Iscatterv(sent, counts, displacements, MPI_INT, received + 300, counts[rank], MPI_INT, 1, comm, &requests[n++]);
    MPI_Iallgather(sent, 3, MPI_INT, received + 400, 3, MPI_INT, comm, &requests[n++]);
    MPI_Iallgatherv(sent, counts[rank], MPI_INT, received + 500, counts, displacements, MPI_INT, comm, &requests[n++]);
    MPI_Ialltoall(sent, 7, MPI_INT, received + 600, 7, MPI_INT, comm, &requests[n++]);
    MPI_Ialltoallv(sent, own, own_at, MPI_INT, received + 700, counts, displacements, MPI_INT, comm, &requests[n++]);
    MPI_Ialltoallw(sent, own, own_at, types, received + 800, counts, bytes_at, types, comm, &requests[n++]);
    MPI_Iallreduce(sent, received + 900, 6, MPI_INT, MPI_SUM, comm, &requests[n++]);
    MPI_Ireduce(sent, received + 1000, 6, MPI_INT, MPI_SUM, 2, comm, &requests[n++]);
    MPI_Ireduce_scatter(sent, received + 1100, counts, MPI_INT, MPI_SUM, comm, &requests[n++]);
    MPI_Ireduce_scatter_block(sent, received + 1200, 4, MPI_INT, MPI_SUM, comm, &requests[n++]);
    MPI_Iscan(sent, received + 1300, 3, MPI_INT, MPI_SUM, comm, &requests[n++]);
    MPI_Iexscan(sent, received + 1400, 3, MPI_INT, MPI_SUM, comm, &requests[n++]);
    MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
}

static void persistent(void)
{
#if MPI_VERSION >= 4
    MPI_Request request;

    MPI_Bcast_init(sent, 5, MPI_INT, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int i = 0; i < 2; i++) {
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
    MPI_Allreduce_c(sent, received, 6, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
#endif
}

/* Uses a line of processes, whose ends have one neighbour; then a ring with two edges to the next process. */
static void neighbours(void)
{
    int one[2] = {1, 2}, at[2] = {0, 10}, line_size = P, periodic = 0;
    MPI_Aint apart[2] = {0, 40};
    MPI_Datatype ints[2] = {MPI_INT, MPI_INT};
    int next[2] = {(rank + 1) % P, (rank + 1) % P}, before[2] = {(rank + P - 1) % P, (rank + P - 1) % P};
    MPI_Comm line, ring;
    MPI_Request request;

    MPI_Cart_create(MPI_COMM_WORLD, 1, &line_size, &periodic, 0, &line);
    MPI_Neighbor_allgather(sent, 3, MPI_INT, received, 3, MPI_INT, line);
    MPI_Neighbor_alltoall(sent, 2, MPI_INT, received, 2, MPI_INT, line);
    MPI_Neighbor_alltoallv(sent, (int[2]){4, 4}, at, MPI_INT, received, (int[2]){4, 4}, at, MPI_INT, line);
    MPI_Comm_free(&line);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, before, MPI_UNWEIGHTED, 2, next, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &ring);
    MPI_Neighbor_alltoall(sent, 2, MPI_INT, received, 2, MPI_INT, ring);
    MPI_Neighbor_allgatherv(sent, 2, MPI_INT, received, (int[2]){2, 2}, at, MPI_INT, ring);
    MPI_Neighbor_alltoallw(sent, one, apart, ints, received, one, apart, ints, ring);
    MPI_Ineighbor_alltoall(sent, 2, MPI_INT, received, 2, MPI_INT, ring, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&ring);
}

/* Uses an intercommunicator of process 0 with processes 1 and 2. */
static void between_groups(void)
{
    MPI_Comm side, inter;
    int root = rank == 0 ? MPI_ROOT : 0;

    MPI_Comm_split(MPI_COMM_WORLD, rank > 0, rank, &side);
    MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, rank == 0, 90, &inter);
    MPI_Bcast(sent, 5, MPI_INT, root, inter);
    root = rank == 0 ? 1 : rank == 2 ? MPI_ROOT : MPI_PROC_NULL;
    MPI_Reduce(sent, received, 6, MPI_INT, MPI_SUM, root, inter);
    MPI_Allgather(sent, 3, MPI_INT, received, 3, MPI_INT, inter);
    MPI_Barrier(inter);
    if (rank == 0)
        MPI_Send(sent, 4, MPI_INT, 1, 91, inter);
    if (rank == 2)
        MPI_Recv(received, 4, MPI_INT, 0, 91, inter, MPI_STATUS_IGNORE);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&side);
}

/* Sends types of more than 2^31 bytes, whose parts overlap. */
static void large(void)
{
    MPI_Datatype type;

    MPI_Type_create_hvector(1 << 22, 1024, 0, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    MPI_Bcast(sent, 3, type, 0, MPI_COMM_SELF);
    MPI_Type_free(&type);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < P; i++) {
        own[i] = rank + 1;
        own_at[i] = 0;
        types[i] = MPI_INT;
    }
    blocking();
    in_place();
    non_blocking();
    persistent();
    neighbours();
    between_groups();
    large();
    MPI_Finalize();
    return 0;
}
