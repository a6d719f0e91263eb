/*
 * run: facts of the run, and which frame of it this is. What the OpenTS visualizer shows as its group C.
 */
#pragma once

#include "src/tables/views/registry.h"

/* Frame k of n, the window [from, to), as lines of a name and a value. NULL with an error. */
GString *xtf_run_text(XtfViews *views, uint64_t k, uint64_t n, uint64_t from, uint64_t to, GError **error);
