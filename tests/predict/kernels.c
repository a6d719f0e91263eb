/*
 * Programs with the communication of the NAS parallel benchmarks (D. Bailey and others: The NAS parallel benchmarks.
 * RNR-94-007, NASA Ames, 1994), and little arithmetic, for 4 or 16 processes.
 *
 * usage: kernels NAME
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 6, MAX_BYTES = 1 << 20 };

static int rank, n, side; /* side * side processes */
static char in[4][MAX_BYTES], out[MAX_BYTES];
static volatile double sum;

/* Runs a loop, in which the processes take different times. */
static void run_loop(int units)
{
    for (int i = 0; i < units * (900 + 60 * ((rank * 7) % 5)); i++)
        sum += i * 0.5;
}

static void add_up(int count)
{
    double part[16] = {rank}, whole[16];

    MPI_Allreduce(part, whole, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* Computes sums alone, as EP does. */
static void run_ep(void)
{
    run_loop(200);
    add_up(1);
    add_up(2);
    add_up(10);
}

/* Sends sizes of buckets, and keys, as IS does. */
static void run_is(void)
{
    for (int step = 0; step < STEPS; step++) {
        run_loop(30);
        add_up(16);
        MPI_Alltoall(out, 4, MPI_BYTE, in[0], 4, MPI_BYTE, MPI_COMM_WORLD);
        MPI_Alltoall(out, 24000, MPI_BYTE, in[0], 24000, MPI_BYTE, MPI_COMM_WORLD);
    }
}

/* Sends blocks of a matrix to all processes, as FT does. */
static void run_ft(void)
{
    MPI_Bcast(out, 3, MPI_INT, 0, MPI_COMM_WORLD);
    for (int step = 0; step < STEPS; step++) {
        run_loop(60);
        MPI_Alltoall(out, 40000, MPI_BYTE, in[0], 40000, MPI_BYTE, MPI_COMM_WORLD);
        run_loop(40);
        MPI_Reduce(rank ? out : out + 64, in[0], 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    }
}

static void send_to_and_fro(int peer, int bytes, int tag)
{
    MPI_Request request;

    MPI_Irecv(in[0], bytes, MPI_BYTE, peer, tag, MPI_COMM_WORLD, &request);
    MPI_Send(out, bytes, MPI_BYTE, peer, tag, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Adds up along rows of processes by exchanges, and exchanges with the transposed process, as CG does. */
static void run_cg(void)
{
    int row = rank / side, column = rank % side;

    for (int step = 0; step < STEPS; step++) {
        run_loop(25);
        for (int bit = 1; bit < side; bit <<= 1)
            send_to_and_fro(row * side + (column ^ bit), 28000, bit);
        if (row != column)
            send_to_and_fro(column * side + row, 28000, 99);
        for (int bit = 1; bit < side; bit <<= 1)
            send_to_and_fro(row * side + (column ^ bit), 8, bit);
    }
}

/* Sends borders of smaller and smaller grids to four neighbours, as MG does. */
static void run_mg(void)
{
    int row = rank / side, column = rank % side;
    int neighbours[4] = {(row + 1) % side * side + column, (row + side - 1) % side * side + column,
                         row * side + (column + 1) % side, row * side + (column + side - 1) % side};

    for (int step = 0; step < STEPS; step++) {
        for (int bytes = 64000; bytes >= 64; bytes /= 4) {
            MPI_Request requests[8];
            run_loop(bytes / 4000 + 1);
            for (int i = 0; i < 4; i++)
                MPI_Irecv(in[i], bytes, MPI_BYTE, neighbours[i], i, MPI_COMM_WORLD, &requests[i]);
            for (int i = 0; i < 4; i++)
                MPI_Isend(out, bytes, MPI_BYTE, neighbours[i ^ 1], i, MPI_COMM_WORLD, &requests[4 + i]);
            MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
        }
        add_up(1);
    }
}

/* Sends fronts over the grid of processes, as LU does. */
static void run_lu(void)
{
    int row = rank / side, column = rank % side;

    for (int step = 0; step < 4 * STEPS; step++) {
        if (row > 0)
            MPI_Recv(in[0], 1200, MPI_BYTE, rank - side, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (column > 0)
            MPI_Recv(in[1], 1200, MPI_BYTE, rank - 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        run_loop(8);
        if (row < side - 1)
            MPI_Send(out, 1200, MPI_BYTE, rank + side, 1, MPI_COMM_WORLD);
        if (column < side - 1)
            MPI_Send(out, 1200, MPI_BYTE, rank + 1, 2, MPI_COMM_WORLD);
    }
    add_up(5);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } kernels[] = {{"ep", run_ep}, {"is", run_is}, {"ft", run_ft}, {"cg", run_cg}, {"mg", run_mg}, {"lu", run_lu}};

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    while (side * side < n)
        side++;
    for (unsigned i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (argc > 1 && strcmp(argv[1], kernels[i].name) == 0)
            kernels[i].run();
    MPI_Finalize();
    return 0;
}
