/*
 * Max-min fair rates of flows on links of equal capacity. A flow uses two links, and may have a limit of its own.
 *
 * Rates are fair if each flow has a bottleneck: its own limit, or a full link on which no other flow is faster. After a
 * change of some links, progressive filling computes the rates on a region: at first these links alone. A flow that
 * leaves the region keeps its rate as a limit if its bottleneck is outside. If a flow gets another rate and its link
 * outside was full, or would be more than full, that link joins the region. Flows on a link that is not full do not
 * notice each other. After some rounds the region becomes all that is connected with it.
 *
 * One thread uses the rates.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    uint32_t links[2];
    uint32_t at[2];      /* its index among the flows of each link */
    uint32_t bottleneck; /* a link; UINT32_MAX: its own limit, or none yet */
    bool flows;          /* it has begun */
    double rate, limit;
    /* For the caller. */
    double left;          /* bytes at `since` */
    uint64_t since, next; /* next: time of the next event */
    uint32_t user, place;
    /* For the computation. */
    double new_rate;
    uint32_t new_bottleneck;
    uint64_t seen; /* number of the last region that had it */
    bool fixed;
    uint32_t next_free;
} XtfFlow;

typedef struct XtfFairRates XtfFairRates;

XtfFairRates *xtf_fair_rates_new(uint32_t n_links, double capacity);
void xtf_fair_rates_free(XtfFairRates *rates); /* accepts NULL */
/* Returns a flow, until the next one is added. */
XtfFlow *xtf_fair_flow(const XtfFairRates *rates, uint32_t number);
/* Adds a flow, and returns its number. It has no rate until it begins. */
uint32_t xtf_fair_rates_add(XtfFairRates *rates, uint32_t first, uint32_t second, double limit);
/* Begins and ends a flow. After some of these, the caller calls xtf_fair_rates_update() with their links. A flow that
 * ended is no more. */
void xtf_fair_rates_begin(XtfFairRates *rates, uint32_t number);
void xtf_fair_rates_end(XtfFairRates *rates, uint32_t number);
/* Computes the rates anew. Calls `change` for each flow that gets another rate, before it has it. */
void xtf_fair_rates_update(XtfFairRates *rates, const uint32_t *links, uint32_t n,
                           void (*change)(void *data, uint32_t number, double rate), void *data);
