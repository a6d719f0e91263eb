/*
 * `xtf collect`: reads the rings of one traced process until it ends, and writes its part.
 */
#pragma once

#include <stdbool.h>

typedef struct {
    int memory;         /* memory shared with the process */
    int process;        /* a pidfd of the process; -1: there is none */
    int socket;         /* the process holds its other end; -1: there is none */
    const char *folder; /* of parts */
} XtfCollectOptions;

/* Collects until the process ends, or until SIGTERM, SIGINT or SIGHUP; then the process continues unrecorded. Returns
 * false if some records could not be written: g_warning() has reported so on stderr, the log of the part. The part has
 * the records that were written. The caller closes the descriptors. */
bool xtf_collect_run(const XtfCollectOptions *options);
