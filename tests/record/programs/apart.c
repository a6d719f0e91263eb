/*
 * 2 processes spawn 2 processes of the same program, which are not recorded. What both have in common is duplicated
 * and merged; a message goes around in it.
 *
 * usage: apart
 */
#include <mpi.h>
#include <string.h>

static void meet(MPI_Comm between, int high)
{
    MPI_Comm again, later, all, half, back;
    MPI_Request request;
    int rank, size, in;

    MPI_Comm_dup(between, &again);
    MPI_Comm_idup(again, &later, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Intercomm_merge(later, high, &all);
    MPI_Comm_rank(all, &rank);
    MPI_Comm_size(all, &size);
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 4, &in, 1, MPI_INT, (rank + size - 1) % size, 4, all,
                 MPI_STATUS_IGNORE);
    /* Each half is of one side, but has been made out of what both have. */
    MPI_Comm_split(all, high, 0, &half);
    MPI_Intercomm_create(half, 0, all, high ? 0 : 2, 6, &back);
    MPI_Comm_free(&back);
    MPI_Comm_free(&half);
    MPI_Comm_free(&all);
    MPI_Comm_free(&later);
    MPI_Comm_free(&again);
    /* The leaders alone see that the other side is not recorded. */
    MPI_Intercomm_merge(between, high, &all);
    MPI_Intercomm_create(MPI_COMM_WORLD, 0, all, high ? 0 : 2, 6, &back);
    MPI_Comm_free(&back);
    MPI_Comm_free(&all);
}

int main(int argc, char **argv)
{
    char *arguments[] = {"-u", "XTF_RECORD_FOLDER", argv[0], "child", NULL};
    int is_child = argc > 1 && strcmp(argv[1], "child") == 0;
    MPI_Comm between;

    MPI_Init(&argc, &argv);
    if (is_child)
        MPI_Comm_get_parent(&between);
    else
        MPI_Comm_spawn("env", arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &between, MPI_ERRCODES_IGNORE);
    meet(between, is_child);
    MPI_Comm_disconnect(&between);
    MPI_Finalize();
    return 0;
}
