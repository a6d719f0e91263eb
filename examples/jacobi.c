/*
 * The Jacobi iteration for Laplace's equation on a grid of N x N cells. Each process has N / P rows. In each iteration
 * it exchanges a row of N cells with both neighbours. Regions are named for `xtf record`; docs/MODEL.md makes a formula
 * of a trace of it by `xtf model`.
 *
 *     mpicc -O2 -o jacobi jacobi.c && xtf record mpirun -n 4 ./jacobi [N] [ITERATIONS]
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#if __has_include(<xtf/user.h>)
#include <xtf/user.h>
#else /* xtf is not installed */
#include "../src/record/regions/user.h"
#endif

enum { UP, DOWN };

typedef struct {
    int n, rows;  /* cells of a row; rows of this process, without the two borders */
    int up, down; /* ranks of the neighbours, or MPI_PROC_NULL */
    double *now, *next;
    double *sent, *received[2]; /* a row each; received from below and from above, 0 where the grid ends */
} Grid;

static double *row_of(const Grid *grid, double *cells, int row)
{
    return cells + (size_t)row * (size_t)(grid->n + 2);
}

static void set_up(Grid *grid, int n, int rank, int size)
{
    XTF_FUNCTION;
    size_t cells;

    grid->n = n;
    grid->rows = n * (rank + 1) / size - n * rank / size;
    grid->up = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    grid->down = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
    cells = (size_t)(grid->rows + 2) * (size_t)(n + 2);
    grid->now = calloc(cells, sizeof(double));
    grid->next = calloc(cells, sizeof(double));
    grid->sent = calloc((size_t)n, sizeof(double));
    for (int i = 0; i < 2; i++)
        grid->received[i] = calloc((size_t)n, sizeof(double));
    if (!grid->now || !grid->next || !grid->sent || !grid->received[UP] || !grid->received[DOWN])
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < grid->rows + 2; i++) { /* the left border is hot */
        row_of(grid, grid->now, i)[0] = 1;
        row_of(grid, grid->next, i)[0] = 1;
    }
}

/* Computes a row of the next iteration: N cells. */
static void relax(Grid *grid, int row)
{
    XTF_FUNCTION;
    const double *above = row_of(grid, grid->now, row - 1), *here = row_of(grid, grid->now, row);
    const double *below = row_of(grid, grid->now, row + 1);
    double *next = row_of(grid, grid->next, row);

    for (int i = 1; i <= grid->n; i++)
        next[i] = 0.25 * (above[i] + below[i] + here[i - 1] + here[i + 1]);
}

/* Returns the change of a row: N cells. */
static double compare(Grid *grid, int row)
{
    XTF_FUNCTION;
    const double *now = row_of(grid, grid->now, row), *next = row_of(grid, grid->next, row);
    double change = 0;

    for (int i = 1; i <= grid->n; i++)
        change += (next[i] - now[i]) * (next[i] - now[i]);
    return change;
}

static void pack(Grid *grid, int row)
{
    XTF_FUNCTION;
    const double *cells = row_of(grid, grid->now, row);

    for (int i = 0; i < grid->n; i++)
        grid->sent[i] = cells[i + 1];
}

static void unpack(Grid *grid, int row, const double *received)
{
    XTF_FUNCTION;
    double *cells = row_of(grid, grid->now, row);

    for (int i = 0; i < grid->n; i++)
        cells[i + 1] = received[i];
}

/* Sends row `row` to one neighbour, and receives the border `border` from the other one. */
static void exchange(Grid *grid, int row, int to, int border, int from, int tag)
{
    XTF_FUNCTION;
    pack(grid, row);
    MPI_Send(grid->sent, grid->n, MPI_DOUBLE, to, tag, MPI_COMM_WORLD);
    MPI_Recv(grid->received[tag], grid->n, MPI_DOUBLE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    unpack(grid, border, grid->received[tag]);
}

/* Returns the change of the process's rows. */
static double iterate(Grid *grid)
{
    XTF_ITERATION;
    double change = 0, *swap = grid->now;

    exchange(grid, 1, grid->up, grid->rows + 1, grid->down, UP);
    exchange(grid, grid->rows, grid->down, 0, grid->up, DOWN);
    for (int i = 1; i <= grid->rows; i++) {
        relax(grid, i);
        change += compare(grid, i);
    }
    grid->now = grid->next;
    grid->next = swap;
    return change;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 512, iterations = argc > 2 ? atoi(argv[2]) : 100, rank, size;
    double change = 0, begin;
    Grid grid;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (n < size || iterations < 1) {
        fprintf(stderr, "usage: jacobi [N] [ITERATIONS], N at least the number of processes\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    set_up(&grid, n, rank, size);
    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    {
        XTF_REGION("solve");
        for (int k = 0; k < iterations; k++)
            change = iterate(&grid);
    }
    if (rank == 0)
        printf("%d iterations on %d processes took %.6f s; the last change is %g\n", iterations, size,
               MPI_Wtime() - begin, change);
    MPI_Finalize();
    free(grid.now);
    free(grid.next);
    free(grid.sent);
    free(grid.received[UP]);
    free(grid.received[DOWN]);
    return 0;
}
