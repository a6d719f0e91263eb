/*
 * A program to be recorded, for tests/bench/record.py. An MPI's compiler compiles it, and it runs with and without a
 * recorder.
 *
 * usage: record-calls many CALLS      CALLS rounds of small messages that the process sends itself: 10 events a round
 *        record-calls blocking CALLS  CALLS calls of MPI_Sendrecv, with an own type and communicator: 4 events
 *        record-calls deep CALLS      the same in 8 functions, each of which calls the next
 *        record-calls size CALLS      CALLS calls of MPI_Comm_size
 *        record-calls few SECONDS     a computation that sums up over all processes each 10 ms
 *
 * Process 0 prints three numbers. The first is the nanoseconds of a round in the fastest of many slices, which other
 * programs do not slow. The others are the seconds from the first round to the last, and the seconds in MPI_Finalize.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SLICE = 200 };

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void send_and_receive(void)
{
    MPI_Request requests[2];
    char in[8], out[8] = "message";

    MPI_Irecv(in, sizeof in, MPI_BYTE, 0, 1, MPI_COMM_SELF, &requests[0]);
    MPI_Isend(out, sizeof out, MPI_BYTE, 0, 1, MPI_COMM_SELF, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static MPI_Datatype pair;
static MPI_Comm self;

static void exchange_pair(void)
{
    int in[2], out[2] = {1, 2};

    MPI_Sendrecv(out, 1, pair, 0, 1, in, 1, pair, 0, 1, self, MPI_STATUS_IGNORE);
}

/* Calls inside of functions of different sizes. The empty asm statement prevents tail calls. */
#define LEVEL(name, inner, size)                         \
    static __attribute__((noinline)) void name(void)     \
    {                                                    \
        volatile char space[size];                       \
        space[0] = 1;                                    \
        inner();                                         \
        __asm__ volatile("" ::"r"(space[0]) : "memory"); \
    }
LEVEL(level_1, exchange_pair, 8)
LEVEL(level_2, level_1, 200)
LEVEL(level_3, level_2, 16)
LEVEL(level_4, level_3, 64)
LEVEL(level_5, level_4, 8)
LEVEL(level_6, level_5, 40)
LEVEL(level_7, level_6, 8)
LEVEL(exchange_deep, level_7, 100)

static void call_comm_size(void)
{
    int size;

    MPI_Comm_size(MPI_COMM_WORLD, &size);
}

static void (*find_round(const char *name))(void)
{
    return strcmp(name, "size") == 0       ? call_comm_size
           : strcmp(name, "blocking") == 0 ? exchange_pair
           : strcmp(name, "deep") == 0     ? exchange_deep
                                           : send_and_receive;
}

/* Returns the nanoseconds of a round in the fastest slice. */
static double call_many(void (*round)(void), long rounds)
{
    double least = 1e9;

    for (long done = 0; done < rounds; done += SLICE) {
        double begin = now();
        for (int i = 0; i < SLICE; i++)
            round();
        double seconds = now() - begin;
        if (seconds < least)
            least = seconds;
    }
    return least / SLICE * 1e9;
}

static double compute_sums(double seconds)
{
    double sum = 0, total, end = now() + seconds;

    /* The number of steps is fixed, so a recorded run does the same work as an unrecorded one. */
    for (long step = 0; step < (long)(seconds * 100); step++) {
        for (int i = 1; i < 2000000; i++)
            sum += 1.0 / ((double)i + (double)step);
        MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        sum = total - sum;
    }
    return sum + end;
}

int main(int argc, char **argv)
{
    double least = 0, begin, end, finalize;
    int rank;

    if (argc != 3)
        return 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_SELF, &self);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Barrier(MPI_COMM_WORLD);
    begin = now();
    if (strcmp(argv[1], "few") == 0)
        least = compute_sums(atof(argv[2])) == 0;
    else
        least = call_many(find_round(argv[1]), atol(argv[2]));
    MPI_Barrier(MPI_COMM_WORLD);
    end = now();
    MPI_Finalize();
    finalize = now() - end;
    if (rank == 0)
        printf("%.2f %.6f %.6f\n", least, end - begin, finalize);
    return 0;
}
