/*
 * A random program that never hangs: steps of messages and collective operations, the same at all processes. Before a
 * step, one process sleeps, sometimes for so long that the others' calls count as waits. The argument is the seed.
 */
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

enum { STEPS = 16, PROCS_MAX = 16, LONG_MS = 3200 };

static int rank, n, values[PROCS_MAX];
static unsigned long dice;

static unsigned roll_dice(unsigned sides)
{
    dice = dice * 6364136223846793005ul + 1442695040888963407ul;
    return (unsigned)(dice >> 33) % sides;
}

static void sleep_for(int milliseconds)
{
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000L};

    nanosleep(&time, NULL);
}

static void send_one(int from, int to)
{
    if (rank == from)
        MPI_Ssend(values, 1, MPI_INT, to, 1, MPI_COMM_WORLD);
    if (rank == to)
        MPI_Recv(values, 1, MPI_INT, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Lets a process receive a message of each other one, in any order. */
static void collect_any(int to)
{
    if (rank != to)
        MPI_Send(values, 1, MPI_INT, to, 2, MPI_COMM_WORLD);
    for (int i = 1; rank == to && i < n; i++)
        MPI_Recv(values, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Lets each process exchange messages with both neighbours. */
static void exchange_all(int any)
{
    MPI_Request requests[4];
    int left = (rank + n - 1) % n, right = (rank + 1) % n, done;

    MPI_Irecv(&values[0], 1, MPI_INT, left, 3, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&values[1], 1, MPI_INT, right, 4, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(&values[2], 1, MPI_INT, right, 3, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(&values[3], 1, MPI_INT, left, 4, MPI_COMM_WORLD, &requests[3]);
    for (int i = 0; any && i < 4; i++)
        MPI_Waitany(4, requests, &done, MPI_STATUS_IGNORE);
    if (!any)
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

static void do_step(unsigned kind, int a, int b)
{
    int left = (rank + n - 1) % n, right = (rank + 1) % n;

    if (kind == 0)
        MPI_Barrier(MPI_COMM_WORLD);
    else if (kind == 1)
        MPI_Bcast(values, 1, MPI_INT, a, MPI_COMM_WORLD);
    else if (kind == 2)
        MPI_Allreduce(&values[0], &values[1], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    else if (kind == 3)
        MPI_Sendrecv(&values[0], 1, MPI_INT, right, 5, &values[1], 1, MPI_INT, left, 5, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    else if (kind == 4 && a != b)
        send_one(a, b);
    else if (kind == 5)
        collect_any(a);
    else
        exchange_all(kind == 6);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    dice = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
    for (int step = 0; step < STEPS; step++) {
        unsigned kind = roll_dice(8);
        int a = (int)roll_dice((unsigned)n), b = (int)roll_dice((unsigned)n), slow = (int)roll_dice((unsigned)n);
        int sleep_ms = roll_dice(5) == 0 || step == STEPS / 2 ? LONG_MS : 50 * (int)roll_dice(6);
        if (rank == slow)
            sleep_for(sleep_ms);
        do_step(kind, a, b);
    }
    MPI_Finalize();
    return 0;
}
