#include "src/record/core/inner.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

void xtf_core_futex_wait(_Atomic uint32_t *word, uint32_t value, uint64_t nanoseconds)
{
    struct timespec timeout = {.tv_sec = (time_t)(nanoseconds / 1000000000),
                               .tv_nsec = (long)(nanoseconds % 1000000000)};

    syscall(SYS_futex, word, FUTEX_WAIT, value, &timeout, NULL, 0);
}

void xtf_core_futex_wake(_Atomic uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}
