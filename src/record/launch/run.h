/*
 * Running the program that is recorded.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

/*
 * Runs a command and waits for its end; *status is its exit status, or 128 and the signal that ended it. Signals that
 * would end this process go to the command, those from the keyboard by themselves; this process goes on waiting.
 *
 * XTF_ERROR_IO if it cannot be run, or its end is not told.
 */
bool xtf_run(char **argv, char **environment, int *status, GError **error);

/* Becomes the command; returns only if it cannot be run, with the error. */
void xtf_become(char **argv, char **environment, GError **error);
