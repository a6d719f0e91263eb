/*
 * Work in a child process, for libraries that damaged input can bring down.
 *
 * The child does the work and hands back a result; the parent relays progress, and ends the child when the user
 * cancels, when it dies, and when it computes for long without getting anywhere.
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
    _Atomic uint64_t heartbeat;                         /* grows as long as the work advances */
    _Atomic uint32_t per_million;                       /* done */
    _Atomic uint64_t busy_with[XTF_SUPERVISED_WORKERS]; /* what each thread of the child works on, plus 1; 0: nothing */
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
    unsigned stall_seconds; /* of computing without a heartbeat, after which the child is taken to hang; 0: 60 */
} XtfSupervision;

/* Adds to `suspects` (of uint64_t) what the child was busy with if it died or hung: then the error is
 * XTF_ERROR_DAMAGED. */
GVariant *xtf_supervise(const XtfSupervision *supervision, GArray *suspects, GError **error);
