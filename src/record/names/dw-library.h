/*
 * libdw, loaded when xtf first looks for the name of a function. The library needs three other libraries, which would
 * delay each start of xtf. Its functions are listed in dw-functions.txt; macros give them their usual names.
 */
#pragma once

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <glib.h>
#include <stdbool.h>

#include "src/record/names/dw-functions.h"

/* Loads the library unless it is loaded already. Any thread may call it. Fails with XTF_ERROR_UNSUPPORTED if the
 * library cannot be loaded. */
bool xtf_dw_load(GError **error);
