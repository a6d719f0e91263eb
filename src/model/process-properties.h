/*
 * What the parts of a recorded trace say of their processes: how these ended, that records end before them, and what
 * is not recorded.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/handles.h"

typedef struct {
    uint32_t proc;
    char *why; /* "2026-01-01 12:00:00 UTC: run.xtf.d/000003.xtf: cannot write: No space left on device" */
} XtfEarlyEnd;

/* A property of a process: a row of `definition_properties` that is of a process. */
typedef struct {
    uint32_t proc;
    char *text;
} XtfProcessProperty;

/* Those of this name, of XtfProcessProperty, in the order of the table; empty: there are none. The caller unrefs the
 * array. NULL with an error. */
GArray *xtf_process_properties(XtfTrace *trace, const char *name, GError **error);

/* Of XtfEarlyEnd, in the order of the table; empty: there are none. The caller unrefs the array. NULL with an error. */
GArray *xtf_early_ends(XtfTrace *trace, GError **error);

/* What is not recorded of a process, as bits of a set. */
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

/* The words of XTF_RECORD_MISSING, by XtfMissing. */
extern const char *const xtf_missing_words[XTF_N_MISSING];
/* The set that a property's text means; words that are not known mean nothing. */
unsigned xtf_missing_parse(const char *text);
/* The union of the sets of all processes; 0 of a trace that says nothing. */
bool xtf_missing_of(XtfTrace *trace, unsigned *missing, GError **error);
/* "OpenMP (libgomp is loaded), locks of threads (xtf record --locks)"; NULL: nothing is missing. The caller frees
 * it. */
char *xtf_missing_text(unsigned missing);
