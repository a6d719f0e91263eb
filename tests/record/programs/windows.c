/*
 * One-sided communication for 2 processes: all kinds of windows, operations and synchronisation. Rank 0 is the origin.
 */
#include <mpi.h>
#include <stdlib.h>

static int rank;

static void use_fences(void)
{
    int memory[8] = {0}, from[4] = {1, 2, 3, 4};
    MPI_Win win;

    MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_name(win, "fenced");
    MPI_Win_fence(0, win);
    if (rank == 0) {
        MPI_Put(from, 3, MPI_INT, 1, 0, 3, MPI_INT, win);
        MPI_Get(from, 2, MPI_INT, 1, 4, 2, MPI_INT, win);
        MPI_Put(from, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win);
    }
    MPI_Win_fence(0, win);
    if (rank == 0)
        MPI_Accumulate(from, 4, MPI_INT, 1, 0, 4, MPI_INT, MPI_SUM, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}

static void use_epochs(void)
{
    int *memory, value = 5, peer = 1 - rank, flag = 0;
    MPI_Group world, group;
    MPI_Win win;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &peer, &group);
    MPI_Win_allocate(64, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_set_name(win, "epochs");
    for (int i = 0; i < 2; i++) {
        if (rank == 0) {
            MPI_Win_start(group, 0, win);
            MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
            MPI_Win_complete(win);
        } else {
            MPI_Win_post(group, 0, win);
            if (i == 0)
                MPI_Win_wait(win);
            else
                while (!flag)
                    MPI_Win_test(win, &flag);
        }
    }
    MPI_Win_free(&win);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
}

static void use_locks(void)
{
    long *memory, value = 5, old, compare = 0;
    MPI_Request request;
    MPI_Win win;

    MPI_Win_allocate(64, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_set_name(win, "locked");
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
        MPI_Put(&value, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win);
        MPI_Win_flush_local(1, win);
        MPI_Win_flush(1, win);
        MPI_Win_unlock(1, win);
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
        MPI_Fetch_and_op(&value, &old, MPI_LONG, 1, 1, MPI_SUM, win);
        MPI_Compare_and_swap(&value, &compare, &old, MPI_LONG, 1, 2, win);
        MPI_Win_unlock(1, win);
        MPI_Win_lock_all(0, win);
        MPI_Rput(&value, 1, MPI_LONG, 1, 3, 1, MPI_LONG, win, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Get_accumulate(&value, 1, MPI_LONG, &old, 1, MPI_LONG, 1, 4, 1, MPI_LONG, MPI_SUM, win);
        MPI_Win_sync(win);
        MPI_Win_flush_all(win);
        MPI_Win_unlock_all(win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&win);
}

static void use_other_windows(void)
{
    char *memory, *bytes = malloc(64), value = 1;
    MPI_Aint at = 0;
    MPI_Win win;

    MPI_Win_allocate_shared(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_set_name(win, "shared");
    MPI_Win_free(&win);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_name(win, "dynamic");
    MPI_Win_attach(win, bytes, 64);
    MPI_Get_address(bytes, &at);
    MPI_Bcast(&at, 1, MPI_AINT, 1, MPI_COMM_WORLD);
    MPI_Win_fence(0, win);
    if (rank == 0)
        MPI_Put(&value, 1, MPI_CHAR, 1, at, 1, MPI_CHAR, win);
    MPI_Win_fence(0, win);
    MPI_Win_detach(win, bytes);
    MPI_Win_free(&win);
    free(bytes);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    use_fences();
    use_epochs();
    use_locks();
    use_other_windows();
    MPI_Finalize();
    return 0;
}
