/*
 * Loads the library of an MPI, and the module that is built for it.
 */
#pragma once

#include <glib.h>

#include "src/world/launcher.h"
#include "src/world/module.h"

/* Returns the name of a launcher's MPI for messages: "Open MPI". */
const char *xtf_world_mpi_name(XtfLauncher launcher);

/* Loads both, for the rest of the process. XTF_ERROR_NOT_FOUND: one of them is not installed; the message names it.
 * Any of both may be missing in a build or on a machine. */
const XtfWorldModule *xtf_world_load(XtfLauncher launcher, GError **error);
