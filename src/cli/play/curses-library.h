/*
 * ncurses, loaded when xtf first takes over a terminal, since loading it would delay each start of xtf. Its functions
 * and variables are listed in curses-functions.txt; macros give them their usual names.
 */
#pragma once

#define NCURSES_NOMACROS /* functions of the library only */

#include <curses.h>
#include <glib.h>
#include <stdbool.h>

#include "src/cli/play/curses-functions.h"

/* Loads the library unless it is loaded already. Any thread may call it. Fails with XTF_ERROR_UNSUPPORTED if the
 * library cannot be loaded. */
bool xtf_curses_load(GError **error);
