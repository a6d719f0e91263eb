/* Ways to end, as arguments WAY RANK TAG. Each process makes a file "at-RANK" before it waits.
 *
 * - crash: the process of that rank dies in MPI_Send, while all others wait for it in MPI_Recv.
 * - deadlock: all wait in MPI_Recv, the process for the next one, and the others for it.
 * - requests: the same in MPI_Wait.
 * - outside: as crash, but the process dies outside of MPI.
 * - exit: the same, but the process exits, in a separate function.
 * - thread: another thread of the process dies while it waits in MPI_Recv.
 * - refused: the process sends to a rank that does not exist, and MPI ends it.
 * - tags: the process sends all others a message with another tag than they expect. It waits in MPI_Finalize. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void __attribute__((noinline)) give_up(void)
{
    exit(3);
}

static void *crash(void *data)
{
    usleep(100000); /* so that the process waits by then */
    raise(SIGSEGV);
    return data;
}

static void make_file(int rank)
{
    char name[32];

    snprintf(name, sizeof name, "at-%d", rank);
    fclose(fopen(name, "w"));
}

int main(int argc, char **argv)
{
    int rank, size, culprit = atoi(argv[2]), tag = atoi(argv[3]), value = 0;
    MPI_Request request;
    pthread_t thread;
    char *invalid = (char *)8;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == culprit) {
        usleep(300000); /* so that the other processes wait by then */
        signal(SIGSEGV, SIG_DFL);
        if (!strcmp(argv[1], "crash"))
            MPI_Send(invalid, 64, MPI_CHAR, (rank + 1) % size, tag + 1, MPI_COMM_WORLD);
        if (!strcmp(argv[1], "outside"))
            raise(SIGSEGV);
        if (!strcmp(argv[1], "exit"))
            give_up();
        if (!strcmp(argv[1], "thread"))
            pthread_create(&thread, NULL, crash, NULL);
        if (!strcmp(argv[1], "refused"))
            MPI_Send(&value, 1, MPI_INT, size + tag, tag + 1, MPI_COMM_WORLD);
    }
    make_file(rank);
    if (rank == culprit && !strcmp(argv[1], "tags")) {
        for (int peer = 0; peer < size; peer++)
            if (peer != culprit)
                MPI_Send(&value, 1, MPI_INT, peer, tag + 1, MPI_COMM_WORLD);
        MPI_Finalize();
        return 0;
    }
    if (!strcmp(argv[1], "requests")) {
        MPI_Irecv(&value, 1, MPI_INT, rank == culprit ? (culprit + 1) % size : culprit, tag, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Recv(&value, 1, MPI_INT, rank == culprit ? (culprit + 1) % size : culprit, tag, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
