/*
 * A made-up run of a parallel program, with all that makes its totals hard, and a naive memory of what happened in it:
 * recursion, frames never left and left too early, calls that began before the trace, communicators of all kinds,
 * several threads, metrics of several types.
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
    uint32_t location; /* of its location */
    RunKind kind;
    uint32_t region; /* RUN_NONE: a LEAVE without ENTER, or not in a region */
    uint32_t peer;   /* process; RUN_NONE: unknown */
    uint32_t comm, tag;
    uint64_t bytes, received;
    bool completes;  /* COLLECTIVE: says what it moved */
    uint32_t metric; /* METRIC: of `value`, as its type says */
    union {
        uint64_t u;
        int64_t i;
        double d;
    } value;
    /* Of calls: the regions of the frames that are open behind it, the outermost first. */
    GArray *stack;
} RunEvent;

typedef struct {
    uint32_t proc, thread;
    uint64_t id;
    GArray *events; /* of RunEvent */
} RunLocation;

typedef struct {
    unsigned n_procs;
    unsigned events; /* a location, about */
} RunRecipe;

typedef struct {
    RunRecipe recipe;
    GRand *random;
    RunLocation *locations; /* by (proc, thread) */
    unsigned n_locations;
    unsigned deepest; /* frames */
    Written written;
} Run;

extern const char *const run_regions[RUN_REGIONS];
extern const char *const run_metrics[RUN_METRICS];

Run *run_new(uint32_t seed, const RunRecipe *recipe);
void run_free(Run *run);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Run, run_free)

/* The whole of a file, which must be as long as is stated. */
GString *run_read(Run *run, const char *path);
bool run_exists(Run *run, const char *path);
/* That any bytes of the file, in any order, are those of the whole. */
void run_check_parts(Run *run, const char *path);
