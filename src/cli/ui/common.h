/* What the commands have in common. */
#pragma once

#include <glib.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    XTF_EXIT_DONE = 0,
    XTF_EXIT_FAILED = 1, /* a message went to stderr */
    XTF_EXIT_USAGE = 2,
};

enum { XTF_CLI_ANY = INT_MIN, XTF_CLI_COMMAND };

/* Parses a command's arguments, in place. True if `n_arguments` are left beside options and the command's name
 * (negative: at least -n_arguments; XTF_CLI_ANY: any number; XTF_CLI_COMMAND: a command and its arguments, at which
 * our options end); else prints a message. --help prints and exits.
 * `arguments`, for the usage, names them. */
bool xtf_cli_parse(int *argc, char ***argv, int n_arguments, const char *arguments, const char *summary,
                   const GOptionEntry *entries);

/* Says "xtf: message" on stderr, or a daemon in the log; frees the error, and returns XTF_EXIT_FAILED. */
int xtf_cli_fail(GError *error);

/* Digits, and K, M or G for powers of 1024: "4096", "64M". */
bool xtf_cli_parse_size(const char *text, uint64_t *bytes);
