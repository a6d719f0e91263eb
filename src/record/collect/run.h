/*
 * `xtf collect`: reads the rings of one traced process until it ends, and writes its part.
 */
#pragma once

#include <stdbool.h>

typedef struct {
    int memory;         /* the process's memory */
    int process;        /* a pidfd of the process; -1: there is none */
    int socket;         /* its other end is the process's; -1: there is none */
    const char *folder; /* of parts */
} XtfCollectOptions;

/* Returns when the process has ended, or when SIGTERM, SIGINT or SIGHUP came: the process goes on then, unrecorded.
 * False if not all could be written, which was told by g_warning(): stderr is the log that goes with the part. What
 * could be written is in the part. Descriptors stay the caller's. */
bool xtf_collect_run(const XtfCollectOptions *options);
