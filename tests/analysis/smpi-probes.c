/*
 * smpi-probes ROUNDS SEED [COST...]: a program for SimGrid's smpirun, in simulated time, that records its own calls.
 *
 * Process r spends COST r ns after each record that it makes; without COSTs it spends nothing. The events and locations
 * are printed as lines of a script for otf2-script. In each round a process computes, makes short calls and
 * exchanges messages with both neighbours. In every third round a message goes around the ring. An operation of all
 * processes ends the round.
 */
#include <math.h>
#include <mpi.h>
#include <simgrid/actor.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 1 << 22, BYTES = 800 };
/* Regions by the numbers of test_compensate_simgrid.py. */
enum { MAIN, SOLVE, TINY, SEND, ISEND, RECV, IRECV, WAITALL, ALLREDUCE, BARRIER, FINALIZE };

typedef struct {
    int rank, n;
    double cost; /* seconds */
    unsigned long state;
    char *text, *end;
} Process;

static void put_record(Process *p, const char *format, ...)
{
    va_list arguments;

    p->end += sprintf(p->end, "%d %lld ", p->rank, llround(MPI_Wtime() * 1e9));
    va_start(arguments, format);
    p->end += vsprintf(p->end, format, arguments);
    va_end(arguments);
    *p->end++ = '\n';
    if (p->cost > 0)
        sg_actor_sleep_for(p->cost);
}

static void spend_time(long ns)
{
    if (ns > 0)
        sg_actor_sleep_for((double)ns * 1e-9);
}

static long draw_below(Process *p, long below)
{
    p->state = p->state * 6364136223846793005UL + 1442695040888963407UL;
    return (long)((p->state >> 33) % (unsigned long)below);
}

static void compute_alone(Process *p)
{
    put_record(p, "E %d", SOLVE);
    spend_time(100000 + draw_below(p, 400000));
    put_record(p, "L %d", SOLVE);
    for (long i = draw_below(p, 40); i > 0; i--) {
        put_record(p, "E %d", TINY);
        spend_time(100);
        put_record(p, "L %d", TINY);
        spend_time(50);
    }
}

static void exchange_halo(Process *p)
{
    int left = (p->rank + p->n - 1) % p->n, right = (p->rank + 1) % p->n;
    char in[2][BYTES], out[BYTES] = {0};
    MPI_Request requests[4];

    for (int i = 0; i < 2; i++) {
        put_record(p, "E %d", IRECV);
        put_record(p, "P %d", i + 1);
        MPI_Irecv(in[i], BYTES, MPI_BYTE, i ? right : left, 1 + i, MPI_COMM_WORLD, &requests[i]);
        put_record(p, "L %d", IRECV);
    }
    for (int i = 0; i < 2; i++) {
        put_record(p, "E %d", ISEND);
        put_record(p, "I %d 0 %d %d %d", i ? left : right, 1 + i, BYTES, i + 3);
        MPI_Isend(out, BYTES, MPI_BYTE, i ? left : right, 1 + i, MPI_COMM_WORLD, &requests[2 + i]);
        put_record(p, "L %d", ISEND);
    }
    compute_alone(p);
    put_record(p, "E %d", WAITALL);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    put_record(p, "J %d 0 1 %d 1", left, BYTES);
    put_record(p, "J %d 0 2 %d 2", right, BYTES);
    put_record(p, "C 3");
    put_record(p, "C 4");
    put_record(p, "L %d", WAITALL);
}

/* Passes a message around the ring. */
static void pass_on(Process *p, int first)
{
    int left = (p->rank + p->n - 1) % p->n, right = (p->rank + 1) % p->n;
    char message[64] = {0};

    if (p->rank != first) {
        put_record(p, "E %d", RECV);
        MPI_Recv(message, sizeof message, MPI_BYTE, left, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        put_record(p, "R %d 0 5 64", left);
        put_record(p, "L %d", RECV);
    }
    compute_alone(p);
    if (right != first) {
        put_record(p, "E %d", SEND);
        put_record(p, "S %d 0 5 64", right);
        MPI_Send(message, sizeof message, MPI_BYTE, right, 5, MPI_COMM_WORLD);
        put_record(p, "L %d", SEND);
    }
}

static void take_part(Process *p, int round)
{
    int one = 1, sum;
    bool reduces = round % 2;

    put_record(p, "E %d", reduces ? ALLREDUCE : BARRIER);
    put_record(p, "B");
    if (reduces)
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    else
        MPI_Barrier(MPI_COMM_WORLD);
    put_record(p, "D %d 0 4294967295 %d %d", reduces ? 11 : 0, reduces ? 4 : 0, reduces ? 4 : 0);
    put_record(p, "L %d", reduces ? ALLREDUCE : BARRIER);
}

int main(int argc, char **argv)
{
    Process p = {.text = malloc(SIZE)};

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &p.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p.n);
    p.end = p.text;
    p.state = (unsigned long)(atol(argv[2]) * 1000 + p.rank);
    p.cost = p.rank + 3 < argc ? atof(argv[p.rank + 3]) * 1e-9 : 0;
    put_record(&p, "E %d", MAIN);
    for (int i = 0; i < atoi(argv[1]) && p.end < p.text + SIZE / 2; i++) {
        exchange_halo(&p);
        if (i % 3 == 0)
            pass_on(&p, i % p.n);
        take_part(&p, i);
    }
    put_record(&p, "L %d", MAIN);
    fwrite(p.text, 1, (size_t)(p.end - p.text), stdout);
    fflush(stdout);
    free(p.text);
    MPI_Finalize();
    return 0;
}
