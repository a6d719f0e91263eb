/*
 * A random run of a parallel program that makes totals hard, with all its events in memory. It has recursion, frames
 * that are never left or left too early, and calls that began before the trace. It has communicators of all kinds,
 * several threads, and metrics of several types.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "tests/tree/traces/writing.h"

enum {
    RUN_REGIONS = 6, /* the last is never entered */
    RUN_METRICS = 4, /* the last is never recorded */
    RUN_TAGS = 5,
    RUN_NONE = UINT32_MAX,
};

typedef enum { RUN_ENTER, RUN_LEAVE, RUN_SEND, RUN_RECV, RUN_COLLECTIVE, RUN_METRIC, RUN_OTHER } RunKind;

typedef struct {
    uint64_t t, seq;
    uint32_t location; /* index in Run.locations */
    RunKind kind;
    uint32_t region; /* RUN_NONE: a LEAVE without ENTER, or outside all regions */
    uint32_t peer;   /* process; RUN_NONE: unknown */
    uint32_t comm, tag;
    uint64_t bytes, received;
    bool completes;  /* COLLECTIVE: an end, with the bytes that it moved */
    uint32_t metric; /* METRIC: row of the metric, whose type selects a member of `value` */
    union {
        uint64_t u;
        int64_t i;
        double d;
    } value;
    /* Regions of the open frames after a call, outermost first; NULL if the event is no call. */
    GArray *stack;
} RunEvent;

typedef struct {
    uint32_t proc, thread;
    uint64_t id;
    GArray *events; /* of RunEvent */
} RunLocation;

typedef struct {
    unsigned n_procs;
    unsigned events; /* events of each location, roughly */
} RunRecipe;

typedef struct {
    RunRecipe recipe;
    GRand *random;
    RunLocation *locations; /* ordered by (proc, thread) */
    unsigned n_locations;
    unsigned deepest; /* frames */
    Written written;
} Run;

extern const char *const run_regions[RUN_REGIONS];
extern const char *const run_metrics[RUN_METRICS];

Run *run_new(uint32_t seed, const RunRecipe *recipe);
void run_free(Run *run);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Run, run_free)

/* Reads a whole file and asserts that it has the stated size. */
GString *run_read(Run *run, const char *path);
bool run_exists(Run *run, const char *path);
/* Asserts that any bytes of the file, read in any order, equal the same bytes of the whole. */
void run_check_parts(Run *run, const char *path);
