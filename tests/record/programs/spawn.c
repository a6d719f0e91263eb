/*
 * 2 processes spawn 2 processes of the same program, twice. Child i sends a message to parent i, which sends one back.
 * Then parents and children merge to one communicator, in which a message goes from each rank to the next one.
 *
 * usage: spawn
 */
#include <mpi.h>
#include <string.h>

static void meet_family(MPI_Comm between, int is_child)
{
    MPI_Comm all;
    int rank, size, value = 0, tag = 9;

    MPI_Comm_set_name(between, "between");
    MPI_Comm_rank(between, &rank);
    if (is_child)
        MPI_Send(&value, 1, MPI_INT, rank, tag, between);
    MPI_Recv(&value, 1, MPI_INT, rank, tag, between, MPI_STATUS_IGNORE);
    if (!is_child)
        MPI_Send(&value, 1, MPI_INT, rank, tag, between);
    MPI_Intercomm_merge(between, is_child, &all);
    MPI_Comm_set_name(all, "all");
    MPI_Comm_rank(all, &rank);
    MPI_Comm_size(all, &size);
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, tag, &value, 1, MPI_INT, (rank + size - 1) % size, tag, all,
                 MPI_STATUS_IGNORE);
    MPI_Barrier(all);
    MPI_Comm_free(&all);
    MPI_Comm_disconnect(&between);
}

int main(int argc, char **argv)
{
    MPI_Comm between;
    char *arguments[] = {"child", NULL};
    int is_child = argc > 1 && strcmp(argv[1], "child") == 0;

    MPI_Init(&argc, &argv);
    if (is_child) {
        MPI_Comm_get_parent(&between);
        meet_family(between, 1);
    }
    for (int i = 0; i < 2 && !is_child; i++) {
        MPI_Comm_spawn(argv[0], arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &between, MPI_ERRCODES_IGNORE);
        meet_family(between, 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
