/*
 * Whether the traced process is still there, and how it ended.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/record/wire.h"

typedef struct {
    int memory, process, socket; /* descriptors, borrowed; -1: there is none */
    int32_t pid;
    bool closed;    /* the process has closed its end of the socket, and lives */
    int64_t looked; /* when it was looked for the memory: microseconds of g_get_monotonic_time() */
} XtfCollectWatch;

/* Whether nothing more will be recorded: the process has ended, or runs another program. */
bool xtf_collect_has_ended(XtfCollectWatch *watch);

/* A thread that wakes who sleeps on the futex `wake`, and adds 1 to it, when there may be something for
 * xtf_collect_has_ended() to see. Without it (NULL: no thread can be had) the end is seen when the sleep is over. */
typedef struct XtfCollectSentry XtfCollectSentry;
XtfCollectSentry *xtf_collect_sentry_new(const XtfCollectWatch *watch, _Atomic uint32_t *wake);
void xtf_collect_sentry_free(XtfCollectSentry *sentry);

/* Whether the process has a library of MPI in memory: its rank will be known then. */
bool xtf_collect_has_mpi(int32_t pid);

/* The runtime of OpenMP that the process has in memory (openmp.h); NULL: none. */
const char *xtf_collect_openmp(int32_t pid);

/* How it ended, in words; *status is its exit status, 0 if that is not known. The caller frees it. */
char *xtf_collect_end(const XtfCollectWatch *watch, const XtfWireProcess *process, int64_t *status);
