/*
 * Clock maps: from the clock of a location to the time of the trace.
 *
 * Clocks of different machines begin at different times and drift. The file holds the times of each location as its own
 * clock gave them, in local ticks, and maps that lead from local ticks to the time that all locations share, global
 * ticks. So clocks are corrected without rewriting a row.
 *
 * A map is a broken line through knots. Between two knots it is linear, rounded down to a tick. Before the first and
 * behind the last knot its slope is 1. Results below 0 are 0, and results beyond 2^64 - 1 are 2^64 - 1. A map never
 * falls, so it keeps the order of rows; several local ticks may lead to one global tick, and global ticks may be passed
 * over.
 *
 * All functions that take or give times (array.h, spans.h, records.h) do so in global ticks, unless they say otherwise;
 * rows come with global times too. Durations stay local: what lasted 1000 ticks of its own clock lasted 1000 ticks,
 * however the clock was corrected. An array without a map has global ticks.
 *
 * Any thread may call these functions at once.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/error.h"

XTF_BEGIN_DECLS

/* A point of the line, and what lies between it and the next knot: */
typedef struct {
    uint64_t local, global; /* ticks */
    /* false: a drift, so many global ticks as local ones, give or take 1 in XTF_CLOCK_DRIFT and one more. true: a jump
     * forwards, at least as many global ticks as local ones. Means nothing at the last knot. */
    bool jumps;
} XtfClockKnot;

enum {
    XTF_CLOCK_DRIFT = 1000,
};

/* At least one knot, the local times rising. */
typedef struct {
    uint32_t n_knots;
    const XtfClockKnot *knots;
    uint32_t id; /* private: tells it from others of an open file */
} XtfClockMap;

/* What is wrong with a map, in knot *knot of it; NULL if nothing is. */
const char *xtf_clock_map_fault(const XtfClockMap *map, uint32_t *knot);

/* Whether two maps (const XtfClockMap *, NULL is that of an array without one) have the same knots. A GEqualFunc. */
gboolean xtf_clock_map_equal(gconstpointer a, gconstpointer b);

/* The global time of a local one. NULL is the map of an array without one, here and below. */
uint64_t xtf_clock_map_to_global(const XtfClockMap *map, uint64_t local);
/* The least local time that leads to a global time of t or later; 2^64 - 1 if none does. So the rows before global time
 * t are the rows before that local time. */
uint64_t xtf_clock_map_to_local(const XtfClockMap *map, uint64_t t);

/*
 * A number for the clocks of locations: begin with 0, and add the locations that have records, ascending, each with its
 * map. One that changes nothing counts as none. docs/VOCABULARY.md, section 8, defines it; xtf_trace_clocks_digest()
 * gives that of a trace.
 */
uint64_t xtf_clock_map_digest(uint64_t digest, uint64_t location, const XtfClockMap *map);

XTF_END_DECLS
