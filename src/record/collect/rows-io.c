/* Files. */
#include "src/record/collect/collect.h"

static const XtfCollectKind kinds[] = {{0}};
static const XtfCollectDefinition definitions[] = {{0}};
const XtfCollectRows xtf_collect_io = {.kinds = kinds, .definitions = definitions};
