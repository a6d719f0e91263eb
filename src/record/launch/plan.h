/*
 * The plan of `xtf record`: program, modules and folders.
 */
#pragma once

#include "src/record/launch/environment.h"

typedef struct {
    XtfCommand command;
    bool inside;         /* a launcher started this process as a rank: the program replaces it */
    guint32 rank;        /* rank among the launcher's processes; G_MAXUINT32: unknown */
    bool has_mpi_option; /* the user gave --mpi */
    bool first;          /* this process speaks for all ranks; true outside of a launcher */
    char *output;        /* the trace; inside of a launcher the absolute path of the folder of parts */
    char *module, *job, *folder, *gather, *host;
    char **variables; /* environment variables to set, as NAME=VALUE */
    char *passed_on;  /* one more variable to set (xtf_record_pass_on()); NULL: none */
    char **argv;      /* vector to run: the user's, or `own_argv` */
    char **own_argv;
} XtfRecordPlan;

/* Makes a plan without any effect. `output` is NULL by default, `mpi` XTF_MPI_UNKNOWN. `argv` must outlive the plan.
 * Errors as of xtf_command_examine() and xtf_mpi_module(). */
bool xtf_record_plan(char **argv, const char *output, XtfMpi mpi, const XtfRecordOptions *options, XtfRecordPlan *plan,
                     GError **error);
void xtf_record_plan_finish(XtfRecordPlan *plan);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfRecordPlan, xtf_record_plan_finish)

/* Creates the folders. Without `replace`, XTF_ERROR_INVALID if the trace, or parts of another run, exist already. */
bool xtf_record_prepare(const XtfRecordPlan *plan, bool replace, GError **error);

/* Returns true if the plan's trace may be written now; else XTF_ERROR_INVALID. For plans outside of a launcher. */
bool xtf_record_may_write(const XtfRecordPlan *plan, bool replace, GError **error);

/* Returns the environment of the command. The caller frees it with g_strfreev(). */
char **xtf_record_plan_environment(const XtfRecordPlan *plan);
/* Returns the plan as shell commands. The caller frees it. */
char *xtf_record_plan_text(const XtfRecordPlan *plan);
/* Returns warnings to show before the run, as lines. The caller frees them with g_strfreev(). */
char **xtf_record_plan_warnings(const XtfRecordPlan *plan);
