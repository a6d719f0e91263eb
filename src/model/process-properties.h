/*
 * Properties of the processes of a recorded trace: how they ended, whether their records end early, and which events
 * are missing. The writers and the readers of a property share its form, which is declared here.
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

/* Returns the text of the property. `number` is N, in texts that have one. The caller frees the text. */
char *xtf_end_text(XtfEndKind kind, int64_t number);
/* Parses a text. False: the text is unknown; *kind and *number are then UNKNOWN and 0. */
bool xtf_end_parse(const char *text, XtfEndKind *kind, int64_t *number);
/* True if the end is that of a failed run. */
bool xtf_end_is_failure(XtfEndKind kind);

typedef struct {
    uint32_t proc;
    XtfEndKind kind;
    int64_t number; /* the exit status N, or the number N of the signal; else 0 */
} XtfStatedEnd;

/* Returns an array of XtfStatedEnd, in the order of the table; it may be empty. The caller unrefs the array. NULL with
 * an error. */
GArray *xtf_stated_ends(XtfTrace *trace, GError **error);

/* ---- XTF_RECORD_ENDED_EARLY: since when a process has no records, and why. */

#define XTF_RECORD_ENDED_EARLY "record.ended_early"

typedef struct {
    uint32_t proc;
    char *reason; /* "2026-01-01 12:00:00 UTC: run.xtf.d/000003.xtf: cannot write: No space left on device" */
} XtfEarlyEnd;

/* Returns an array of XtfEarlyEnd, in the order of the table; it may be empty. The caller unrefs the array. NULL with
 * an error. */
GArray *xtf_early_ends(XtfTrace *trace, GError **error);

/* ---- XTF_RECORD_LEFT_OUT: "1" for a process that the user has not selected. */

#define XTF_RECORD_LEFT_OUT "record.left_out"

/* Finds whether any process has this property. */
bool xtf_any_process_states(XtfTrace *trace, const char *name, bool *any, GError **error);

/* ---- XTF_RECORD_THREAD_LEVEL: the thread level that MPI provided, and the thread that called MPI_Init:
 * "MPI_THREAD_FUNNELED, main thread 0". Empty: a session may have another level. */

#define XTF_RECORD_THREAD_LEVEL "record.thread_level"

typedef enum {
    XTF_LEVEL_UNKNOWN,
    XTF_LEVEL_SINGLE,
    XTF_LEVEL_FUNNELED,
    XTF_LEVEL_SERIALIZED,
    XTF_LEVEL_MULTIPLE,
    XTF_N_LEVELS,
} XtfThreadLevel;

typedef struct {
    uint32_t proc;
    XtfThreadLevel level;
    uint32_t main; /* number of the main thread; UINT32_MAX: unknown */
} XtfStatedLevel;

/* Returns the text of the property; NULL for an unknown level. The caller frees the text. */
char *xtf_thread_level_text(XtfThreadLevel level, uint32_t main_thread);
/* Parses a text. An unknown text is an unknown level. */
void xtf_thread_level_parse(const char *text, XtfThreadLevel *level, uint32_t *main_thread);
/* Returns an array of XtfStatedLevel, in the order of the table; it may be empty. The caller unrefs the array. NULL
 * with an error. */
GArray *xtf_stated_levels(XtfTrace *trace, GError **error);

/* ---- XTF_RECORD_LOST, _DROPPED, _WITHOUT_RING: numbers of records that a process made and its part lacks. */

#define XTF_RECORD_LOST         "record.lost"
#define XTF_RECORD_DROPPED      "record.dropped"
#define XTF_RECORD_WITHOUT_RING "record.without_ring"

typedef struct {
    uint32_t n_stated; /* processes that state XTF_RECORD_LOST, 0 included */
    bool any;          /* a process states a number above 0 */
} XtfStatedLosses;

/* Reads which processes state losses. Fails with an error if the table of properties cannot be read. */
bool xtf_stated_losses(XtfTrace *trace, XtfStatedLosses *losses, GError **error);

/* ---- XTF_RECORD_MISSING: the kinds of events that are not recorded of a process, as words between blanks. */

#define XTF_RECORD_MISSING "record.missing"

/* The kinds of missing events, as bits of a set. */
typedef enum {
    XTF_MISSING_LIBGOMP, /* the loaded runtime of OpenMP */
    XTF_MISSING_LIBOMP,
    XTF_MISSING_LIBIOMP5,
    XTF_MISSING_TEAMS,     /* the runtime of OpenMP has created threads */
    XTF_MISSING_LOCKS,     /* the program has created threads, and their locks are not recorded */
    XTF_MISSING_FUNCTIONS, /* the recorder saw no function or region of the program */
    XTF_N_MISSING,
} XtfMissing;
#define XTF_MISSING_BIT(MISSING) (1u << (MISSING))
#define XTF_MISSING_RUNTIMES     (XTF_MISSING_BIT(XTF_MISSING_TEAMS) - 1)

/* Returns the text of the property; NULL if the set is empty. The caller frees the text. */
char *xtf_missing_words_of(unsigned missing);
/* Parses the text of a property to a set; ignores unknown words. */
unsigned xtf_missing_parse(const char *text);

typedef struct {
    uint32_t proc;
    unsigned missing;
} XtfStatedMissing;

/* Returns an array of XtfStatedMissing, in the order of the table; it may be empty. The caller unrefs the array. NULL
 * with an error. */
GArray *xtf_stated_missing(XtfTrace *trace, GError **error);
/* Computes the union of the sets of all processes; 0 if the trace has no such property. */
bool xtf_missing_of(XtfTrace *trace, unsigned *missing, GError **error);
/* Describes a set: "OpenMP (libgomp is loaded), locks of threads (xtf record --locks)". NULL: the set is empty. The
 * caller frees the text. */
char *xtf_missing_text(unsigned missing);

/* ---- XTF_RECORD_PROBES: what recording costs a process, "ENTER=8ns,LEAVE=9ns" (src/analysis/compensate/probes.h). */

#define XTF_RECORD_PROBES "record.probes"

typedef struct {
    uint32_t proc;
    char *costs;
} XtfStatedProbes;

/* Returns an array of XtfStatedProbes, in the order of the table; it may be empty. The caller unrefs the array. NULL
 * with an error. */
GArray *xtf_stated_probes(XtfTrace *trace, GError **error);

/* ---- XTF_RECORD_HOST, _AFFINITY: the host of a process, and the CPUs on which it might run ("0-3,8").
 * XTF_RECORD_WORLD_SIZE: number of processes in its MPI_COMM_WORLD; "0" without MPI. */

#define XTF_RECORD_HOST       "record.host"
#define XTF_RECORD_AFFINITY   "record.affinity"
#define XTF_RECORD_WORLD_SIZE "record.world_size"

/* CPUs of a host that more processes share than there are CPUs. */
typedef struct {
    char *host, *cpus;        /* `cpus`: affinity of a process, as it is stated */
    uint32_t n_procs, n_cpus; /* processes that may run on no other CPUs; number of these CPUs */
} XtfSharedCpus;

/* Finds hosts on which MPI processes cannot all have a CPU at one time. Returns an array of XtfSharedCpus with an
 * element for each such host, that of the most processes a CPU; it may be empty. The caller unrefs the array. NULL with
 * an error. */
GArray *xtf_shared_cpus(XtfTrace *trace, GError **error);
