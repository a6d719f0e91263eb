/*
 * The clock: the processor's counter where the kernel itself keeps time by it, else the kernel's.
 *
 * What a tick is, is measured over a base of BASE ns, between two points, each the tightest of READINGS. A preempted
 * reading spoils a process's clock by tens of millionths; so the first process of a job on a node measures, and all
 * others read what it found, in FOLDER/clock-HOST.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "src/record/core/inner.h"

enum {
    READINGS = 32,
    BASE = 20 * 1000 * 1000,
    SHIFT = 40,
    PATIENCE = 2000, /* ms, for the lock */
};

__extension__ typedef unsigned __int128 Wide;

typedef struct {
    uint64_t ticks, nanoseconds;
} Point;

typedef struct {
    uint64_t magic;
    XtfWireClock clock;
} Kept;

static uint64_t read_clock(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* `clock` at a reading of our own clock: the tightest. */
static Point see(clockid_t clock)
{
    Point best = {0, 0};
    uint64_t least = UINT64_MAX;

    for (int i = 0; i < READINGS; i++) {
        uint64_t before = xtf_core_now(), nanoseconds = read_clock(clock), after = xtf_core_now();
        if (after - before >= least)
            continue;
        least = after - before;
        best = (Point){before + least / 2, nanoseconds};
    }
    return best;
}

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

static XtfWireClock calibrate(void)
{
    if (!xtf_core_clock_is_tsc) {
        Point start = see(CLOCK_REALTIME);
        return (XtfWireClock){XTF_WIRE_CLOCK_MONOTONIC, 0, start.ticks, start.nanoseconds, 1};
    }
    Point start = see(CLOCK_REALTIME), from = see(CLOCK_MONOTONIC), to;
    uint64_t until = from.nanoseconds + BASE, now;
    while (now = read_clock(CLOCK_MONOTONIC), now < until) {
        struct timespec rest = {.tv_nsec = (long)(until - now)};
        nanosleep(&rest, NULL);
    }
    to = see(CLOCK_MONOTONIC);
    Wide multiplier = ((Wide)(to.nanoseconds - from.nanoseconds) << SHIFT) / (to.ticks - from.ticks);
    return (XtfWireClock){XTF_WIRE_CLOCK_TSC, SHIFT, start.ticks, start.nanoseconds, (uint64_t)multiplier};
}

static bool lock(int file)
{
    for (int i = 0; i < PATIENCE; i++) {
        if (!flock(file, LOCK_EX | LOCK_NB))
            return true;
        if (errno != EWOULDBLOCK && errno != EINTR)
            return false;
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return false;
}

static bool is_usable(const Kept *kept)
{
    return kept->magic == XTF_WIRE_MAGIC && kept->clock.shift <= SHIFT && kept->clock.multiplier &&
           kept->clock.source == (xtf_core_clock_is_tsc ? XTF_WIRE_CLOCK_TSC : XTF_WIRE_CLOCK_MONOTONIC) &&
           kept->clock.start <= xtf_core_now();
}

void xtf_core_set_clock(const char *folder)
{
    char host[256] = "", path[4096];
    Kept kept = {0};

    xtf_core_clock_is_tsc = choose_tsc();
    gethostname(host, sizeof host - 1);
    for (char *c = host; *c; c++)
        if (*c == '/')
            *c = '_';
    int length = snprintf(path, sizeof path, "%s/clock-%s", folder, host);
    int file = length < (int)sizeof path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666) : -1;
    bool locked = file >= 0 && lock(file);
    if (!locked || pread(file, &kept, sizeof kept, 0) != sizeof kept || !is_usable(&kept)) {
        kept = (Kept){XTF_WIRE_MAGIC, calibrate()};
        if (locked && pwrite(file, &kept, sizeof kept, 0) != sizeof kept)
            xtf_core_say("cannot keep the clock of this node in %s: %s", path, strerror(errno));
    }
    if (file >= 0)
        close(file);
    xtf_core.process->clock = kept.clock;
}
