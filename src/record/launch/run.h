/*
 * Running the program that is recorded.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

/*
 * Runs a command and waits for its end. *status is its exit status, or 128 plus the signal that ended it. Signals that
 * would end this process are passed on to the command; the keyboard's reach it directly. This process keeps waiting.
 *
 * XTF_ERROR_IO if the command cannot be run, or its status cannot be read.
 */
bool xtf_run(char **argv, char **environment, int *status, GError **error);

/* Replaces this process by the command. Returns only on failure, with the error. */
void xtf_exec(char **argv, char **environment, GError **error);
