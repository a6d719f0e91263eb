/*
 * Threads that take work from a queue under a mutex. The threads of one process keep the mutex while they write a log.
 *
 *     locks RANK STEPS EXTRA      the rank, and the milliseconds for which its threads keep the mutex
 */
#include <mpi.h>
#include <pthread.h>

#include "fault.h"

enum { THREADS = 3 };

static pthread_mutex_t queue = PTHREAD_MUTEX_INITIALIZER;
static int steps;
static double keep_ms;

static void *work_under_lock(void *unused)
{
    (void)unused;
    for (int step = 0; step < steps; step++) {
        pthread_mutex_lock(&queue);
        if (keep_ms > 0)
            work(keep_ms);
        pthread_mutex_unlock(&queue);
        work(1);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    int rank;

    steps = atoi(argv[2]);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    keep_ms = rank == atoi(argv[1]) ? atof(argv[3]) : 0;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work_under_lock, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
