/* Communicators, groups, windows, topologies. */
#include "src/record/collect/collect.h"

static const XtfCollectKind kinds[] = {{0}};
static const XtfCollectDefinition definitions[] = {{0}};
const XtfCollectRows xtf_collect_handles = {.kinds = kinds, .definitions = definitions};
