/*
 * A clock with an error, for tests of readings of clocks. Modules with this file are built by tests alone.
 *
 * XTF_TEST_CLOCK has the errors of processes: "RANK:OFFSET_NS:DRIFT_PPB[:WANDER_PPB,PERIOD_NS]", with blanks between
 * them. The clock of process RANK shows CLOCK_MONOTONIC, plus the offset, plus the drift since the machine's start. A
 * clock that wanders is faster by WANDER_PPB in the first half of each period, and slower in the second. The tests
 * record with --clock monotonic.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/record/core/core.h"

#pragma GCC visibility push(hidden)

static struct {
    long long offset, drift, wander, period;
} fault;

static const char *launched_rank(void)
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");

    return rank ? rank : getenv("PMI_RANK");
}

static void read_fault(void)
{
    const char *rank = launched_rank(), *at = getenv("XTF_TEST_CLOCK");
    size_t length = rank ? strlen(rank) : 0;

    while (rank && at && *at) {
        if (strncmp(at, rank, length) == 0 && at[length] == ':') {
            sscanf(at + length + 1, "%lld:%lld:%lld,%lld", &fault.offset, &fault.drift, &fault.wander, &fault.period);
            return;
        }
        at += strcspn(at, " ");
        at += strspn(at, " ");
    }
}

uint64_t xtf_core_test_now(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    int64_t now = (int64_t)xtf_monotonic_ns();

    pthread_once(&once, read_fault);
    int64_t time = now + fault.offset + (int64_t)((__int128)now * fault.drift / 1000000000);
    if (fault.period > 0) {
        int64_t phase = now % fault.period, rise = phase < fault.period / 2 ? phase : fault.period - phase;
        time += (int64_t)((__int128)rise * fault.wander / 1000000000);
    }
    return (uint64_t)time;
}

#pragma GCC visibility pop
