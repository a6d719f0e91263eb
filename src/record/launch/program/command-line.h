/*
 * The command that is recorded: its launcher, such as mpirun, and the program that this starts.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* Whether a word names a launcher of MPI programs: "mpirun", "/opt/bin/mpiexec.hydra", "srun", or a link to one. */
bool xtf_is_launcher(const char *word);

/* The number of the word that is the command itself, which may stand behind others that run it: env, nice, timeout and
 * the like; 0 without these. */
int xtf_find_command(char **argv);

/* The number of the argument that is the program which a launcher starts, or the first of several; 0 if none of the
 * arguments names a program. argv[0] is the launcher. Options are told from their values by a list of those that take
 * some, and what names no program is passed over, so that an unknown option does no harm. */
int xtf_find_program(char **argv);

/* The file that a name stands for, by the rules of execvp(); NULL: there is none that can be run. The caller frees
 * it. */
char *xtf_find_executable(const char *name);

/* The program that the kernel runs for a file: the file itself, or the interpreter that its first line names ("#!"),
 * that of env(1) looked up. NULL if there is none, with XTF_ERROR_NOT_FOUND. *is_script: it was a script. */
char *xtf_find_interpreter(const char *file, bool *is_script, GError **error);

/* Whether a file is a script, or runs what its arguments say: a shell, Python. What it starts cannot be known. */
bool xtf_runs_others(const char *file);

/* The file behind all links; NULL: there is none. The caller frees it. */
char *xtf_real_path(const char *path);
