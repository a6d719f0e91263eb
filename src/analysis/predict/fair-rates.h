/*
 * Max-min fair rates of streams on links of equal capacity. A stream is flows that use the same two links and have the
 * same limit. Fair rates are the same for all of them, and the cost does not depend on how many there are.
 *
 * Rates are fair if each flow has a bottleneck: its own limit, or a full link on which no other flow is faster. After a
 * change of some links, progressive filling computes the rates on a region: at first these links alone. A stream that
 * leaves the region keeps its rate as a limit if its bottleneck is outside. If a stream gets another rate and its link
 * outside was full, or would be more than full, that link joins the region. Streams on a link that is not full do not
 * notice each other. After some rounds the region becomes all that is connected with it.
 *
 * One thread uses the rates.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    uint32_t links[2];
    uint32_t at[2];      /* its index among the streams of each link */
    uint32_t n;          /* flows; 0: the stream is on no link */
    uint32_t bottleneck; /* a link; UINT32_MAX: its own limit, or none yet */
    double rate, limit;  /* of each flow */
    /* For the computation. */
    double new_rate;
    uint32_t new_bottleneck;
    uint64_t seen; /* number of the last region that had it */
    bool fixed;
    uint32_t next_free;
} XtfStream;

typedef struct XtfFairRates XtfFairRates;

XtfFairRates *xtf_fair_rates_new(uint32_t n_links, double capacity);
void xtf_fair_rates_free(XtfFairRates *rates); /* accepts NULL */
/* Returns a stream, until the next one is added. */
const XtfStream *xtf_fair_stream(const XtfFairRates *rates, uint32_t number);
/* Adds a stream without flows, and returns its number. */
uint32_t xtf_fair_rates_add(XtfFairRates *rates, uint32_t first, uint32_t second, double limit);
/* Adds a flow to a stream. After some flows began or ended, the caller calls xtf_fair_rates_update() with their links.
 */
void xtf_fair_rates_begin(XtfFairRates *rates, uint32_t number);
/* Removes a flow from a stream. A stream ends with its last flow, and a later stream may get its number. */
void xtf_fair_rates_end(XtfFairRates *rates, uint32_t number);
/* Computes the rates anew. Calls `change` for each stream that gets another rate, before it has it. */
void xtf_fair_rates_update(XtfFairRates *rates, const uint32_t *links, uint32_t n,
                           void (*change)(void *data, uint32_t number), void *data);
