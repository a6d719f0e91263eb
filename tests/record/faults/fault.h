/* What the programs with a planted fault share. Work is time in which the processor is free, so that the few of a
 * test's machine are enough for all processes. */
#pragma once

#include <stdlib.h>
#include <time.h>

static inline void work(double milliseconds)
{
    struct timespec time = {(time_t)(milliseconds / 1e3), (long)(milliseconds * 1e6) % 1000000000};

    nanosleep(&time, NULL);
}
