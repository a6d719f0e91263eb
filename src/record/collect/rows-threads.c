/* Threads and locks. */
#include "src/record/collect/collect.h"

static const XtfCollectKind kinds[] = {{0}};
static const XtfCollectDefinition definitions[] = {{0}};
const XtfCollectRows xtf_collect_threads = {.kinds = kinds, .definitions = definitions};
