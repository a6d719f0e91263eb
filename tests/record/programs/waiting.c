/*
 * Calls that wait, all at the same time, until the file of the first argument exists; 4 processes. Process 0 has an
 * open receive and repeats barriers of its own. When it enters one, it writes a line to the file of the second
 * argument: nanoseconds of CLOCK_MONOTONIC. The other processes wait in a send, a receive and a barrier.
 */
#include <mpi.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { OPEN = 7, WAITED_FOR, SENT };

static void repeat_barriers(const char *path, const char *log)
{
    FILE *file = fopen(log, "w");

    while (file && access(path, F_OK) != 0) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        fprintf(file, "%lld\n", (long long)now.tv_sec * 1000000000 + now.tv_nsec);
        fflush(file);
        MPI_Barrier(MPI_COMM_SELF);
        usleep(10000);
    }
    fclose(file);
}

int main(int argc, char **argv)
{
    int rank, value = 0, answer = 0;
    MPI_Comm pair;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0 || rank == 3, rank, &pair);
    if (rank == 0) {
        MPI_Irecv(&value, 1, MPI_INT, 1, OPEN, MPI_COMM_WORLD, &request);
        repeat_barriers(argv[1], argv[2]);
        MPI_Recv(&answer, 1, MPI_INT, 1, SENT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&answer, 1, MPI_INT, 2, WAITED_FOR, MPI_COMM_WORLD);
        MPI_Barrier(pair);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        MPI_Ssend(&value, 1, MPI_INT, 0, SENT, MPI_COMM_WORLD);
        MPI_Send(&value, 1, MPI_INT, 0, OPEN, MPI_COMM_WORLD);
    } else if (rank == 2) {
        MPI_Recv(&value, 1, MPI_INT, 0, WAITED_FOR, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 3) {
        MPI_Barrier(pair);
    }
    MPI_Comm_free(&pair);
    MPI_Finalize();
    return 0;
}
