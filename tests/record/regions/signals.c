/* A timer whose handler calls instrumented functions, while the program calls others. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

static volatile long sum;
static volatile sig_atomic_t n_signals;

static __attribute__((noinline)) void within(void)
{
    sum++;
}

static void handle(int signal_number)
{
    within();
    n_signals++;
}

static __attribute__((noinline)) void step(void)
{
    sum++;
}

int main(int argc, char **argv)
{
    struct itimerval interval = {{0, 200}, {0, 200}};

    signal(SIGALRM, handle);
    setitimer(ITIMER_REAL, &interval, NULL);
    while (n_signals < atoi(argv[1]))
        for (int i = 0; i < 100; i++)
            step();
    return 0;
}
