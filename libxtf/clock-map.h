/*
 * Clock maps: from the clock of a location to the time of the trace.
 *
 * Clocks of different machines start at different times and drift. The file holds the times of each location as its own
 * clock measured them, in local ticks. Clock maps convert local ticks to the time that all locations share, global
 * ticks. Clocks can therefore be corrected without rewriting rows.
 *
 * A map is a broken line through knots. Between two knots it is linear, rounded down to a tick. Before the first and
 * after the last knot its slope is 1. Results saturate at 0 and at 2^64 - 1. A map never decreases, so it keeps the
 * order of rows. Several local ticks may map to one global tick, and some global ticks may be skipped.
 *
 * All functions that accept or return times (array.h, spans.h, records.h) use global ticks, unless their comments say
 * otherwise. The times in rows are global too. Durations stay local: 1000 ticks of the location's clock stay 1000
 * ticks, however the clock is corrected. In an array without a map, local ticks are global ticks.
 *
 * All functions are thread-safe.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/error.h"

XTF_BEGIN_DECLS

/* A point of the line, and the kind of the section up to the next knot. */
typedef struct {
    uint64_t local, global; /* ticks */
    /* False: a drift. Its numbers of global and local ticks differ by at most 1 in XTF_CLOCK_DRIFT, plus one tick.
     * True: a jump forwards. The section has no fewer global ticks than local ticks. Ignored in the last knot. */
    bool jumps;
} XtfClockKnot;

enum {
    XTF_CLOCK_DRIFT = 1000,
    XTF_CLOCK_KNOTS_MAX = 1 << 21, /* most knots of all maps of a file together */
};

/* At least one knot. Local times are strictly increasing. */
typedef struct {
    uint32_t n_knots;
    const XtfClockKnot *knots;
    uint32_t id; /* private: identifies the map in an open file */
} XtfClockMap;

/* Returns what is wrong with the map, and sets *knot to the faulty knot. Returns NULL if the map is valid. */
const char *xtf_clock_map_fault(const XtfClockMap *map, uint32_t *knot);

/* True if two maps (const XtfClockMap *, NULL for an array without a map) have the same knots. A GEqualFunc. */
gboolean xtf_clock_map_equal(gconstpointer a, gconstpointer b);

/* Returns the global time of a local time. Here and below, NULL is the map of an array without a map. */
uint64_t xtf_clock_map_to_global(const XtfClockMap *map, uint64_t local);
/* Returns the least local time that maps to global time t or later; 2^64 - 1 if there is none. The rows before global
 * time t are the rows before the returned local time. */
uint64_t xtf_clock_map_to_local(const XtfClockMap *map, uint64_t t);

/*
 * Returns a digest of the clocks of locations. Start with 0, and add each location that has records, in ascending
 * order, with its map. A map that changes no time counts as no map. docs/VOCABULARY.md, section 8, defines the digest.
 * xtf_trace_clocks_digest() returns the digest of a trace.
 */
uint64_t xtf_clock_map_digest(uint64_t digest, uint64_t location, const XtfClockMap *map);

XTF_END_DECLS
