/*
 * A job that may be killed: restarted STEPS [RANK]. With RANK, this rank kills itself after the last step. Then the
 * others wait for it, and sends and receives are under way.
 */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, n, steps = atoi(argv[1]), killed = argc > 2 ? atoi(argv[2]) : -1;
    int sent = 1, received;
    MPI_Request requests[2];
    MPI_Comm half;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    for (int step = 0; step < steps; step++) {
        usleep(rank == 0 ? 2000 : 0);
        MPI_Isend(&sent, 1, MPI_INT, (rank + 1) % n, 7, MPI_COMM_WORLD, &requests[0]);
        MPI_Recv(&received, 1, MPI_INT, (rank + n - 1) % n, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        MPI_Allreduce(&sent, &received, 1, MPI_INT, MPI_SUM, half);
    }
    if (killed >= 0) {
        MPI_Isend(&sent, 1, MPI_INT, (rank + 1) % n, 9, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&received, 1, MPI_INT, (rank + 1) % n, 8, MPI_COMM_WORLD, &requests[1]);
        if (rank == killed) {
            usleep(200000);
            raise(SIGKILL);
        }
        MPI_Recv(&received, 1, MPI_INT, killed, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
