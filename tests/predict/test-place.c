/* Placement of processes on nodes: the best of all placements in small cases; never worse than blocks and turns. */
#include <criterion/criterion.h>

#include "libxtf/base/splitmix.h"
#include "src/studies/place/place.h"

enum {
    PROCESSES_MAX = 400,
    TRAFFIC_MAX = 4 * PROCESSES_MAX,
    SMALL_MAX = 8,
    TRIALS = 150,
};

/* Returns a random number below n. */
static uint32_t draw_below(uint64_t *seed, uint32_t n)
{
    *seed = xtf_splitmix_step(*seed, 1);
    return (uint32_t)((*seed >> 32) * n >> 32);
}

static void check_places(const uint32_t *nodes, uint32_t n, uint32_t n_nodes)
{
    uint32_t counts[PROCESSES_MAX] = {0};

    for (uint32_t i = 0; i < n; i++) {
        cr_assert(nodes[i] < n_nodes, "process %u is on node %u of %u", i, nodes[i], n_nodes);
        cr_assert(++counts[nodes[i]] <= (n + n_nodes - 1) / n_nodes, "node %u has too many processes", nodes[i]);
    }
}

/* Finds a placement and checks it. Returns the bytes between nodes. */
static uint64_t find_placement(const XtfPlaceTraffic *traffic, uint64_t n_traffic, uint32_t n, uint32_t n_nodes)
{
    static const XtfPlaceRule rules[] = {xtf_place_blocks, xtf_place_turns};
    uint32_t nodes[PROCESSES_MAX], simple[PROCESSES_MAX];
    uint64_t bytes = xtf_place(traffic, n_traffic, n, n_nodes, nodes);

    check_places(nodes, n, n_nodes);
    cr_assert_eq(bytes, xtf_place_remote(traffic, n_traffic, nodes));
    for (unsigned i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        rules[i](n, n_nodes, simple);
        check_places(simple, n, n_nodes);
        cr_assert(bytes <= xtf_place_remote(traffic, n_traffic, simple), "rule %u is better", i);
    }
    return bytes;
}

/* Returns the fewest bytes of all placements of processes i and later. */
static uint64_t try_all(const XtfPlaceTraffic *traffic, uint64_t n_traffic, uint32_t n, uint32_t n_nodes, uint32_t i,
                        uint32_t *nodes, uint32_t *counts)
{
    uint64_t least = UINT64_MAX;

    if (i == n)
        return xtf_place_remote(traffic, n_traffic, nodes);
    for (uint32_t node = 0; node < n_nodes; node++) {
        if (counts[node] == (n + n_nodes - 1) / n_nodes)
            continue;
        counts[node]++;
        nodes[i] = node;
        uint64_t bytes = try_all(traffic, n_traffic, n, n_nodes, i + 1, nodes, counts);
        least = bytes < least ? bytes : least;
        counts[node]--;
    }
    return least;
}

Test(place, finds_the_best_of_all_placements)
{
    uint64_t seed = 5;

    for (int trial = 0; trial < TRIALS; trial++) {
        XtfPlaceTraffic traffic[TRAFFIC_MAX];
        uint32_t n = 2 + draw_below(&seed, SMALL_MAX - 1), n_nodes = 1 + draw_below(&seed, 4),
                 n_traffic = draw_below(&seed, 4 * n), nodes[SMALL_MAX], counts[SMALL_MAX] = {0};
        for (uint32_t i = 0; i < n_traffic; i++)
            traffic[i] =
                (XtfPlaceTraffic){draw_below(&seed, n), draw_below(&seed, n), draw_below(&seed, trial % 3 ? 1000 : 3)};
        uint64_t found = find_placement(traffic, n_traffic, n, n_nodes);
        cr_assert_eq(found, try_all(traffic, n_traffic, n, n_nodes, 0, nodes, counts),
                     "trial %d: %u processes on %u nodes", trial, n, n_nodes);
    }
}

/* Makes the traffic of a square of processes, each with four neighbours. */
static uint32_t make_stencil(XtfPlaceTraffic *traffic, uint32_t side, uint64_t bytes)
{
    uint32_t n = 0;

    for (uint32_t y = 0; y < side; y++)
        for (uint32_t x = 0; x < side; x++) {
            uint32_t own = y * side + x;
            const uint32_t peers[] = {y * side + (x + 1) % side, y * side + (x + side - 1) % side,
                                      (y + 1) % side * side + x, (y + side - 1) % side * side + x};
            for (unsigned i = 0; i < 4; i++)
                traffic[n++] = (XtfPlaceTraffic){own, peers[i], bytes};
        }
    return n;
}

Test(place, puts_parts_of_a_square_on_nodes)
{
    static XtfPlaceTraffic traffic[TRAFFIC_MAX];
    uint32_t nodes[PROCESSES_MAX], n = make_stencil(traffic, 12, 100);

    /* 16 places: squares of 4 by 4 have 16 neighbours outside, rows 24. */
    uint64_t squares = 9 * 16 * 100, found = find_placement(traffic, n, 144, 9);
    xtf_place_blocks(144, 9, nodes);
    cr_assert(found < xtf_place_remote(traffic, n, nodes));
    cr_assert(found <= squares + squares / 10, "%lu bytes between nodes, and %lu between squares", found, squares);
}

Test(place, takes_any_numbers)
{
    static const XtfPlaceTraffic huge[] = {
        {0, 1, UINT64_MAX}, {2, 3, UINT64_MAX}, {1, 2, UINT64_MAX / 2}, {3, 3, UINT64_MAX}, {0, 2, 1}};
    uint32_t nodes[PROCESSES_MAX];

    cr_assert_eq(xtf_place(NULL, 0, 0, 1, nodes), 0);
    cr_assert_eq(xtf_place(NULL, 0, 5, 3, nodes), 0);
    check_places(nodes, 5, 3);
    cr_assert_eq(xtf_place(huge, 5, 4, 1, nodes), 0);
    cr_assert_eq(find_placement(huge, 5, 4, 2), UINT64_MAX / 2 + 1);
    cr_assert_eq(xtf_place(huge, 5, 4, UINT32_MAX, nodes), UINT64_MAX);
    check_places(nodes, 4, 4);
}

/* Random sparse traffic among many processes, some of which exchange nothing. */
Test(place, is_never_worse_than_blocks_and_turns)
{
    static XtfPlaceTraffic traffic[TRAFFIC_MAX];
    uint64_t seed = 9;

    for (int trial = 0; trial < 10; trial++) {
        uint32_t n = 1 + draw_below(&seed, PROCESSES_MAX), n_traffic = draw_below(&seed, TRAFFIC_MAX);
        for (uint32_t i = 0; i < n_traffic; i++)
            traffic[i] = (XtfPlaceTraffic){draw_below(&seed, n), draw_below(&seed, n), draw_below(&seed, 100000)};
        find_placement(traffic, n_traffic, n, 1 + draw_below(&seed, n));
    }
}
