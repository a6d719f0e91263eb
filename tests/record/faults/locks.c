/*
 * Threads that take work from a queue under a mutex; those of one process keep it while they write a log.
 *
 *     locks RANK STEPS EXTRA      the rank, and the milliseconds for which its threads keep the mutex
 */
#include <mpi.h>
#include <pthread.h>

#include "fault.h"

enum { THREADS = 3 };

static pthread_mutex_t queue = PTHREAD_MUTEX_INITIALIZER;
static int steps;
static double kept; /* milliseconds */

static void *run(void *unused)
{
    (void)unused;
    for (int step = 0; step < steps; step++) {
        pthread_mutex_lock(&queue);
        if (kept > 0)
            work(kept);
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
    kept = rank == atoi(argv[1]) ? atof(argv[3]) : 0;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
