/*
 * The kinds of costs: the kinds of wait in which the costs end. Kinds of wait without a culprit have no costs.
 */
#pragma once

#include <glib.h>
#include <stdint.h>

#include "src/model/wait-kinds.h"

/* XTF_COST_late_sender ...: the kinds whose rule is not NOBODY, in the order of their labels. */
#define XTF_COST_OF_NOBODY(name)
#define XTF_COST_OF_EXCESS(name)     XTF_COST_##name,
#define XTF_COST_OF_TEAM(name)       XTF_COST_##name,
#define XTF_COST_OF_IDLE(name)       XTF_COST_##name,
#define XTF_COST_OF(name, RULE, ...) XTF_COST_OF_##RULE(name)
typedef enum {
    XTF_WAIT_KINDS(XTF_COST_OF) XTF_COSTS, /* number of kinds of costs; as a value: no kind */
} XtfCostKind;

typedef struct {
    double of[XTF_COSTS];
} XtfCosts;

/* Returns the label of a kind in `waits` and `delays`. */
uint8_t xtf_cost_label(XtfCostKind kind);
/* Returns the kind of costs of a label; XTF_COSTS: waits of this label have no costs. */
XtfCostKind xtf_cost_kind(uint8_t label);
