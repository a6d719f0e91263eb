/*
 * State of a collector: its process's memory, its part, and the steps of a round.
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

/* Records taken from a ring before the process's number was known. */
typedef struct {
    GByteArray *records; /* NULL: nothing */
} XtfCollectEarly;

typedef struct {
    const XtfCollectOptions *options;
    int folder; /* descriptor of the folder of parts; -1: opening failed */
    XtfCollectMemory memory;
    XtfCollectWatch watch;
    XtfCollectProgram program;
    XtfCollectCalibration calibration;
    XtfCollectClock clock; /* only the source is set until the part is created */
    XtfCollector collector;
    XtfCollectPart part;
    bool has_mpi;           /* the process has an MPI library */
    const char *openmp;     /* the process's OpenMP runtime; NULL: none seen */
    bool begun;             /* creating the part was tried */
    GError *failure;        /* the error that ended writing; NULL: none */
    char *failed_at;        /* time of the failure, as text */
    uint64_t kept;          /* records in the last commit */
    XtfCollectRing **rings; /* by ring number; NULL: no records yet */
    XtfCollectEarly *early; /* by ring number */
    uint64_t n_early;       /* bytes of records in all of `early` */
    uint32_t n_rings;       /* rings read in the last round */
    uint64_t largest;       /* bytes in the fullest ring of this round */
    uint64_t committed;     /* time of the last commit, ns of CLOCK_MONOTONIC */
    uint64_t started;       /* ns of CLOCK_MONOTONIC: start, or last look for MPI */
    uint64_t ended;         /* reading of the process's clock when its end was seen; 0: not yet */
    char *marker;           /* file that announces the part and log; NULL: none */
} XtfCollectSession;

/* Initialises the session. The caller must call xtf_collect_session_finish() even after a failure. */
bool xtf_collect_session_init(XtfCollectSession *session, const XtfCollectOptions *options, GError **error);
void xtf_collect_session_finish(XtfCollectSession *session);

/* Removes the marker: part and log are delivered, or never will be. */
void xtf_collect_remove_marker(XtfCollectSession *session);

/* Ends writing after an error. Takes ownership of `error` and reports only the first. Later records are counted as
 * lost, and the process never waits for them. */
void xtf_collect_fail(XtfCollectSession *session, GError *error);

/* Returns the number of records decoded so far. */
uint64_t xtf_collect_decoded(const XtfCollectSession *session);
/* Closes a part whose writing failed, at its last commit, with remarks on what is missing. */
void xtf_collect_close_early(XtfCollectSession *session, const char *end);
/* Writes the process's thread level as a property, if it is known. */
void xtf_collect_set_level(XtfCollectSession *session);
/* Writes the process's counts and how it ended as properties, and adds remarks. */
void xtf_collect_add_summary(XtfCollectSession *session, const char *end);

/* Takes the records of all rings. Returns false if there were none. */
bool xtf_collect_round(XtfCollectSession *session);
/* Commits, and reports times before `reading` (of the process's clock) as complete; 0: reports none. */
void xtf_collect_commit(XtfCollectSession *session, uint64_t reading);
/* Creates the part if the process's number is known; with `now`, under a free number if it is not. */
void xtf_collect_begin(XtfCollectSession *session, bool now);
/* Closes the part. `end` says how the process ended. */
bool xtf_collect_close(XtfCollectSession *session, const char *end, int64_t exit_status, GError **error);
