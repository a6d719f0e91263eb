/* The calls of calls.F90, in C. Run by 2 processes, with the name of a file. */
#include <mpi.h>
#include <stdio.h>

static int n_deleted;

static int on_delete(MPI_Comm comm, int keyval, void *value, void *extra)
{
    n_deleted += (int)(size_t)value;
    return MPI_SUCCESS;
}

static void add_ints(void *from, void *into, int *n, MPI_Datatype *type)
{
    for (int i = 0; i < *n; i++)
        ((int *)into)[i] += ((int *)from)[i];
}

#define WORLD MPI_COMM_WORLD

static int rank, size, peer, one[1], two[2], sums[2];

static void exchange_messages(void)
{
    MPI_Request requests[2], request;
    MPI_Status status, statuses[2];
    MPI_Message found;
    MPI_Datatype at_bottom;
    MPI_Aint address;
    int index, outcount, indices[2], length = 1;

    if (rank == 0) {
        MPI_Send(one, 1, MPI_INT, peer, 7, WORLD);
        MPI_Recv(two, 2, MPI_INT, peer, 8, WORLD, &status);
    } else {
        MPI_Recv(two, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, MPI_STATUS_IGNORE);
        MPI_Send(two, 2, MPI_INT, peer, 8, WORLD);
    }
    MPI_Sendrecv(one, 1, MPI_INT, peer, 9, two, 1, MPI_INT, peer, 9, WORLD, MPI_STATUS_IGNORE);
    MPI_Irecv(two, 2, MPI_INT, peer, 10, WORLD, &requests[0]);
    MPI_Isend(one, 1, MPI_INT, peer, 10, WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Irecv(two, 2, MPI_INT, peer, 11, WORLD, &requests[0]);
    MPI_Isend(one, 1, MPI_INT, peer, 11, WORLD, &requests[1]);
    MPI_Waitall(2, requests, statuses);
    requests[0] = MPI_REQUEST_NULL;
    MPI_Irecv(two, 2, MPI_INT, peer, 12, WORLD, &requests[1]);
    MPI_Send(one, 1, MPI_INT, peer, 12, WORLD);
    MPI_Waitany(2, requests, &index, &status);
    MPI_Irecv(two, 2, MPI_INT, peer, 13, WORLD, &requests[1]);
    MPI_Send(one, 1, MPI_INT, peer, 13, WORLD);
    MPI_Waitsome(2, requests, &outcount, indices, MPI_STATUSES_IGNORE);
    MPI_Isend(one, 1, MPI_INT, peer, 14, WORLD, &request);
    MPI_Mprobe(peer, 14, WORLD, &found, &status);
    MPI_Mrecv(two, 2, MPI_INT, &found, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Send_init(one, 1, MPI_INT, peer, 15, WORLD, &requests[0]);
    MPI_Recv_init(two, 1, MPI_INT, peer, 15, WORLD, &requests[1]);
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Start(&requests[1]);
    MPI_Start(&requests[0]);
    MPI_Waitall(2, requests, statuses);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    MPI_Get_address(one, &address);
    MPI_Type_create_hindexed(1, &length, &address, MPI_INT, &at_bottom);
    MPI_Type_commit(&at_bottom);
    MPI_Isend(MPI_BOTTOM, 1, at_bottom, peer, 16, WORLD, &request);
    MPI_Recv(two, 2, MPI_INT, peer, 16, WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, &status);
    MPI_Type_free(&at_bottom);
    MPI_Send(one, 1, MPI_INT, MPI_PROC_NULL, 17, WORLD);
}

static void call_collectives(void)
{
    int counts[] = {1, 1}, offsets[] = {0, 1}, bytes[] = {0, 4};
    MPI_Datatype types[] = {MPI_INT, MPI_INT};
    MPI_Request request;
    MPI_Status status;
    MPI_Op own;

    MPI_Barrier(WORLD);
    MPI_Bcast(two, 2, MPI_INT, 1, WORLD);
    MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_INT, MPI_SUM, WORLD);
    MPI_Allreduce(two, sums, 2, MPI_INT, MPI_SUM, WORLD);
    MPI_Op_create(add_ints, 1, &own);
    MPI_Reduce(one, sums, 1, MPI_INT, own, 0, WORLD);
    MPI_Op_free(&own);
    MPI_Gatherv(one, 1, MPI_INT, sums, counts, offsets, MPI_INT, 1, WORLD);
    MPI_Allgather(one, 1, MPI_INT, sums, 1, MPI_INT, WORLD);
    MPI_Scatter(sums, 1, MPI_INT, one, 1, MPI_INT, 0, WORLD);
    one[0] = rank;
    MPI_Alltoallw(two, counts, bytes, types, sums, counts, bytes, types, WORLD);
    MPI_Alltoall(two, 1, MPI_INT, sums, 1, MPI_INT, WORLD);
    MPI_Scan(one, sums, 1, MPI_INT, MPI_SUM, WORLD);
    MPI_Ibarrier(WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Iallreduce(one, sums, 1, MPI_INT, MPI_MAX, WORLD, &request);
    MPI_Wait(&request, &status);
}

static void make_communicators(void)
{
    int keyval, flag, dims = 2, periods = 1, coords;
    MPI_Comm copy, half, grid;
    void *value;

    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &keyval, NULL);
    MPI_Comm_dup(WORLD, &copy);
    MPI_Comm_set_name(copy, "the copy");
    MPI_Comm_set_attr(copy, keyval, (void *)5);
    MPI_Comm_get_attr(copy, keyval, &value, &flag);
    MPI_Allreduce(one, sums, 1, MPI_INT, MPI_SUM, copy);
    MPI_Comm_free(&copy);
    MPI_Comm_free_keyval(&keyval);
    MPI_Comm_split(WORLD, rank, 0, &half);
    MPI_Barrier(half);
    MPI_Comm_free(&half);
    MPI_Cart_create(WORLD, 1, &dims, &periods, 0, &grid);
    MPI_Cart_coords(grid, rank, 1, &coords);
    MPI_Barrier(grid);
    MPI_Comm_free(&grid);
}

static void write_file(const char *filename)
{
    int memory[4];
    MPI_Status status;
    MPI_File file;
    MPI_Win win;

    MPI_Win_create(memory, 16, 4, MPI_INFO_NULL, WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Put(one, 1, MPI_INT, peer, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_File_open(WORLD, filename, MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_write_at(file, rank * 4, one, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_read_at_all(file, rank * 4, two, 1, MPI_INT, &status);
    MPI_File_close(&file);
}

int main(int argc, char **argv)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &size);
    peer = 1 - rank;
    one[0] = rank;
    exchange_messages();
    call_collectives();
    make_communicators();
    write_file(argv[1]);
    MPI_Error_string(MPI_ERR_RANK, text, &length);
    MPI_Finalize();
    printf("well %d\n", size);
    return 0;
}
