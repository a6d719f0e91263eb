/*
 * Measures the cost of an event in the traced thread: the least of many short slices, in ns. Compares it with reading
 * clocks in the same run. There is no collector: a slice ends before the ring is full, and its records are discarded.
 */
#include <stdio.h>
#include <stdlib.h>

#include "src/record/core/inner.h"

enum { EVENTS = 1000, SLICES = 20000, RING_SIZE = 4 << 20 };

static volatile uint64_t sink;

static uint64_t nanoseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void read_ticks(void)
{
    for (int i = 0; i < EVENTS; i++)
        sink = xtf_core_now();
}

static void read_clock(void)
{
    for (int i = 0; i < EVENTS; i++)
        sink = nanoseconds();
}

static void append_records(void)
{
    for (int i = 0; i < EVENTS; i++) {
        XtfRing *ring = xtf_core_begin();
        if (!ring)
            continue;
        xtf_core_record(ring, xtf_core_now(), XTF_WIRE_SEND, 0, 1, 2, (uint64_t)i);
        xtf_core_end();
    }
}

/* Appends the two events of a wrapper. */
static void enter_and_leave(void)
{
    for (int i = 0; i < EVENTS / 2; i++) {
        XtfRing *ring = xtf_core_begin();
        if (!ring)
            continue;
        xtf_core_enter(ring, 5);
        xtf_core_leave(ring, 5);
        xtf_core_end();
    }
}

/* Appends the two events of a region, each with its own begin and end of recording. */
static void enter_and_leave_region(void)
{
    for (int i = 0; i < EVENTS / 2; i++) {
        XtfRing *ring = xtf_core_begin_frame();
        if (ring) {
            xtf_core_enter(ring, 5);
            xtf_core_end();
        }
        ring = xtf_core_begin_frame();
        if (ring) {
            xtf_core_leave(ring, 5);
            xtf_core_end();
        }
    }
}

static double least_time(void (*run)(void))
{
    uint64_t best = UINT64_MAX;

    for (int i = 0; i < SLICES; i++) {
        XtfRing *ring = xtf_core_thread.ring;
        if (ring) {
            atomic_store(&ring->shared->tail, ring->head);
            ring->limit = ring->hole ? 0 : ring->head + RING_SIZE / 4;
        }
        uint64_t from = nanoseconds();
        run();
        uint64_t took = nanoseconds() - from;
        best = took < best ? took : best;
    }
    return (double)best / EVENTS;
}

int main(void)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } active[] = {
        {"clock: processor's counter", read_ticks},
        {"clock: clock_gettime", read_clock},
        {"a record of four words", append_records},
        {"ENTER or LEAVE, of a wrapper", enter_and_leave},
        {"ENTER or LEAVE, of a region", enter_and_leave_region},
    };

    printf("%-40s %6.2f ns a call\n", "process that is not recorded", least_time(enter_and_leave) * 2);
    if (!xtf_core_make_memory(RING_SIZE))
        return 1;
    xtf_core.socket.number = -1;
#ifdef __x86_64__
    xtf_core_clock_is_tsc = true;
#endif
    xtf_core_life.owns_rings = xtf_core_life.active = true;
    for (size_t i = 0; i < sizeof active / sizeof *active; i++)
        printf("%-40s %6.2f ns\n", active[i].name, least_time(active[i].run));
    xtf_core_set_recording(false);
    printf("%-40s %6.2f ns a call\n", "wrapper that is switched off", least_time(enter_and_leave) * 2);
    return 0;
}
