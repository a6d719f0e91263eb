/*
 * Finds out which MPI a command uses.
 */
#pragma once

#include "src/record/launch/program/mpi.h"

/* Description of a command. */
typedef struct {
    XtfMpi mpi;
    XtfMpi launcher_mpi; /* XTF_MPI_UNKNOWN: no launcher, or a launcher for any MPI */
    bool has_launcher;
    bool runs_others; /* the program is a script, a shell or similar: it may start unknown programs */
    int launcher;     /* index of the launcher in argv; 0 without a launcher */
    int program;      /* index of the program in argv; equals `launcher` if a launcher's program was not found */
    char *file;       /* file of the program; NULL: not found */
    char *reason;     /* reason for `mpi`, such as "./app needs libmpi.so.40" */
} XtfCommand;

/* True if a launcher started this process as one of several. *rank is its rank from the environment; UINT32_MAX if
 * unknown. */
bool xtf_mpi_is_rank(guint32 *rank);

/*
 * Examines a command. The first of these that shows the MPI decides: `mpi`, the program's libraries, the launcher, the
 * environment. `mpi` is the user's choice, or XTF_MPI_UNKNOWN. Runs only `LAUNCHER --version`.
 *
 * XTF_ERROR_NOT_FOUND if the program does not exist. XTF_ERROR_INVALID if it is not executable, or needs another MPI
 * than `mpi`. XTF_ERROR_UNSUPPORTED if no library can be loaded into it, or its MPI is linked statically. The messages
 * say what to do.
 */
bool xtf_command_examine(char **argv, XtfMpi mpi, XtfCommand *command, GError **error);
void xtf_command_finish(XtfCommand *command);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfCommand, xtf_command_finish)
