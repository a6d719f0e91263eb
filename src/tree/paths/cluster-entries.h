/*
 * clusters/ of a clustered network. It has `portions`, and a directory for the portion with a length, such as
 * clusters/1000/, with `summary`, `table` and `clusters.png`.
 */
#pragma once

#include "src/tree/node/node-class.h"

extern const XtfNodeClass xtf_clusters_dir;

/* True if the trace has clusters, or its table of clusters cannot be read: then a lookup reports the error. */
bool xtf_clusters_exist(const XtfTree *tree);
