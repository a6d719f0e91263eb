/* A program whose last process works longer than the others, as argument WAY says. Lines with a mark are WAITS, where
 * the others wait, or ENDS, where the last process ends their wait.
 *
 * - sends: a stencil; all wait for the messages of the last process.
 * - receives: all send to the last process, which posts its receives late.
 * - barrier: all meet the last process in a barrier.
 * - two, four: the same in barriers on two lines, or on four. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TIMES = 16, CELLS = 64 };

static double cells[CELLS], halo[CELLS];
static int rank, size;

static void work(void)
{
    usleep(rank == size - 1 ? 40000 : 100);
}

static void exchange(void)
{
    MPI_Request requests[2];
    MPI_Status statuses[2];

    MPI_Irecv(halo, CELLS, MPI_DOUBLE, (rank + size - 1) % size, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(cells, CELLS, MPI_DOUBLE, (rank + 1) % size, 1, MPI_COMM_WORLD, &requests[1]); /* ENDS sends */
    MPI_Waitall(2, requests, statuses);                                                      /* WAITS sends */
}

static void send_to_last(void)
{
    if (rank != size - 1)
        MPI_Ssend(cells, CELLS, MPI_DOUBLE, size - 1, 2, MPI_COMM_WORLD); /* WAITS receives */
    for (int i = 0; rank == size - 1 && i < size - 1; i++)
        MPI_Recv(halo, CELLS, MPI_DOUBLE, i, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* ENDS receives */
}

static void meet(void)
{
    MPI_Barrier(MPI_COMM_WORLD); /* WAITS barrier ENDS barrier */
}

static void meet_in_two(int i)
{
    if (i % 2)
        MPI_Barrier(MPI_COMM_WORLD); /* WAITS two */
    else
        MPI_Barrier(MPI_COMM_WORLD); /* WAITS two */
}

static void meet_in_four(int i)
{
    if (i % 4 == 0)
        MPI_Barrier(MPI_COMM_WORLD);
    else if (i % 4 == 1)
        MPI_Barrier(MPI_COMM_WORLD);
    else if (i % 4 == 2)
        MPI_Barrier(MPI_COMM_WORLD);
    else
        MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < TIMES; i++) {
        work();
        if (!strcmp(argv[1], "sends"))
            exchange();
        else if (!strcmp(argv[1], "receives"))
            send_to_last();
        else if (!strcmp(argv[1], "barrier"))
            meet();
        else if (!strcmp(argv[1], "two"))
            meet_in_two(i);
        else
            meet_in_four(i);
    }
    MPI_Finalize();
    return 0;
}
