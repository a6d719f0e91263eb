/*
 * Whose costs are told apart: by the kind of wait in which they end. Kinds of waits that nobody is charged for have
 * none.
 */
#pragma once

#include <glib.h>
#include <stdint.h>

#include "src/model/wait-kinds.h"

/* XTF_COST_late_sender ...: of the kinds whose rule is not NOBODY, in the order of their labels. */
#define XTF_COST_OF_NOBODY(name)
#define XTF_COST_OF_EXCESS(name)     XTF_COST_##name,
#define XTF_COST_OF_TEAM(name)       XTF_COST_##name,
#define XTF_COST_OF_IDLE(name)       XTF_COST_##name,
#define XTF_COST_OF(name, RULE, ...) XTF_COST_OF_##RULE(name)
typedef enum {
    XTF_WAIT_KINDS(XTF_COST_OF) XTF_COSTS, /* also: none */
} XtfCostKind;

typedef struct {
    double of[XTF_COSTS];
} XtfCosts;

/* The label of `waits` and `delays`; of a label the kind of cost, XTF_COSTS for waits that have none. */
uint8_t xtf_cost_label(XtfCostKind kind);
XtfCostKind xtf_cost_kind(uint8_t label);
