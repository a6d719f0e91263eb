/* Calls MPI through a library, and counts its calls of the library as calls of MPI. */
#include <pthread.h>

#include "counted.h"
#include "wrapped.h"

static __attribute__((noinline)) int solve(int times)
{
    int sum = 0;

    for (int i = 0; i < times; i++) {
        sum += COUNTED_AS("MPI_Allreduce", wrapped_sum(i));
        COUNTED(MPI_Barrier(MPI_COMM_WORLD));
    }
    sum += COUNTED_AS("MPI_Allreduce", wrapped_sum(times));
    return sum;
}

static __attribute__((noinline)) int finish(int times)
{
    volatile _Alignas(64) char aligned[64] = {1};
    int result = 0;

    for (int i = 0; i < times; i++)
        result += COUNTED_AS("MPI_Reduce", wrapped_aligned(i + aligned[0]));
    return result;
}

/* Calls MPI inside of the library. */
static int call_back(void)
{
    int value = 1, sum;

    return COUNTED(MPI_Exscan(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF));
}

static void *work(void *unused)
{
    for (int i = 0; i < 4; i++)
        COUNTED_AS("MPI_Bcast", wrapped_deep(0));
    return unused;
}

static void call_in_threads(void)
{
    pthread_t threads[3];

    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
    int provided, rank;

    COUNTED(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided));
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    solve(3);
    solve(2);
    finish(4);
    wrapped_call_back(call_back);
    if (provided == MPI_THREAD_MULTIPLE) {
        call_in_threads();
        wrapped_start_thread();
    }
    COUNTED_AS("MPI_Bcast", wrapped_deep(1));
    COUNTED_AS("MPI_Bcast", wrapped_deep(5));
    COUNTED(MPI_Finalize());
    print_counts(rank);
    return 0;
}
