/*
 * Flows of data that share links max-min fairly. Each node has a link to the network and one from it. A flow uses the
 * link to the network of its source, and the link from the network of its target.
 *
 * Rates are max-min fair: each flow has a full link on which no other flow is faster, or its own limit. When a flow
 * begins or ends, only rates near it are computed anew (fair-rates.h).
 *
 * Times are in parts of a tick. One thread uses the flows.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct XtfFlows XtfFlows;

/* Makes a set of flows. `capacity` is what a link carries, in bytes a part. */
XtfFlows *xtf_flows_new(uint32_t n_nodes, double capacity);
void xtf_flows_free(XtfFlows *flows); /* accepts NULL */
/* Adds a flow of bytes between different nodes that begins at a time, which is not before the last event. `limit`: its
 * greatest rate, in bytes a part; INFINITY: none. `user` is returned when it ends. */
void xtf_flows_add(XtfFlows *flows, uint64_t begin, uint32_t from, uint32_t to, uint64_t bytes, double limit,
                   uint32_t user);
/* Returns the time of the next begin or end of a flow; UINT64_MAX: there is none. */
uint64_t xtf_flows_next_time(const XtfFlows *flows);
/* Advances to that time. Returns the users of the flows that ended, until the next call. */
const uint32_t *xtf_flows_advance(XtfFlows *flows, uint32_t *n);
/* Returns the rate of a user's flow at present, in bytes a part; 0 if it does not flow. Slow: for tests. */
double xtf_flows_rate(const XtfFlows *flows, uint32_t user);
