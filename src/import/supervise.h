/*
 * Work in a child process, for libraries that damaged input can bring down.
 *
 * The child does the work and sends a result; the parent relays progress, and kills the child when the user cancels or
 * when it computes for long without a sign of progress.
 */
#pragma once

#include <glib.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    XTF_SUPERVISED_WORKERS = 256,
};

/* Shared by both processes; the child writes. */
typedef struct {
    _Atomic uint64_t events;
    _Atomic uint64_t heartbeat;                         /* grows while the work advances */
    _Atomic uint32_t per_million;                       /* done */
    _Atomic uint64_t busy_with[XTF_SUPERVISED_WORKERS]; /* the location that a thread reads, plus 1; 0: none */
} XtfSupervised;

/* In the child. The result is any GVariant; NULL: failed. It may start threads, and must have ended them on return. */
typedef GVariant *(*XtfSupervisedWork)(XtfSupervised *shared, void *data, GError **error);

typedef struct {
    XtfSupervisedWork work;
    void *data;
    const GVariantType *type;                                   /* of the result */
    atomic_bool *cancel;                                        /* may be NULL */
    void (*progress)(uint64_t events, double done, void *data); /* may be NULL */
    void *progress_data;
    const char *subject;    /* who dies or hangs, in messages; NULL: the reader of an archive, which is damaged */
    unsigned stall_seconds; /* of computing without a heartbeat, after which the child is taken to hang; 0: 60 */
} XtfSupervision;

/* If the child died or hung, the error is XTF_ERROR_DAMAGED, and `suspects` (of uint64_t) gets the locations that it
 * was reading. */
GVariant *xtf_supervise(const XtfSupervision *supervision, GArray *suspects, GError **error);
