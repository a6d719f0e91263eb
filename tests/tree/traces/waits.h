/*
 * A made-up analysis: waits of several processes and threads and the delays behind them, also in memory. Ticks are
 * nanoseconds.
 */
#pragma once

#include <glib.h>

#include "tests/tree/traces/writing.h"

enum {
    WAITS_PROCS = 5,
    WAITS_THREADS = 2,
    WAITS_REGIONS = 4, /* no wait is in the last one */
    WAITS_CONTEXTS = 4,
    WAITS_COMMS = 3,
    WAITS_TAGS = 40,
};

typedef struct {
    uint32_t proc, thread;
    uint64_t n; /* row of its array */
    XtfWaitsRow row;
} KnownWait;

typedef struct {
    uint32_t proc, thread;
    XtfDelaysRow row;
} KnownDelay;

typedef struct {
    GArray *waits;  /* of KnownWait, by location and time */
    GArray *delays; /* of KnownDelay */
    uint64_t end;   /* one tick after the last record; the first is at 0 */
    GRand *random;
    Written written;
} Waits;

extern const char *const waits_regions[WAITS_REGIONS], *const waits_contexts[WAITS_CONTEXTS];

/* Returns a trace with about `each` waits a location. */
Waits *waits_new(uint32_t seed, unsigned each);
void waits_free(Waits *waits);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Waits, waits_free)
