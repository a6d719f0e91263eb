/*
 * Tests flows that share links, against a naive filling of all links at each event.
 */
#include <criterion/criterion.h>
#include <glib.h>
#include <math.h>

#include "../rounds.h"
#include "src/analysis/predict/flows.h"

enum {
    NODES_MAX = 12,
    FLOWS_MAX = 60,
};

#define CAPACITY 2.0

typedef struct {
    uint64_t begin;
    uint32_t links[2];
    double bytes, limit, rate;
    bool flows, ended;
    uint64_t end;
} Naive;

/* Gives the flows max-min fair rates: all rates grow alike, until a link is full or a limit is reached. */
static void fill_naively(Naive *flows, uint32_t n)
{
    bool fixed[FLOWS_MAX] = {false};

    for (uint32_t i = 0; i < n; i++)
        flows[i].rate = 0;
    for (;;) {
        double left[2 * NODES_MAX], most = INFINITY;
        uint32_t open[2 * NODES_MAX] = {0};
        for (uint32_t link = 0; link < 2 * NODES_MAX; link++)
            left[link] = CAPACITY;
        for (uint32_t i = 0; i < n; i++)
            for (unsigned side = 0; flows[i].flows && side < 2; side++) {
                left[flows[i].links[side]] -= flows[i].rate;
                open[flows[i].links[side]] += !fixed[i];
            }
        for (uint32_t i = 0; i < n; i++)
            for (unsigned side = 0; flows[i].flows && !fixed[i] && side < 2; side++)
                most = MIN(
                    most, MIN(left[flows[i].links[side]] / open[flows[i].links[side]], flows[i].limit - flows[i].rate));
        if (isinf(most))
            return;
        for (uint32_t i = 0; i < n; i++)
            if (flows[i].flows && !fixed[i])
                flows[i].rate += most;
        for (uint32_t i = 0; i < n; i++)
            for (unsigned side = 0; flows[i].flows && side < 2; side++) {
                uint32_t link = flows[i].links[side];
                double share = open[link] > 0 ? left[link] / open[link] : INFINITY;
                fixed[i] |= flows[i].rate >= flows[i].limit * (1 - 1e-12) || share <= most * (1 + 1e-12);
            }
    }
}

/* Few values, so that many flows between the same nodes have the same one. */
static const double limit_values[] = {0.02, 0.1, 0.3, 0.9, INFINITY};

/* Draws flows. A flow's bytes are many, so that rounding its end to a part hardly matters. */
static uint32_t draw_flows(GRand *dice, Naive *flows, uint32_t n_nodes, bool limits)
{
    uint32_t n = (uint32_t)g_rand_int_range(dice, 1, FLOWS_MAX);

    for (uint32_t i = 0; i < n; i++) {
        uint32_t from = (uint32_t)g_rand_int_range(dice, 0, (gint32)n_nodes);
        uint32_t to = (from + (uint32_t)g_rand_int_range(dice, 1, (gint32)n_nodes)) % n_nodes;
        flows[i] =
            (Naive){.begin = (uint64_t)g_rand_int_range(dice, 0, 20) * 1000000,
                    .links = {2 * from, 2 * to + 1},
                    .bytes = 1000.0 * g_rand_int_range(dice, 1, 20000),
                    .limit = limits ? limit_values[g_rand_int_range(dice, 0, G_N_ELEMENTS(limit_values))] : INFINITY};
    }
    return n;
}

static void check_rates(const XtfFlows *shared, Naive *flows, uint32_t n)
{
    fill_naively(flows, n);
    for (uint32_t i = 0; i < n; i++)
        if (flows[i].flows)
            cr_assert_float_eq(xtf_flows_rate(shared, i), flows[i].rate, 1e-6, "flow %u: rate %.9g, should be %.9g", i,
                               xtf_flows_rate(shared, i), flows[i].rate);
}

