/*
 * OTF2's library, loaded when xtf first reads or writes an archive, since loading it would delay each start of xtf. Its
 * functions are listed in otf2-functions.txt; macros give them their usual names.
 */
#pragma once

#include <glib.h>
#include <otf2/otf2.h>
#include <stdbool.h>

/* Archives have events and definitions that OTF2 deprecates. */
G_GNUC_BEGIN_IGNORE_DEPRECATIONS
#include "src/import/otf2/otf2-functions.h"
G_GNUC_END_IGNORE_DEPRECATIONS

/* Loads the library unless it is loaded already. Any thread may call it. Fails with XTF_ERROR_UNSUPPORTED if the
 * library cannot be loaded. */
bool xtf_otf2_load(GError **error);
