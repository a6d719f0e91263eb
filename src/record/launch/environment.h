/*
 * The environment of a traced program, which configures the modules loaded into it.
 */
#pragma once

#include "src/record/launch/command.h"

/* The options of a recording. For 0 and NULL the modules use their defaults. */
typedef struct {
    guint64 ring_size;     /* bytes, a power of two */
    guint64 drain;         /* seconds that a process waits for a collector that frees no space */
    const char *when_full; /* "wait", "drop" or "flush"; NULL: "wait" */
    bool all_calls, stack, locks;
    const char *filter;     /* absolute path of a file */
    const char *calls;      /* numbers of functions of MPI that are wanted, with "-" that are not, between blanks */
    const char *clock;      /* source of time stamps: "tsc" or "monotonic" */
    const char *clock_sync; /* "off": no readings of other nodes' clocks */
    guint64 sync_every_ms;  /* time between such readings; 0: only at MPI_Init and MPI_Finalize */
    const char *fsync;      /* seconds between syncs of a part, as digits; "0": only at the end */
    guint64 rotate;         /* seconds after which a part begins a new volume; 0: never */
    guint64 keep;           /* earlier volumes to keep; 0: all */
    const char *sites;      /* frames of a call site, as digits; "0": no sites; NULL: one frame */
    bool start_off;         /* recording begins when the program says so */
    guint64 from_ms;        /* time at which recording begins; 0: at once */
    guint64 for_ms;         /* time after which recording ends; 0: with the program */
    const char *ranks;      /* "0-15,1024": ranks of MPI_COMM_WORLD to record; NULL: all */
    const char *brake;      /* calls in a row after which the brake stops a tiny function, as digits; "0": never */
} XtfRecordOptions;

/* Places of a job's parts. */
typedef struct {
    const char *job;
    const char *folder; /* absolute path of the folder in which parts are written */
    const char *gather; /* absolute path, to which other hosts than `host` move their parts; NULL: no moves */
    const char *host;   /* NULL: all hosts move their parts */
} XtfRecordPlace;

/* Returns the variables to set, as "NAME=VALUE". LD_PRELOAD keeps its old entries. The caller frees them with
 * g_strfreev(). */
char **xtf_record_environment(const XtfRecordOptions *options, const XtfRecordPlace *place, const char *module);

/* Makes Open MPI pass variables to other hosts, by one of two ways. Usually *variable is the setting of
 * OMPI_MCA_mca_base_env_list. The command's own options -x exclude that variable. Then *argv is a new vector with
 * further -x options, which borrows the words of the old vector. The other result is NULL. The caller frees the result,
 * the vector with g_free(). */
void xtf_record_pass_on(char **command, int launcher, int program, char **variables, char **variable, char ***argv);
