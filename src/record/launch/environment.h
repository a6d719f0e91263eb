/*
 * The environment of a traced program: what the modules that are loaded into it are told.
 */
#pragma once

#include "src/record/launch/command.h"

/* The options of a recording. What is 0 or NULL is left to the modules. */
typedef struct {
    guint64 ring_size;     /* bytes, a power of two */
    guint64 drain;         /* seconds */
    const char *when_full; /* "wait", "drop" or "flush"; NULL: "wait" */
    bool all_calls, stack, locks;
    const char *filter; /* a file, absolute */
    const char *clock;  /* "tsc" or "monotonic" */
    const char *fsync;  /* seconds after which a part is brought to the disk, as digits; "0": at the end only */
    const char *brake;  /* calls in a row after which a tiny function is switched off, as digits; "0": never */
} XtfRecordOptions;

/* Where a job's parts go. */
typedef struct {
    const char *job;
    const char *folder; /* absolute */
    const char *gather; /* absolute: where parts are brought that lie on another host than `host`; NULL: they stay */
    const char *host;   /* NULL: all parts are brought to `gather` */
} XtfRecordPlace;

/* The variables to set, "NAME=VALUE"; LD_PRELOAD begins with what it was. The caller frees them with g_strfreev(). */
char **xtf_record_environment(const XtfRecordOptions *options, const XtfRecordPlace *place, const char *module);

/* What Open MPI needs to pass variables on to other hosts: the variable OMPI_MCA_mca_base_env_list, in *variable, or,
 * where the command has options -x, which exclude it, options -x of our own behind the launcher, in *argv, a new vector
 * whose words belong to the old one. The other one is NULL. The caller frees either, the vector with g_free(). */
void xtf_record_pass_on(char **command, int launcher, int program, char **variables, char **variable, char ***argv);
