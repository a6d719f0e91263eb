/*
 * Whose costs are told apart: by the kind of wait in which they end.
 */
#pragma once

#include <glib.h>
#include <stdint.h>

typedef enum {
    XTF_COST_LATE_SENDER,
    XTF_COST_LATE_RECEIVER,
    XTF_COST_BARRIER,
    XTF_COST_ALL_TO_ALL,
    XTF_COST_ONE_TO_ALL,
    XTF_COST_ALL_TO_ONE,
    XTF_COST_CREATE, /* communicators, files, windows; of all with all */
    XTF_COST_DESTROY,
    XTF_COST_TEAM,  /* OpenMP's barriers */
    XTF_COST_IDLE,  /* threads outside of parallel regions */
    XTF_COST_FENCE, /* one-sided communication */
    XTF_COST_EARLY_FENCE,
    XTF_COST_LATE_POST,
    XTF_COST_EARLY_WAIT,
    XTF_COST_LOCK,
    XTF_COST_ALLOC,
    XTF_COSTS, /* also: none */
} XtfCostKind;

typedef struct {
    double of[XTF_COSTS];
} XtfCosts;

/* The label of `waits` and `delays`; of a label the kind of cost, XTF_COSTS for waits that have none. */
uint8_t xtf_cost_label(XtfCostKind kind);
XtfCostKind xtf_cost_kind(uint8_t label);
