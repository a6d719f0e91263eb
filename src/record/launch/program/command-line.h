/*
 * The recorded command: its launcher, such as mpirun, and the program that the launcher starts.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* True if a word names a launcher of MPI programs: "mpirun", "/opt/bin/mpiexec.hydra", "srun", or a link to one. */
bool xtf_is_launcher(const char *word);

/* Returns the index of the command itself, after commands that run it, such as env and timeout; 0 without them. */
int xtf_find_command(char **argv);

/* Returns the index of the program that a launcher, argv[0], starts, or of the first of several. Returns 0 if no
 * argument names a program. Values of options are skipped by a list of options that have values. Words that name no
 * program are skipped, too, so unknown options do no harm. */
int xtf_find_program(char **argv);

/* Returns the executable file of a name, by the rules of execvp(); NULL if there is none. The caller frees it. */
char *xtf_find_executable(const char *name);

/* Returns the program that the kernel runs for a file: the file, or the interpreter of its first line ("#!"), or the
 * interpreter that env(1) runs. Sets *is_script for a script. NULL with XTF_ERROR_NOT_FOUND if the interpreter does not
 * exist. The caller frees it. */
char *xtf_find_interpreter(const char *file, bool *is_script, GError **error);

/* True if a file is a script, a shell or an interpreter such as Python. The programs that it starts are unknown. */
bool xtf_runs_others(const char *file);

/* Returns the path behind all links; NULL if there is none. The caller frees it. */
char *xtf_real_path(const char *path);
