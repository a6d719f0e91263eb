#include "src/record/collect/costs.h"

#include <glib.h>
#include <inttypes.h>
#include <stdatomic.h>

enum {
    LOOPS = 200,
    RECORDS = 64, /* records of a loop */
    WORDS = 1 << 12,
    CALL_WORDS = 2, /* of an ENTER, a LEAVE */
    MPI_WORDS = 5,  /* of a message */
};

typedef struct {
    uint64_t words[WORDS + MPI_WORDS]; /* a record may begin in the last one of WORDS */
    _Atomic uint64_t head;
    uint64_t region;
} Ring;

/* Appends a record as a traced thread does: the words, then the head. */
static inline void append_words(Ring *ring, uint64_t time, unsigned n_words)
{
    uint64_t at = atomic_load_explicit(&ring->head, memory_order_relaxed);
    volatile uint64_t *to = ring->words + (at & (WORDS - 1));

    to[0] = time;
    for (unsigned i = 1; i < n_words; i++)
        to[i] = at;
    atomic_store_explicit(&ring->head, at + n_words, memory_order_release);
}

/* Returns the readings that a loop takes. `reads`: each record reads the clock. */
static uint64_t run_loop(const XtfCollectClock *clock, Ring *ring, bool reads)
{
    uint64_t begin = xtf_collect_clock_now(clock), time = begin;

    for (unsigned i = 0; i < RECORDS; i++) {
        if (reads)
            time = xtf_collect_clock_now(clock);
        append_words(ring, time, reads ? CALL_WORDS : MPI_WORDS);
        *(volatile uint64_t *)&ring->region = time;
    }
    return xtf_collect_clock_now(clock) - begin;
}

/* Returns the cost of a record in tenths of a nanosecond. */
static uint64_t measure_record(const XtfCollectClock *clock, Ring *ring, bool reads)
{
    uint64_t least = UINT64_MAX;

    for (unsigned i = 0; i < LOOPS; i++)
        least = MIN(least, run_loop(clock, ring, reads));
    unsigned __int128 tenths = (unsigned __int128)least * 10 * clock->multiplier >> clock->shift;
    return (uint64_t)MIN(tenths / RECORDS, (unsigned __int128)100000);
}

char *xtf_collect_measure_costs(const XtfCollectClock *clock)
{
    g_autofree Ring *ring = g_new0(Ring, 1);
    uint64_t call = measure_record(clock, ring, true), mpi = measure_record(clock, ring, false);

    return g_strdup_printf("ENTER=%" PRIu64 ".%" PRIu64 "ns,LEAVE=%" PRIu64 ".%" PRIu64 "ns,MPI=%" PRIu64 ".%" PRIu64
                           "ns,OTHER=%" PRIu64 ".%" PRIu64 "ns",
                           call / 10, call % 10, call / 10, call % 10, mpi / 10, mpi % 10, call / 10, call % 10);
}
