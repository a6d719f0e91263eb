/* The system calls that are left to a daemon that is confined (confine.h). */
#pragma once

#include <stdbool.h>

#include "libxtf/error.h"

/* All others fail with EPERM from now on, in this thread and in those that it starts. Does nothing if it was built
 * without libseccomp. no_new_privs must be set. */
bool xtf_system_calls_restrict(GError **error);
