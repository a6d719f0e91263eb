/*
 * Watching the traced process: whether it lives, and how it ended.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/record/wire.h"

typedef struct {
    int memory, process, socket; /* descriptors, borrowed; -1: there is none */
    int32_t pid;
    bool closed;    /* the process closed its end of the socket, and lives */
    int64_t looked; /* last look at the maps: microseconds of g_get_monotonic_time() */
} XtfCollectWatch;

/* True if no more records will follow: the process has ended, or has called exec. */
bool xtf_collect_has_ended(XtfCollectWatch *watch);

/* Starts a thread that adds 1 to the futex `wake` and wakes its sleepers when xtf_collect_has_ended() may return true.
 * Returns NULL if no thread can be created: the collector then sees the end after its nap. */
typedef struct XtfCollectSentry XtfCollectSentry;
XtfCollectSentry *xtf_collect_sentry_new(const XtfCollectWatch *watch, _Atomic uint32_t *wake);
void xtf_collect_sentry_free(XtfCollectSentry *sentry);

/* True if the process has an MPI library in memory, so that its rank will become known. */
bool xtf_collect_has_mpi(int32_t pid);

/* Returns the OpenMP runtime that the process has in memory (openmp.h); NULL if none. */
const char *xtf_collect_openmp(int32_t pid);

/* Returns how the process ended, as text that the caller frees. *status is its exit status, 0 if unknown. */
char *xtf_collect_end(const XtfCollectWatch *watch, const XtfWireProcess *process, int64_t *status);