/* Passes the events of the flows. At each, compares the rates; at each end, what is left of the flow. */
static void pass_events(XtfFlows *shared, Naive *flows, uint32_t n)
{
    uint64_t now = 0, next;

    while ((next = xtf_flows_next_time(shared)) != UINT64_MAX) {
        uint32_t n_ended;
        cr_assert_geq(next, now);
        for (uint32_t i = 0; i < n; i++)
            flows[i].bytes -= flows[i].flows ? flows[i].rate * (double)(next - now) : 0;
        now = next;
        const uint32_t *ended = xtf_flows_advance(shared, &n_ended);
        for (uint32_t i = 0; i < n; i++)
            flows[i].flows |= !flows[i].ended && flows[i].begin <= now;
        for (uint32_t i = 0; i < n_ended; i++) {
            Naive *flow = &flows[ended[i]];
            cr_assert(flow->flows);
            cr_assert_float_eq(flow->bytes, 0, 0.51 * CAPACITY, "%.9g bytes are left at the end of a flow",
                               flow->bytes);
            flow->flows = false;
            flow->ended = true;
        }
        check_rates(shared, flows, n);
    }
    for (uint32_t i = 0; i < n; i++)
        cr_assert(flows[i].ended, "flow %u never ends", i);
}

static void compare_random(uint32_t seed, bool limits)
{
    g_autoptr(GRand) dice = g_rand_new_with_seed(seed);
    uint32_t n_nodes = (uint32_t)g_rand_int_range(dice, 2, NODES_MAX + 1);
    XtfFlows *shared = xtf_flows_new(n_nodes, CAPACITY);
    Naive flows[FLOWS_MAX];
    uint32_t n = draw_flows(dice, flows, n_nodes, limits);

    for (uint32_t i = 0; i < n; i++)
        xtf_flows_add(shared, flows[i].begin, flows[i].links[0] / 2, flows[i].links[1] / 2, (uint64_t)flows[i].bytes,
                      flows[i].limit, i);
    pass_events(shared, flows, n);
    xtf_flows_free(shared);
}

Test(flows, have_the_rates_of_a_naive_filling)
{
    for (uint32_t seed = 0; seed < TEST_ROUNDS(400); seed++)
        compare_random(seed, false);
}

Test(flows, have_the_rates_of_a_naive_filling_with_limits)
{
    for (uint32_t seed = 0; seed < TEST_ROUNDS(400); seed++)
        compare_random(seed, true);
}

Test(flows, of_three_to_one_node_get_a_third_each)
{
    XtfFlows *flows = xtf_flows_new(4, 1);
    uint32_t n;

    for (uint32_t from = 1; from < 4; from++)
        xtf_flows_add(flows, 100, from, 0, from < 3 ? 3000 : 1500, INFINITY, from);
    cr_assert_eq(xtf_flows_next_time(flows), 100);
    xtf_flows_advance(flows, &n);
    cr_assert_eq(n, 0);
    cr_assert_eq(xtf_flows_next_time(flows), 100 + 3 * 1500);
    const uint32_t *ended = xtf_flows_advance(flows, &n);
    cr_assert(n == 1 && ended[0] == 3);
    cr_assert_eq(xtf_flows_next_time(flows), 100 + 3 * 1500 + 2 * 1500);
    xtf_flows_advance(flows, &n);
    cr_assert_eq(n, 2);
    cr_assert_eq(xtf_flows_next_time(flows), UINT64_MAX);
    xtf_flows_free(flows);
}

/* A new rate costs as much for all flows of a stream as for one of them. If each had its own, this would take an hour.
 */
Test(flows, of_one_link_may_be_many)
{
    enum { N = 300000 };
    XtfFlows *flows = xtf_flows_new(3, 1);
    uint32_t n, n_ended = 0, last = 0;

    for (uint32_t i = 0; i < N; i++)
        xtf_flows_add(flows, i, 0, 1 + i % 2, 1000000 + 10 * (uint64_t)(i / 2), INFINITY, i);
    while (xtf_flows_next_time(flows) != UINT64_MAX) {
        const uint32_t *ended = xtf_flows_advance(flows, &n);
        n_ended += n;
        last = n > 0 ? ended[n - 1] : last;
    }
    cr_assert_eq(n_ended, N);
    cr_assert_geq(last, N - 2, "flow %u ends last, and is not the longest", last);
    xtf_flows_free(flows);
}
