/*
 * Runs work in a child process, for libraries that crash on damaged input.
 *
 * The child does the work and sends a result. The parent reports progress. It kills the child when the user cancels, or
 * when the child has used stall_seconds of CPU time without a heartbeat.
 */
#pragma once

#include <glib.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    XTF_SUPERVISED_WORKERS = 256,
};

/* Memory that both processes map; the child writes it. */
typedef struct {
    _Atomic uint64_t events;
    _Atomic uint64_t heartbeat;                         /* a counter that the child increments as its work advances */
    _Atomic uint32_t per_million;                       /* share of the work that is done */
    _Atomic uint64_t busy_with[XTF_SUPERVISED_WORKERS]; /* by thread: the location that it reads, plus 1; 0: none */
} XtfSupervised;

/* Called in the child. Returns any GVariant; NULL with an error. The work must end the threads that it starts. */
typedef GVariant *(*XtfSupervisedWork)(XtfSupervised *shared, void *data, GError **error);

typedef struct {
    XtfSupervisedWork work;
    void *data;
    const GVariantType *type;                                   /* of the result */
    atomic_bool *cancel;                                        /* may be NULL */
    void (*progress)(uint64_t events, double done, void *data); /* may be NULL */
    void *progress_data;
    const char *subject;    /* of messages on a crash, a kill or a hang; NULL: the reader of the archive */
    unsigned stall_seconds; /* of CPU time without a heartbeat, after which the child counts as hung; 0: 60 */
} XtfSupervision;

/* Runs the work and returns its result; NULL with an error. If the child crashed or hung, the error is
 * XTF_ERROR_DAMAGED, and the locations that it was reading are added to `suspects` (of uint64_t). */
GVariant *xtf_supervise(const XtfSupervision *supervision, GArray *suspects, GError **error);
