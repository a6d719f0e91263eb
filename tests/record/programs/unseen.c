/*
 * A program that spends much of its time outside of regions. One process has parts that a recorder may not see.
 *
 *     unseen RANK WHAT
 *
 * WHAT is one of:
 * - openmp: a team of two threads (compiled with -fopenmp)
 * - threads: a thread under a mutex
 * - before: all processes have a thread before MPI_Init
 * - nothing
 */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PAUSE_US = 700000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *lock_once(void *unused)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void use_thread(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, lock_once, NULL);
    pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
    int rank, has_part, sum = 0;

    if (!strcmp(argv[2], "before"))
        use_thread();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    has_part = rank == atoi(argv[1]);
    usleep(PAUSE_US);
    if (has_part && !strcmp(argv[2], "threads"))
        use_thread();
    if (has_part && !strcmp(argv[2], "openmp")) {
#pragma omp parallel for num_threads(2) reduction(+ : sum)
        for (int i = 0; i < 100; i++)
            sum += i;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return sum < 0;
}
