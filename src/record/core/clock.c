/*
 * The clock: the processor's time stamp counter if the kernel uses it as its clock source, else the kernel's monotonic
 * clock. The collector measures how long a tick is (src/record/collect/calibrate.c); the program does not wait for it.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "src/record/core/inner.h"

static bool kernel_trusts_tsc(void)
{
#ifdef __x86_64__
    char name[16] = "";
    int file = open("/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY | O_CLOEXEC);

    if (file < 0)
        return false;
    ssize_t n = read(file, name, sizeof name - 1);
    close(file);
    return n >= 3 && !strncmp(name, "tsc", 3) && (name[3] == '\n' || !name[3]);
#else
    return false;
#endif
}

static bool choose_tsc(void)
{
#ifdef __x86_64__
    const char *wanted = xtf_core_option("CLOCK");

    if (wanted && !strcmp(wanted, "tsc"))
        return true;
    if (wanted && !strcmp(wanted, "monotonic"))
        return false;
#endif
    return kernel_trusts_tsc();
}

void xtf_core_choose_clock(void)
{
    xtf_core_clock_is_tsc = choose_tsc();
    xtf_core.process->clock = xtf_core_clock_is_tsc ? XTF_WIRE_CLOCK_TSC : XTF_WIRE_CLOCK_MONOTONIC;
}
