/*
 * Two processes with threads in pairs: one starts requests, the other one completes them. Each process prints what it
 * sends.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { PAIRS = 2, MESSAGES = 400, LARGEST = 8000 };

typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int n; /* number of requests to complete */
    int tag;
    MPI_Request sends[MESSAGES], receives[MESSAGES];
    char *sent, *received;
} Pair;

static int rank;

static int size_of(int i, int tag)
{
    return i % 7 == 0 ? LARGEST : (i * 13 + tag) % 50;
}

static void *start_requests(void *data)
{
    Pair *pair = data;

    for (int i = 0; i < MESSAGES; i++) {
        MPI_Irecv(pair->received, LARGEST, MPI_CHAR, 1 - rank, pair->tag, MPI_COMM_WORLD, &pair->receives[i]);
        MPI_Isend(pair->sent, size_of(i, pair->tag), MPI_CHAR, 1 - rank, pair->tag, MPI_COMM_WORLD, &pair->sends[i]);
        pthread_mutex_lock(&pair->lock);
        pair->n++;
        pthread_cond_signal(&pair->changed);
        pthread_mutex_unlock(&pair->lock);
    }
    return NULL;
}

static void *complete_requests(void *data)
{
    Pair *pair = data;

    for (int i = 0; i < MESSAGES; i++) {
        pthread_mutex_lock(&pair->lock);
        while (pair->n <= i)
            pthread_cond_wait(&pair->changed, &pair->lock);
        pthread_mutex_unlock(&pair->lock);
        if (i % 3 == 0) {
            MPI_Wait(&pair->receives[i], MPI_STATUS_IGNORE);
            MPI_Wait(&pair->sends[i], MPI_STATUS_IGNORE);
        } else {
            MPI_Waitall(2, (MPI_Request[]){pair->sends[i], pair->receives[i]}, MPI_STATUSES_IGNORE);
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    static Pair pairs[PAIRS];
    pthread_t threads[2 * PAIRS];
    int level;
    long sum = 0;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    if (level < MPI_THREAD_MULTIPLE) {
        printf("no threads\n");
        MPI_Finalize();
        return 0;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < PAIRS; i++) {
        pthread_mutex_init(&pairs[i].lock, NULL);
        pthread_cond_init(&pairs[i].changed, NULL);
        pairs[i].tag = 10 + i;
        pairs[i].sent = calloc(2, LARGEST);
        pairs[i].received = pairs[i].sent + LARGEST;
        pthread_create(&threads[2 * i], NULL, start_requests, &pairs[i]);
        pthread_create(&threads[2 * i + 1], NULL, complete_requests, &pairs[i]);
    }
    for (int i = 0; i < 2 * PAIRS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < PAIRS; i++)
        for (int j = 0; j < MESSAGES; j++)
            sum += size_of(j, pairs[i].tag);
    printf("%d %d messages %ld bytes\n", rank, PAIRS * MESSAGES, sum);
    MPI_Finalize();
    return 0;
}
