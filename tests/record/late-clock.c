/* A clock that advances by half a second at each reading. Tests preload it into commands that limit their time. */
#include <stdint.h>

int64_t g_get_monotonic_time(void)
{
    static int64_t now;

    return now += 500000;
}
