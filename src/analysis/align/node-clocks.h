/*
 * Clocks of nodes, by the readings that `xtf record` made: clock maps that convert each node's clock to that of the
 * first node.
 *
 * A reading relates a time of a node's clock, its local time, to one of its reference, the node above it. It is off by
 * at most half the round trip, plus the error of the reference's own clock map. A clock map goes through the readings:
 * between two of them a clock drifts evenly. Before the first and after the last reading the drift next to them goes
 * on, if it is greater than the errors of the readings.
 *
 * No clock drifts by more than 1 in XTF_CLOCK_DRIFT. If two readings differ by more, and their errors do not explain
 * it, the clock has stepped between them: the later readings are not used.
 *
 * A tick is a nanosecond, as in all traces of the recorder.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/clock-map.h"
#include "libxtf/handles.h"

typedef struct {
    uint64_t reading;                /* its number in the table */
    uint8_t point;                   /* index in xtf_clock_points */
    bool used;                       /* the clock map goes through it */
    uint32_t reference;              /* number of the process whose clock was read */
    uint64_t local, reference_local; /* ticks of both clocks at the same time */
    uint64_t round_trip;             /* ticks */
    uint64_t global;                 /* ticks of the first node's clock */
    uint64_t bound;                  /* greatest error of `global`, in ticks */
} XtfNodeReading;

typedef struct {
    uint64_t node;        /* the node's number in the tables */
    uint32_t reader;      /* number of the process that read the reference's clock */
    uint32_t reference;   /* number of that process */
    GArray *readings;     /* XtfNodeReading, by local time */
    GArray *knots;        /* XtfClockKnot; empty: the clock is not corrected */
    XtfClockMap map;      /* of the knots */
    uint64_t first, last; /* local times of the first and the last record of the node's processes */
    uint64_t stepped;     /* local time of the first reading that shows a step; UINT64_MAX: none */
    int64_t step;         /* ticks by which it steps; 0: the clock of the reference does */
} XtfNodeClock;

typedef struct {
    GArray *clocks;      /* XtfNodeClock of nodes other than the first, by `reader` */
    GHashTable *nodes;   /* number of a process (GUINT_TO_POINTER) -> number of its node, guint64 */
    GHashTable *lives;   /* private: times of the records of each process */
    GHashTable *by_node; /* private: number of a node -> index in `clocks`, plus 1 */
    GArray *ends;        /* private: rows of the table of readings */
} XtfNodeClocks;

/* Begins with no readings. */
void xtf_node_clocks_init(XtfNodeClocks *clocks);
/* Adds the readings of a trace, or of a part of it, whose locations have no clock maps. */
bool xtf_node_clocks_add(XtfNodeClocks *clocks, XtfTrace *trace, GError **error);
/* Computes the clocks from all readings that were added. Without readings there are none. */
void xtf_node_clocks_make(XtfNodeClocks *clocks);
/* Does all of this for one trace, whose clock maps it ignores. */
bool xtf_node_clocks_load(XtfNodeClocks *clocks, XtfTrace *trace, GError **error);
void xtf_node_clocks_finish(XtfNodeClocks *clocks); /* accepts zeros */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfNodeClocks, xtf_node_clocks_finish)

/* Finds the clock of a process's node; NULL: it is the first node's, or unknown. */
const XtfNodeClock *xtf_node_clock_of(const XtfNodeClocks *clocks, uint32_t proc);

/* Returns the greatest error of the readings that a clock map goes through, in ticks; 0: it goes through none. */
uint64_t xtf_node_clock_bound(const XtfNodeClock *clock);
/* Returns the greatest error of all clocks; 0: there are none. */
uint64_t xtf_node_clocks_bound(const XtfNodeClocks *clocks);
/* Returns a sentence without a period on what is wrong with a clock; NULL: nothing. The caller frees it. */
char *xtf_node_clock_fault(const XtfNodeClock *clock);

/* Returns the clock map of a location; NULL: it has none. Owned by the clocks. */
const XtfClockMap *xtf_node_clocks_map(const XtfNodeClocks *clocks, uint64_t location);
