/* The system calls that a confined daemon may use (confine.h). make-filter.c has the list. */
#pragma once

#include <stdbool.h>

#include "libxtf/error.h"

/* Makes all other system calls fail with EPERM, in this thread and those that it starts later. Does nothing if built
 * without libseccomp. no_new_privs must be set. */
bool xtf_system_calls_restrict(GError **error);
