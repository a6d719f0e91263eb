/*
 * The window of the run that is recorded.
 *
 * The process has one window. Each thread has bits in XtfRing.off that say what it awaits, and reads the clock only
 * while it awaits the begin or the end. A process that --ranks does not name has no window. The clock is the coarse
 * one, which takes 5 ns and is exact to some milliseconds.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "src/record/core/inner.h"

static struct {
    bool by_program;           /* --start off */
    uint64_t from_ns;          /* time at which the window begins; 0: at once, or when the program says so */
    uint64_t length_ns;        /* 0: it has no end */
    _Atomic bool together;     /* only xtf_core_window_begin() begins the window */
    _Atomic bool waits;        /* the window has not begun; otherwise `until_ns` is valid */
    _Atomic uint64_t until_ns; /* 0: it has no end */
    const char *ranks;         /* --ranks: the processes to record; NULL: all */
    _Atomic uint32_t by_rank;  /* TIMED: the rank is not known yet; OFF_RANK: `ranks` does not have it; else 0 */
} window;

static uint64_t coarse_ns(void)
{
    return xtf_clock_ns(CLOCK_MONOTONIC_COARSE);
}

/* True if a list such as "-3,8-15,1024-", whose form the command has checked, has a number. */
static bool list_has(const char *list, uint32_t number)
{
    for (char *at = (char *)list;; at++) {
        unsigned long long first = *at == '-' ? 0 : strtoull(at, &at, 10), last = first;
        if (*at == '-' && *++at >= '0' && *at <= '9')
            last = strtoull(at, &at, 10);
        else if (at > list && at[-1] == '-')
            last = UINT32_MAX; /* an open end */
        if (number >= first && number <= last)
            return true;
        if (*at != ',')
            return false;
    }
}

void xtf_core_window_set_rank(uint32_t rank)
{
    if (window.by_rank == XTF_CORE_TIMED)
        window.by_rank = list_has(window.ranks, rank) ? 0 : XTF_CORE_OFF_RANK;
    atomic_store(&xtf_core.process->left_out, window.by_rank == XTF_CORE_OFF_RANK);
}

static void read_options(void)
{
    const char *start = xtf_core_option("START");
    uint64_t from_ms = xtf_core_milliseconds("FROM");

    window.by_program = start && strcmp(start, "off") == 0;
    window.length_ns = xtf_core_milliseconds("FOR") * 1000000;
    if (from_ms)
        window.from_ns = coarse_ns() + from_ms * 1000000;
    window.waits = true;
    window.ranks = xtf_core_option("RANKS");
    if (window.ranks && (xtf_core.expected_rank > 0 || (xtf_core_awaits_rank && xtf_core_has_mpi())))
        window.by_rank = XTF_CORE_TIMED;
    window.together = from_ms && xtf_core_awaits_rank && xtf_core_has_mpi();
    if (!window.by_program && !from_ms)
        xtf_core_window_begin();
}

void xtf_core_window_set_up(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, read_options);
}

bool xtf_core_window_waits(void)
{
    return window.from_ns && window.waits;
}

bool xtf_core_window_is_due(void)
{
    return window.from_ns && coarse_ns() >= window.from_ns;
}

void xtf_core_window_set_together(bool together)
{
    window.together = together;
}

void xtf_core_window_publish(void)
{
    if (xtf_core.process)
        atomic_store(&xtf_core.process->window_waits, window.waits);
}

void xtf_core_window_begin(void)
{
    uint64_t none = 0;

    if (!window.waits)
        return;
    if (window.length_ns)
        atomic_compare_exchange_strong(&window.until_ns, &none, coarse_ns() + window.length_ns);
    window.waits = false;
    if (xtf_core_life.owns_rings)
        xtf_core_window_publish();
}

void xtf_core_window_begin_by_program(void)
{
    if (window.by_program)
        xtf_core_window_begin();
}

uint32_t xtf_core_window_off(void)
{
    if (window.by_rank == XTF_CORE_OFF_RANK)
        return XTF_CORE_OFF_RANK;
    if (window.waits)
        return XTF_CORE_OFF_BEFORE;
    return window.until_ns == 0 ? window.by_rank : coarse_ns() < window.until_ns ? XTF_CORE_TIMED : XTF_CORE_OFF_AFTER;
}

void xtf_core_window_look(void)
{
    if (window.by_rank != XTF_CORE_OFF_RANK && window.waits && !window.together && xtf_core_window_is_due())
        xtf_core_window_begin();
}
