/*
 * A collector at work: its process's memory, its part, and what it does in each round.
 */
#pragma once

#include "src/record/collect/calibrate.h"
#include "src/record/collect/memory.h"
#include "src/record/collect/part.h"
#include "src/record/collect/rows/collect.h"
#include "src/record/collect/rows/process.h"
#include "src/record/collect/run.h"
#include "src/record/collect/watch.h"
#include "src/record/nanoseconds.h"

/* What a ring held before the process's number was known. */
typedef struct {
    GByteArray *records; /* NULL: nothing */
} XtfCollectEarly;

typedef struct {
    const XtfCollectOptions *options;
    int folder; /* of parts, open; -1: it could not be opened */
    XtfCollectMemory memory;
    XtfCollectWatch watch;
    XtfCollectProgram program;
    XtfCollectCalibration calibration;
    XtfCollectClock clock; /* its source; the rest when the part is made */
    XtfCollector collector;
    XtfCollectPart part;
    bool has_mpi;           /* the process has a library of MPI */
    const char *openmp;     /* the runtime of OpenMP that the process has; NULL: none was seen */
    bool begun;             /* the part was made, or could not be */
    GError *failure;        /* why nothing more is written; NULL: all is well */
    char *failed_at;        /* when that was, in words */
    uint64_t kept;          /* records that the last commit has */
    XtfCollectRing **rings; /* by number; NULL: it has no records yet */
    XtfCollectEarly *early; /* by number */
    uint64_t n_early;       /* bytes */
    uint32_t n_rings;       /* that were looked at */
    uint64_t largest;       /* bytes that a ring had in this round, the most */
    uint64_t committed;     /* when: nanoseconds of CLOCK_MONOTONIC */
    uint64_t started;       /* the same */
    uint64_t ended;         /* reading of the process's clock when its end was seen; 0: it was not yet */
    char *marker;           /* file that says that part and log are still to come; NULL: there is none */
} XtfCollectSession;

/* The session is to be finished also if that fails. */
bool xtf_collect_session_init(XtfCollectSession *session, const XtfCollectOptions *options, GError **error);
void xtf_collect_session_finish(XtfCollectSession *session);

/* Part and log are where they belong, or will not come. */
void xtf_collect_remove_marker(XtfCollectSession *session);

/* Nothing more can be written: the error, which is taken, is told if it is the first one. Records are counted from here
 * on, and the process never waits for them. */
void xtf_collect_fail(XtfCollectSession *session, GError *error);

/* The records that were decoded so far. */
uint64_t xtf_collect_decoded(const XtfCollectSession *session);
/* Closes a part to which nothing more could be written, from its last commit on, with what is to be said of it. */
void xtf_collect_close_early(XtfCollectSession *session, const char *end);
/* Says of the process what was counted, and how it ended; and what people should know. */
void xtf_collect_tell(XtfCollectSession *session, const char *end);

/* Takes what all rings have. False if there was nothing. */
bool xtf_collect_round(XtfCollectSession *session);
/* Commits, and tells followers that all before `reading`, of the process's clock, is there; 0: nothing is promised. */
void xtf_collect_commit(XtfCollectSession *session, uint64_t reading);
/* Makes the part, if the number that it has its name from is known; `now`: it takes a number if not. */
void xtf_collect_begin(XtfCollectSession *session, bool now);
/* Closes the part. `end` says how the process ended. */
bool xtf_collect_close(XtfCollectSession *session, const char *end, int64_t exit_status, GError **error);
