/*
 * The directories that narrow a selection by what is named below them.
 */
#pragma once

#include "src/query/tree/node.h"

extern const XtfNodeClass xtf_procs_dir, xtf_threads_dir, xtf_times_dir, xtf_numbers_dir;
extern const XtfNodeClass xtf_regions_dir, xtf_comms_dir, xtf_peers_dir, xtf_tags_dir;
