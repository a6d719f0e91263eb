/*
 * What `xtf record` is about to do: which program, which modules, which folders.
 */
#pragma once

#include "src/record/launch/environment.h"

typedef struct {
    XtfCommand command;
    bool inside;   /* a launcher has started us as one of its processes: the program takes our place */
    guint32 rank;  /* of these; G_MAXUINT32: not known */
    bool told_mpi; /* the user said which MPI it is */
    bool first;    /* of these the one that speaks for all; true outside of a launcher */
    char *output;  /* the trace to write; inside of a launcher the folder of parts, absolute */
    char *module, *job, *folder, *gather, *host;
    char **variables; /* to set */
    char *passed_on;  /* one more to set (xtf_record_pass_on()); NULL: none */
    char **argv;      /* to run: the user's, or a vector of our own (`own_argv`) */
    char **own_argv;
} XtfRecordPlan;

/* Makes a plan, and nothing else. `output` is NULL by default, `mpi` XTF_MPI_UNKNOWN. `argv` must last. Errors are
 * those of xtf_command_look() and xtf_mpi_module(). */
bool xtf_record_plan(char **argv, const char *output, XtfMpi mpi, const XtfRecordOptions *options, XtfRecordPlan *plan,
                     GError **error);
void xtf_record_plan_finish(XtfRecordPlan *plan);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfRecordPlan, xtf_record_plan_finish)

/* Makes the folders. Without `replace`, XTF_ERROR_INVALID if the trace, or the parts of another run, are there
 * already. */
bool xtf_record_prepare(const XtfRecordPlan *plan, bool replace, GError **error);

/* Whether the trace that a plan outside of a launcher names may be written, now; else XTF_ERROR_INVALID. */
bool xtf_record_may_write(const XtfRecordPlan *plan, bool replace, GError **error);

/* The environment of the command. The caller frees it with g_strfreev(). */
char **xtf_record_plan_environment(const XtfRecordPlan *plan);
/* The plan as commands for a shell. The caller frees it. */
char *xtf_record_plan_text(const XtfRecordPlan *plan);
/* What the user should know before it begins, as lines, to be freed with g_strfreev(). */
char **xtf_record_plan_warnings(const XtfRecordPlan *plan);
