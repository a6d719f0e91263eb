/* "crash RANK TAG": the process of that rank dies in MPI_Send, while all others wait for it in MPI_Recv. "deadlock RANK
 * TAG": all wait in MPI_Recv, that process for the next one, and the others for it. "requests RANK TAG": the same in
 * MPI_Wait. "outside RANK TAG": as crash, but it dies outside of MPI. "exit RANK TAG": the same, but it exits, in a
 * function of its own. "thread RANK TAG": another thread of it dies, while it waits in MPI_Recv. "refused RANK TAG": it
 * sends to a rank that there is not, and MPI ends it. "tags RANK TAG": it sends all others one message of another tag
 * than they wait for, and waits in MPI_Finalize. Each process makes a file "at-RANK" before it waits. */
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

static void *die(void *data)
{
    usleep(100000); /* the process waits by then */
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
    int rank, size, one = atoi(argv[2]), tag = atoi(argv[3]), value = 0;
    MPI_Request request;
    pthread_t thread;
    char *nothing = (char *)8;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == one) {
        usleep(300000); /* the others wait by then */
        signal(SIGSEGV, SIG_DFL);
        if (!strcmp(argv[1], "crash"))
            MPI_Send(nothing, 64, MPI_CHAR, (rank + 1) % size, tag + 1, MPI_COMM_WORLD);
        if (!strcmp(argv[1], "outside"))
            raise(SIGSEGV);
        if (!strcmp(argv[1], "exit"))
            give_up();
        if (!strcmp(argv[1], "thread"))
            pthread_create(&thread, NULL, die, NULL);
        if (!strcmp(argv[1], "refused"))
            MPI_Send(&value, 1, MPI_INT, size + tag, tag + 1, MPI_COMM_WORLD);
    }
    make_file(rank);
    if (rank == one && !strcmp(argv[1], "tags")) {
        for (int other = 0; other < size; other++)
            if (other != one)
                MPI_Send(&value, 1, MPI_INT, other, tag + 1, MPI_COMM_WORLD);
        MPI_Finalize();
        return 0;
    }
    if (!strcmp(argv[1], "requests")) {
        MPI_Irecv(&value, 1, MPI_INT, rank == one ? (one + 1) % size : one, tag, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Recv(&value, 1, MPI_INT, rank == one ? (one + 1) % size : one, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
