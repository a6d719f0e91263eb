#include "src/analysis/causes/costs.h"

#include "src/model/schemas.h"

static const uint8_t labels[XTF_COSTS] = {
    [XTF_COST_LATE_SENDER] = XTF_LABEL_late_sender,   [XTF_COST_LATE_RECEIVER] = XTF_LABEL_late_receiver,
    [XTF_COST_BARRIER] = XTF_LABEL_wait_barrier,      [XTF_COST_ALL_TO_ALL] = XTF_LABEL_wait_nxn,
    [XTF_COST_ONE_TO_ALL] = XTF_LABEL_late_broadcast, [XTF_COST_ALL_TO_ONE] = XTF_LABEL_early_reduce,
    [XTF_COST_CREATE] = XTF_LABEL_wait_create,        [XTF_COST_DESTROY] = XTF_LABEL_wait_destroy,
    [XTF_COST_TEAM] = XTF_LABEL_omp_barrier_wait,     [XTF_COST_IDLE] = XTF_LABEL_omp_idle,
    [XTF_COST_FENCE] = XTF_LABEL_wait_fence,          [XTF_COST_EARLY_FENCE] = XTF_LABEL_early_fence,
    [XTF_COST_LATE_POST] = XTF_LABEL_late_post,       [XTF_COST_EARLY_WAIT] = XTF_LABEL_early_wait,
    [XTF_COST_LOCK] = XTF_LABEL_lock_competition,     [XTF_COST_ALLOC] = XTF_LABEL_wait_alloc,
};

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
