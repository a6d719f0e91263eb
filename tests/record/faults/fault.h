/* Code shared by the programs with a planted fault. Work leaves the processor free, so that the few processors of a
 * test machine suffice for all processes. */
#pragma once

#include <stdlib.h>
#include <time.h>

static inline void work(double milliseconds)
{
    struct timespec time = {(time_t)(milliseconds / 1e3), (long)(milliseconds * 1e6) % 1000000000};

    nanosleep(&time, NULL);
}
