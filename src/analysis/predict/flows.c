#include "src/analysis/predict/flows.h"

#include <glib.h>
#include <math.h>

#include "src/analysis/predict/fair-rates.h"

enum { NOT_IN_HEAP = UINT32_MAX };

struct XtfFlows {
    XtfFairRates *rates;
    uint32_t *heap; /* flows by the time of their next event: begin or end */
    uint32_t n_heap, room;
    GArray *ended;   /* uint32_t: users */
    GArray *changed; /* uint32_t: links whose flows change */
    GArray *free;    /* uint32_t: flows */
    uint64_t now;
};

/* ---- The heap. */

static bool is_due_before(const XtfFlows *flows, uint32_t a, uint32_t b)
{
    const XtfFlow *left = xtf_fair_flow(flows->rates, a), *right = xtf_fair_flow(flows->rates, b);

    return left->next < right->next || (left->next == right->next && a < b);
}

static void place_in_heap(XtfFlows *flows, uint32_t at, uint32_t flow)
{
    flows->heap[at] = flow;
    xtf_fair_flow(flows->rates, flow)->place = at;
}

static void move_up(XtfFlows *flows, uint32_t at, uint32_t flow)
{
    for (; at > 0 && is_due_before(flows, flow, flows->heap[(at - 1) / 2]); at = (at - 1) / 2)
        place_in_heap(flows, at, flows->heap[(at - 1) / 2]);
    place_in_heap(flows, at, flow);
}

static void move_down(XtfFlows *flows, uint32_t at, uint32_t flow)
{
    for (uint32_t child; (child = 2 * at + 1) < flows->n_heap; at = child) {
        if (child + 1 < flows->n_heap && is_due_before(flows, flows->heap[child + 1], flows->heap[child]))
            child++;
        if (!is_due_before(flows, flows->heap[child], flow))
            break;
        place_in_heap(flows, at, flows->heap[child]);
    }
    place_in_heap(flows, at, flow);
}

/* Moves a flow to its place in the heap, after its time has changed. */
static void move_in_heap(XtfFlows *flows, uint32_t flow)
{
    uint32_t at = xtf_fair_flow(flows->rates, flow)->place;

    if (at == NOT_IN_HEAP) {
        if (flows->n_heap == flows->room) {
            flows->room = MAX(64, 2 * flows->room);
            flows->heap = g_renew(uint32_t, flows->heap, flows->room);
        }
        move_up(flows, flows->n_heap++, flow);
        return;
    }
    move_up(flows, at, flow);
    move_down(flows, xtf_fair_flow(flows->rates, flow)->place, flow);
}

static uint32_t take_first(XtfFlows *flows)
{
    uint32_t first = flows->heap[0], last = flows->heap[--flows->n_heap];

    if (flows->n_heap > 0)
        move_down(flows, 0, last);
    xtf_fair_flow(flows->rates, first)->place = NOT_IN_HEAP;
    return first;
}

/* ---- Flows. */

XtfFlows *xtf_flows_new(uint32_t n_nodes, double capacity)
{
    XtfFlows *flows = g_new0(XtfFlows, 1);

    flows->rates = xtf_fair_rates_new(2 * n_nodes, capacity);
    flows->ended = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    flows->changed = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    flows->free = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    return flows;
}

void xtf_flows_free(XtfFlows *flows)
{
    if (!flows)
        return;
    xtf_fair_rates_free(flows->rates);
    g_array_unref(flows->ended);
    g_array_unref(flows->changed);
    g_array_unref(flows->free);
    g_free(flows->heap);
    g_free(flows);
}

void xtf_flows_add(XtfFlows *flows, uint64_t begin, uint32_t from, uint32_t to, uint64_t bytes, double limit,
                   uint32_t user)
{
    uint32_t number = xtf_fair_rates_add(flows->rates, 2 * from, 2 * to + 1, limit);
    XtfFlow *flow = xtf_fair_flow(flows->rates, number);

    flow->left = (double)bytes;
    flow->next = MAX(begin, flows->now);
    flow->user = user;
    flow->place = NOT_IN_HEAP;
    move_in_heap(flows, number);
}

uint64_t xtf_flows_next_time(const XtfFlows *flows)
{
    return flows->n_heap > 0 ? xtf_fair_flow(flows->rates, flows->heap[0])->next : UINT64_MAX;
}

/* Computes the bytes that are left of a flow, and its end by its new rate. */
static void change_rate(void *data, uint32_t number, double rate)
{
    XtfFlows *flows = data;
    XtfFlow *flow = xtf_fair_flow(flows->rates, number);

    flow->left = MAX(0, flow->left - flow->rate * (double)(flows->now - flow->since));
    flow->since = flows->now;
    flow->next = flows->now + (uint64_t)(flow->left / rate + 0.5);
    move_in_heap(flows, number);
}

/* Begins or ends a flow that is due. */
static void pass_event(XtfFlows *flows, uint32_t number)
{
    XtfFlow *flow = xtf_fair_flow(flows->rates, number);

    g_array_append_vals(flows->changed, flow->links, 2);
    if (!flow->flows) {
        flow->since = flows->now;
        xtf_fair_rates_begin(flows->rates, number);
        return;
    }
    g_array_append_val(flows->ended, flow->user);
    xtf_fair_rates_end(flows->rates, number);
}

const uint32_t *xtf_flows_advance(XtfFlows *flows, uint32_t *n)
{
    g_array_set_size(flows->ended, 0);
    g_array_set_size(flows->changed, 0);
    flows->now = xtf_flows_next_time(flows);
    while (flows->n_heap > 0 && xtf_flows_next_time(flows) == flows->now)
        pass_event(flows, take_first(flows));
    xtf_fair_rates_update(flows->rates, (const uint32_t *)(void *)flows->changed->data, flows->changed->len,
                          change_rate, flows);
    *n = flows->ended->len;
    return (const uint32_t *)(void *)flows->ended->data;
}

double xtf_flows_rate(const XtfFlows *flows, uint32_t user)
{
    for (uint32_t i = 0; i < flows->n_heap; i++) {
        const XtfFlow *flow = xtf_fair_flow(flows->rates, flows->heap[i]);
        if (flow->user == user && flow->flows)
            return flow->rate;
    }
    return 0;
}
