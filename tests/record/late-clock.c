/* A clock by which each step takes half a second: preloaded into a command that gives itself less time. */
#include <stdint.h>

int64_t g_get_monotonic_time(void)
{
    static int64_t now;

    return now += 500000;
}
