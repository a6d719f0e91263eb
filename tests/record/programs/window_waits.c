/*
 * Waits of one-sided communication, for 3 processes: each kind once, since a process sleeps for a known time.
 */
#include <mpi.h>
#include <time.h>

enum { SLEEP_MS = 200 };

static int rank;

static void sleep_ms(int ms)
{
    struct timespec pause = {ms / 1000, ms % 1000 * 1000000};

    nanosleep(&pause, NULL);
}

int main(int argc, char **argv)
{
    int *memory, value = 1, peer;
    MPI_Group world, group;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    peer = 1 - rank;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Win_allocate(64, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_fence(0, win);

    /* wait_fence: 0 and 2 wait for 1. */
    if (rank == 1)
        sleep_ms(SLEEP_MS);
    MPI_Win_fence(0, win);

    /* late_post: 0 waits for 1. Then early_wait: 1 waits for 0. */
    if (rank < 2)
        MPI_Group_incl(world, 1, &peer, &group);
    if (rank == 0) {
        MPI_Win_start(group, 0, win);
        MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
        MPI_Win_complete(win);
        MPI_Win_start(group, 0, win);
        MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
        sleep_ms(SLEEP_MS);
        MPI_Win_complete(win);
    } else if (rank == 1) {
        sleep_ms(SLEEP_MS);
        MPI_Win_post(group, 0, win);
        MPI_Win_wait(win);
        MPI_Win_post(group, 0, win);
        MPI_Win_wait(win);
    }
    if (rank < 2)
        MPI_Group_free(&group);

    /* lock_competition: 1 waits for 0, which holds the lock of 2's memory. */
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, win);
        MPI_Put(&value, 1, MPI_INT, 2, 0, 1, MPI_INT, win);
        MPI_Win_flush(2, win);
        MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
        sleep_ms(SLEEP_MS);
        MPI_Win_unlock(2, win);
    } else if (rank == 1) {
        MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, win);
        MPI_Put(&value, 1, MPI_INT, 2, 0, 1, MPI_INT, win);
        MPI_Win_unlock(2, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&win);
    MPI_Group_free(&world);
    MPI_Finalize();
    return 0;
}
