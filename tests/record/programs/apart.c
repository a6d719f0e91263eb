/*
 * 2 processes spawn 2 processes of the same program, which are not recorded. They duplicate and merge common
 * communicators, and send a message around. Then each side is the server of the other one.
 *
 * usage: apart
 */
#include <mpi.h>
#include <string.h>

static int rank;

static void use_common(MPI_Comm between, int high)
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
    /* Each half is on one side, but was made from a communicator of both. */
    MPI_Comm_split(all, high, 0, &half);
    MPI_Intercomm_create(half, 0, all, high ? 0 : 2, 6, &back);
    MPI_Comm_free(&back);
    MPI_Comm_free(&half);
    MPI_Comm_free(&all);
    MPI_Comm_free(&later);
    MPI_Comm_free(&again);
    /* Only the leaders see that the other side is not recorded. */
    MPI_Intercomm_merge(between, high, &all);
    MPI_Intercomm_create(MPI_COMM_WORLD, 0, all, high ? 0 : 2, 6, &back);
    MPI_Comm_free(&back);
    MPI_Comm_free(&all);
}

/* ---- Servers. */

static void use_connection(MPI_Comm between, int high, const char *name)
{
    MPI_Comm again, all;
    int in, size;

    MPI_Comm_set_name(between, name);
    MPI_Sendrecv(&rank, 1, MPI_INT, rank, 4, &in, 1, MPI_INT, rank, 4, between, MPI_STATUS_IGNORE);
    MPI_Comm_dup(between, &again);
    MPI_Intercomm_merge(again, high, &all);
    MPI_Comm_size(all, &size);
    MPI_Allreduce(&rank, &in, 1, MPI_INT, MPI_SUM, all);
    if (size != 4 || in != 2)
        MPI_Abort(MPI_COMM_WORLD, 3);
    MPI_Comm_free(&all);
    MPI_Comm_free(&again);
    MPI_Comm_disconnect(&between);
}

/* Connects both sides. The first process of the accepting side sends the port to the first one of the other side. */
static void connect_to(MPI_Comm family, int accepts, int is_child, const char *name)
{
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm between;

    if (rank == 0 && accepts) {
        MPI_Open_port(MPI_INFO_NULL, port);
        MPI_Send(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, 5, family);
    } else if (rank == 0) {
        MPI_Recv(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, 5, family, MPI_STATUS_IGNORE);
    }
    if (accepts)
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &between);
    else
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &between);
    use_connection(between, is_child, name);
    if (rank == 0 && accepts)
        MPI_Close_port(port);
}

int main(int argc, char **argv)
{
    char *arguments[] = {"-u", "XTF_RECORD_FOLDER", argv[0], "child", NULL};
    int is_child = argc > 1 && strcmp(argv[1], "child") == 0;
    MPI_Comm between;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (is_child)
        MPI_Comm_get_parent(&between);
    else
        MPI_Comm_spawn("env", arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &between, MPI_ERRCODES_IGNORE);
    use_common(between, is_child);
    connect_to(between, is_child, is_child, "to-server");
    connect_to(between, !is_child, is_child, "to-client");
    MPI_Comm_disconnect(&between);
    MPI_Finalize();
    return 0;
}
