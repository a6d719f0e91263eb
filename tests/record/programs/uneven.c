/* Programs in which one process calls MPI_Allreduce N times like the others, or unevenly, on the communicator
 * "uneven". Arguments are WAY RANK N. Each process makes a file "at-RANK" before its last common operation, so that
 * a test knows when a run hangs.
 *
 * - hung: only the process of that rank calls MPI_Allreduce once more.
 * - early: the process omits the last call.
 * - luck: the process calls MPI_Bcast as root, which returns at once.
 * - order: the process calls MPI_Barrier where the others call MPI_Allreduce.
 * - crash: the process dies before its last call.
 * - even: none of these. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void make_file(int rank)
{
    char name[32];

    snprintf(name, sizeof name, "at-%d", rank);
    fclose(fopen(name, "w"));
}

int main(int argc, char **argv)
{
    int rank, value = 0, sum, culprit = atoi(argv[2]), n = atoi(argv[3]);
    MPI_Comm comm;

    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_name(comm, "uneven");
    MPI_Comm_rank(comm, &rank);
    signal(SIGSEGV, SIG_DFL);
    for (int i = 0; i < n; i++) {
        int is_last = rank == culprit && i + 1 == n;
        if (i + 1 == n)
            make_file(rank);
        if (is_last && !strcmp(argv[1], "crash"))
            raise(SIGSEGV);
        if (is_last && !strcmp(argv[1], "order"))
            MPI_Barrier(comm);
        else if (!is_last || strcmp(argv[1], "early"))
            MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    }
    if (rank == culprit && !strcmp(argv[1], "hung"))
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    if (rank == culprit && !strcmp(argv[1], "luck"))
        MPI_Bcast(&value, 1, MPI_INT, rank, comm);
    MPI_Finalize();
    return 0;
}
