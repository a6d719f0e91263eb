/* Threads that take a lock by turns; one of them creates another one and joins it. */
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void rest(long milliseconds)
{
    const struct timespec time = {.tv_nsec = milliseconds * 1000000};

    nanosleep(&time, NULL);
}

static void *work(void *number)
{
    long n = (long)number;

    for (int i = 0; i < 3; i++) {
        rest(n);
        pthread_mutex_lock(&mutex);
        rest(5);
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

static void *share(void *number)
{
    pthread_t other;

    if (pthread_create(&other, NULL, work, number) != 0)
        return number;
    rest(1);
    pthread_join(other, NULL);
    return NULL;
}

int main(void)
{
    pthread_t threads[4];

    for (long i = 0; i < 4; i++)
        if (pthread_create(&threads[i], NULL, i == 3 ? share : work, (void *)(5 * i)) != 0)
            return 1;
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    rest(2);
    return 0;
}
