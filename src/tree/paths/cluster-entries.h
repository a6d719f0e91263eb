/*
 * clusters/ of a clustered network: `portions`, and of the portion with a length, clusters/1000/, `summary`, `table`
 * and `clusters.png`.
 */
#pragma once

#include "src/tree/node/node-class.h"

extern const XtfNodeClass xtf_clusters_dir;

/* Whether the trace has clusters; a trace whose table cannot be read has, so that the fault shows. */
bool xtf_clusters_exist(const XtfTree *tree);
