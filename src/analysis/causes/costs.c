#include "src/analysis/causes/costs.h"

#include "src/model/schemas.h"
#include "src/model/wait-kinds.h"

#define LABEL_OF_NOBODY(name)
#define LABEL_OF_EXCESS(name)     [XTF_COST_##name] = XTF_LABEL_##name,
#define LABEL_OF_TEAM(name)       LABEL_OF_EXCESS(name)
#define LABEL_OF_IDLE(name)       LABEL_OF_EXCESS(name)
#define LABEL_OF(name, RULE, ...) LABEL_OF_##RULE(name)
static const uint8_t labels[XTF_COSTS] = {XTF_WAIT_KINDS(LABEL_OF)};

uint8_t xtf_cost_label(XtfCostKind kind)
{
    return labels[kind];
}

XtfCostKind xtf_cost_kind(uint8_t label)
{
    uint32_t kind = 0;

    while (kind < XTF_COSTS && labels[kind] != label)
        kind++;
    return kind;
}
