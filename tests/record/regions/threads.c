/* Threads that end in each possible way. With an argument, each also takes a lock that often. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t ready, ended;
static int n_locks;
static volatile long sum;

static void *work(void *number)
{
    char name[16];

    snprintf(name, sizeof name, "worker-%ld", (long)number);
    pthread_setname_np(pthread_self(), name);
    for (int i = 0; i < n_locks; i++) {
        pthread_mutex_lock(&mutex);
        sum++;
        pthread_mutex_unlock(&mutex);
    }
    if ((long)number == 1)
        pthread_exit(number);
    return number;
}

static void *wait_for_ever(void *unused)
{
    sem_post(&ready);
    for (;;)
        pause();
    return NULL;
}

static void *post(void *unused)
{
    sem_post(&ended);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t workers[3], cancelled, detached;
    pthread_attr_t attributes;

    n_locks = argc > 1 ? atoi(argv[1]) : 0;
    sem_init(&ready, 0, 0);
    sem_init(&ended, 0, 0);
    for (long i = 0; i < 3; i++)
        if (pthread_create(&workers[i], NULL, work, (void *)i) != 0)
            return 1;
    for (int i = 0; i < 3; i++)
        pthread_join(workers[i], NULL);
    pthread_create(&cancelled, NULL, wait_for_ever, NULL);
    sem_wait(&ready);
    pthread_cancel(cancelled);
    pthread_join(cancelled, NULL);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_create(&detached, &attributes, post, NULL);
    sem_wait(&ended);
    usleep(100000);
    printf("%ld\n", sum);
    return 0;
}
