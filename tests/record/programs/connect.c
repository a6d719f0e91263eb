/*
 * For 4 processes: the first two accept the other two, twice. A message goes both ways between processes of the same
 * rank; no other message may arrive. The side that the argument names creates its communicator by PMPI_Comm_dup, which
 * the recorder does not see.
 *
 * usage: connect [accepts|connects]
 */
#include <mpi.h>
#include <string.h>

static int is_hidden(const char *side, int rank)
{
    return strcmp(side, rank < 2 ? "accepts" : "connects") == 0;
}

int main(int argc, char **argv)
{
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm half, between;
    MPI_Status status;
    int rank, in, tag = 4;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &half);
    if (argc > 1 && is_hidden(argv[1], rank)) {
        MPI_Comm seen = half;
        PMPI_Comm_dup(seen, &half);
        MPI_Comm_free(&seen);
    }
    if (rank == 0) {
        MPI_Open_port(MPI_INFO_NULL, port);
        MPI_Send(port, MPI_MAX_PORT_NAME, MPI_CHAR, 2, 0, MPI_COMM_WORLD);
    } else if (rank == 2) {
        MPI_Recv(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < 2; i++) {
        if (rank < 2)
            MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, &between);
        else
            MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &between);
        MPI_Comm_set_name(between, "between");
        MPI_Sendrecv(&rank, 1, MPI_INT, rank % 2, tag, &in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, between, &status);
        if (status.MPI_SOURCE != rank % 2 || status.MPI_TAG != tag)
            MPI_Abort(MPI_COMM_WORLD, 3);
        MPI_Comm_disconnect(&between);
    }
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
