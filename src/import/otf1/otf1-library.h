/*
 * OTF's library, loaded when xtf first reads an archive, since loading it would delay each start of xtf. Its functions
 * are listed in otf1-functions.txt; macros give them their usual names.
 */
#pragma once

#include <glib.h>
#include <open-trace-format/otf.h>
#include <stdbool.h>

#include "src/import/otf1/otf1-functions.h"

/* Loads the library unless it is loaded already. Any thread may call it. Fails with XTF_ERROR_UNSUPPORTED if the
 * library cannot be loaded. */
bool xtf_otf1_load(GError **error);
