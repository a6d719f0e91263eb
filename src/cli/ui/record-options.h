/*
 * The options of `xtf record`, from one table: on the command line --NAME, in the environment XTF_RECORD_NAME.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "src/record/launch/environment.h"

/* The options that a user gave, parsed. Texts live until xtf_cli_record_finish(). */
typedef struct {
    XtfRecordOptions record;
    XtfMpi mpi;
    const char *output; /* NULL: not given */
    bool force, keep_parts, dry_run, quiet;
    bool names;            /* find names in a trace, instead of running a program */
    const char *debug_dir; /* folder with debug information; NULL: not given */

    char **texts;        /* by row of the table, NULL: not given */
    gboolean *switches;  /* by row of the table */
    bool *from_variable; /* by row of the table */
    char *filter;        /* absolute path */
    char *calls;         /* of XtfRecordOptions */
} XtfCliRecord;

/* Parses a command's arguments as xtf_cli_parse() does. Reads options that were not given from the environment, and
 * removes their variables from it. Returns false after a message if something is wrong. */
bool xtf_cli_record_parse(int *argc, char ***argv, const char *summary, XtfCliRecord *options);
void xtf_cli_record_finish(XtfCliRecord *options);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfCliRecord, xtf_cli_record_finish)

/* Returns a sentence for each variable XTF_RECORD_... that names no option. The caller frees them with g_strfreev(). */
char **xtf_cli_record_unknown_variables(void);
