/* A library that calls MPI for a program. It also calls the program back, and starts a thread of its own. */
#include "wrapped.h"

#include <pthread.h>

#include "counted.h"

static __attribute__((noinline)) int sum_ints(const int *in, int *out)
{
    return COUNTED(MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
}

int wrapped_sum(int value)
{
    int sum = 0;

    return sum_ints(&value, &sum) + (sum < 0);
}

/* Calls MPI at some depth. The result is used, so that no call is a tail call. */
int wrapped_deep(int depth)
{
    int size = 0;
    volatile int result = depth > 0 ? wrapped_deep(depth - 1) : COUNTED(MPI_Bcast(&size, 1, MPI_INT, 0, MPI_COMM_SELF));

    return result;
}

/* Calls MPI in a frame of unknown size, aligned beyond the ABI. */
int wrapped_aligned(int n)
{
    volatile _Alignas(64) char aligned[64] = {(char)n};
    volatile char *sized = __builtin_alloca((size_t)n * 8);
    int value = 1, sum;

    sized[0] = aligned[0];
    int result = COUNTED(MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_SELF));
    return result + (sized[0] != aligned[0]);
}

int wrapped_call_back(int (*function)(void))
{
    return function() != MPI_SUCCESS;
}

static void *scan_ints(void *unused)
{
    int value = 1, sum;

    COUNTED(MPI_Scan(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF));
    return unused;
}

void wrapped_start_thread(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, scan_ints, NULL);
    pthread_join(thread, NULL);
}
