/*
 * What the parts of a recorded trace say of their processes: how these ended, that records end before them, and what
 * is not recorded. The forms of these properties are declared here, for those who write them and those who read them.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/handles.h"

/* ---- XTF_RECORD_END: how a process ended (docs/RECORD.md). */

#define XTF_RECORD_END "record.end"

typedef enum {
    XTF_END_UNKNOWN,          /* "unknown": nobody saw it */
    XTF_END_COLLECTOR,        /* "the collector was told to end": before the process */
    XTF_END_FINALIZED,        /* "finalized": by MPI_Finalize; its status is 0, or was not seen */
    XTF_END_EXITED,           /* "exited": it had no MPI */
    XTF_END_WITHOUT_FINALIZE, /* "exited without MPI_Finalize" */
    XTF_END_STATUS,           /* "status N" */
    XTF_END_KILLED,           /* "killed by signal N" */
    XTF_N_END_KINDS,
} XtfEndKind;

/* The text of the property. `number`: N, where there is one. The caller frees it. */
char *xtf_end_text(XtfEndKind how, int64_t number);
/* What a text means. False: nothing that is known; then *how and *number are UNKNOWN and 0. */
bool xtf_end_parse(const char *text, XtfEndKind *how, int64_t *number);
/* Whether the end is one of a run that failed. */
bool xtf_end_is_failure(XtfEndKind how);

typedef struct {
    uint32_t proc;
    XtfEndKind how;
    int64_t number; /* the status; of the signal; else 0 */
} XtfStatedEnd;

/* What is stated of processes: of XtfStatedEnd, in the order of the table; empty: nothing is. The caller unrefs the
 * array. NULL with an error. */
GArray *xtf_stated_ends(XtfTrace *trace, GError **error);

/* ---- XTF_RECORD_ENDED_EARLY: of a process whose records end before it, since when, and why. */

#define XTF_RECORD_ENDED_EARLY "record.ended_early"

typedef struct {
    uint32_t proc;
    char *why; /* "2026-01-01 12:00:00 UTC: run.xtf.d/000003.xtf: cannot write: No space left on device" */
} XtfEarlyEnd;

/* Of XtfEarlyEnd, in the order of the table; empty: there are none. The caller unrefs the array. NULL with an error. */
GArray *xtf_early_ends(XtfTrace *trace, GError **error);

/* ---- XTF_RECORD_LOST and its kin: numbers of records that a process made and its part lacks. */

#define XTF_RECORD_LOST         "record.lost"
#define XTF_RECORD_DROPPED      "record.dropped"
#define XTF_RECORD_WITHOUT_RING "record.without_ring"

typedef struct {
    uint32_t n_stated; /* processes that state XTF_RECORD_LOST, 0 included */
    bool any;          /* a process states a number above 0 */
} XtfStatedLosses;

/* Reads which processes state losses. Fails with an error if the table of properties cannot be read. */
bool xtf_stated_losses(XtfTrace *trace, XtfStatedLosses *losses, GError **error);

/* ---- XTF_RECORD_MISSING: what is not recorded of a process, as words with blanks between. */

#define XTF_RECORD_MISSING "record.missing"

/* Bits of a set, and words: xtf_missing_words. */
typedef enum {
    XTF_MISSING_LIBGOMP, /* the runtime of OpenMP that is loaded */
    XTF_MISSING_LIBOMP,
    XTF_MISSING_LIBIOMP5,
    XTF_MISSING_TEAMS,     /* that runtime has created threads */
    XTF_MISSING_LOCKS,     /* the program has created threads, and their locks are not recorded */
    XTF_MISSING_FUNCTIONS, /* no function was instrumented */
    XTF_N_MISSING,
} XtfMissing;
#define XTF_MISSING_BIT(MISSING) (1u << (MISSING))
#define XTF_MISSING_RUNTIMES     (XTF_MISSING_BIT(XTF_MISSING_TEAMS) - 1)

/* The text of the property; NULL: nothing is missing. The caller frees it. */
char *xtf_missing_words_of(unsigned missing);
/* The set that a text means; words that are not known mean nothing. */
unsigned xtf_missing_parse(const char *text);

typedef struct {
    uint32_t proc;
    unsigned missing;
} XtfStatedMissing;

/* What is stated of processes: of XtfStatedMissing, in the order of the table; empty: nothing is. The caller unrefs the
 * array. NULL with an error. */
GArray *xtf_stated_missing(XtfTrace *trace, GError **error);
/* The union of the sets of all processes; 0 of a trace that says nothing. */
bool xtf_missing_of(XtfTrace *trace, unsigned *missing, GError **error);
/* "OpenMP (libgomp is loaded), locks of threads (xtf record --locks)"; NULL: nothing is missing. The caller frees
 * it. */
char *xtf_missing_text(unsigned missing);
