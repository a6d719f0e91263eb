/*
 * Which MPI a command uses.
 */
#pragma once

#include "src/record/launch/program/mpi.h"

/* What was found out about a command. */
typedef struct {
    XtfMpi mpi;
    XtfMpi launcher_mpi; /* XTF_MPI_UNKNOWN: there is no launcher, or it starts programs of any MPI */
    bool has_launcher;   /* the command has one */
    bool runs_others;    /* the program is a script, a shell or the like: what it starts is not known */
    int launcher;        /* the number of the argument that is the launcher; 0 without */
    int program;         /* the number of the argument that is the program; `launcher` with a launcher: not found */
    char *file;          /* the program's; NULL: not found */
    char *reason;        /* why it is this MPI: "./app needs libmpi.so.40" */
} XtfCommand;

/* Whether this process was started by a launcher as one of several; *rank is its number, as far as the environment
 * says, else UINT32_MAX. */
bool xtf_mpi_is_rank(guint32 *rank);

/*
 * Looks at a command: at the libraries that its program needs, then at its launcher, then at the environment. `mpi` is
 * what the user says, or XTF_MPI_UNKNOWN. Nothing is run but `LAUNCHER --version`.
 *
 * XTF_ERROR_NOT_FOUND if there is no such program; _INVALID if it may not be run, or needs another MPI than `mpi`;
 * _UNSUPPORTED if nothing can be loaded into it, or its MPI is linked into it; the messages say what to do.
 */
bool xtf_command_look(char **argv, XtfMpi mpi, XtfCommand *command, GError **error);
void xtf_command_finish(XtfCommand *command);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfCommand, xtf_command_finish)
