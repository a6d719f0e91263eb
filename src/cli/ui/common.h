/* Functions that all commands share. */
#pragma once

#include <glib.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/world/world.h"

enum {
    XTF_EXIT_DONE = 0,
    XTF_EXIT_FAILED = 1, /* a message went to stderr */
    XTF_EXIT_USAGE = 2,
    XTF_EXIT_FOUND = 3, /* xtf deadlock found one */
};

enum { XTF_CLI_ANY = INT_MIN, XTF_CLI_COMMAND };

/* Parses a command's arguments, in place. Returns true if `n_arguments` are left besides options and the command's
 * name. Negative: at least -n_arguments; XTF_CLI_ANY: any number; XTF_CLI_COMMAND: a command with its arguments, at
 * which the options of xtf end. Else prints a message and returns false. --help prints and exits. `arguments` names the
 * arguments in the usage line. */
bool xtf_cli_parse(int *argc, char ***argv, int n_arguments, const char *arguments, const char *summary,
                   const GOptionEntry *entries);

/* Prints "xtf: MESSAGE" on stderr; in a daemon, logs it. Frees the error, and returns XTF_EXIT_FAILED. */
int xtf_cli_fail(GError *error);
/* Starts the ranks of a job if the launcher of an MPI started this process. On failure it prints the error and ends the
 * job: the caller fails. */
XtfWorld *xtf_cli_start_world(void);

/* Parses digits that K, M or G may follow, for powers of 1024: "4096", "64M". Returns false for anything else. */
bool xtf_cli_parse_size(const char *text, uint64_t *bytes);
