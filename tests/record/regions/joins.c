/* Threads that take a lock in turn; one of them creates another thread and joins it. */
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void sleep_ms(long milliseconds)
{
    const struct timespec time = {.tv_nsec = milliseconds * 1000000};

    nanosleep(&time, NULL);
}

static void *work(void *number)
{
    long n = (long)number;

    for (int i = 0; i < 3; i++) {
        sleep_ms(n);
        pthread_mutex_lock(&mutex);
        sleep_ms(5);
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

static void *create_and_join(void *number)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, work, number) != 0)
        return number;
    sleep_ms(1);
    pthread_join(thread, NULL);
    return NULL;
}

int main(void)
{
    pthread_t threads[4];

    for (long i = 0; i < 4; i++)
        if (pthread_create(&threads[i], NULL, i == 3 ? create_and_join : work, (void *)(5 * i)) != 0)
            return 1;
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    sleep_ms(2);
    return 0;
}
