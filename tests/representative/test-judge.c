/* Representative sets: cliques and answers equal a search through all subsets. */
#include <criterion/criterion.h>
#include <glib.h>

#include "libxtf/base/splitmix.h"
#include "src/studies/representative/judge.h"

enum { CASES = 1000, SMALL = 14 };

static uint64_t random_below(uint64_t *seed, uint64_t n)
{
    *seed = xtf_splitmix_step(*seed, 1);
    return *seed % n;
}

static bool is_joined(const XtfGraph *graph, unsigned a, unsigned b)
{
    return xtf_graph_set_has(graph->edges + (gsize)a * graph->words, b);
}

/* True if each two members of a set are joined. */
static bool is_clique(const XtfGraph *graph, const uint64_t *set)
{
    for (unsigned i = 0; i < graph->n; i++) {
        for (unsigned j = 0; j < i; j++) {
            if (xtf_graph_set_has(set, i) && xtf_graph_set_has(set, j) && !is_joined(graph, i, j))
                return false;
        }
    }
    return true;
}

/* Returns the size of the largest clique, by trying all subsets. */
static unsigned brute_clique(const XtfGraph *graph)
{
    unsigned largest = 0;

    for (uint64_t set = 0; set < UINT64_C(1) << graph->n; set++) {
        unsigned size = (unsigned)__builtin_popcountll(set);
        if (size > largest && is_clique(graph, &set))
            largest = size;
    }
    return largest;
}

static unsigned count_members(const XtfGraph *graph, const uint64_t *set)
{
    unsigned n = 0;

    for (unsigned i = 0; i < graph->n; i++)
        n += xtf_graph_set_has(set, i);
    return n;
}

static void join_at_random(XtfGraph *graph, uint64_t percent, uint64_t *seed)
{
    for (unsigned i = 0; i < graph->n; i++) {
        for (unsigned j = 0; j < i; j++) {
            if (random_below(seed, 100) < percent)
                xtf_graph_join(graph, i, j);
        }
    }
}

Test(representative, cliques_equal_a_search_through_all_subsets, .timeout = 60)
{
    uint64_t seed = 1;

    for (unsigned k = 0; k < CASES; k++) {
        XtfGraph graph;
        XtfClique clique;
        xtf_graph_init(&graph, 1 + (unsigned)random_below(&seed, SMALL - 2));
        join_at_random(&graph, random_below(&seed, 101), &seed);
        xtf_clique_find(&graph, &clique);
        cr_assert_eq(clique.size, brute_clique(&graph), "case %u", k);
        cr_assert_eq(clique.most, clique.size);
        cr_assert_eq(count_members(&graph, clique.members), clique.size);
        cr_assert(is_clique(&graph, clique.members));
        g_free(clique.members);
        xtf_graph_finish(&graph);
    }
}

/* Graphs of 64 vertices are searched exactly too: here k groups of joined vertices, with noise between them. */
Test(representative, planted_cliques_are_found)
{
    uint64_t seed = 2;

    for (unsigned planted = 8; planted <= 64; planted += 8) {
        XtfGraph graph;
        XtfClique clique;
        xtf_graph_init(&graph, 64);
        join_at_random(&graph, 20, &seed);
        for (unsigned i = 0; i < planted; i++) {
            for (unsigned j = 0; j < i; j++)
                xtf_graph_join(&graph, 63 - i, 63 - j);
        }
        xtf_clique_find(&graph, &clique);
        cr_expect_geq(clique.size, planted);
        cr_expect_leq(clique.size, planted + 3);
        cr_expect(is_clique(&graph, clique.members));
        g_free(clique.members);
        xtf_graph_finish(&graph);
    }
}

Test(representative, bounds_of_large_graphs_contain_the_planted_clique)
{
    uint64_t seed = 3;

    for (unsigned n = 65; n <= 400; n += 67) {
        for (unsigned planted = 10; planted <= n; planted += n / 4) {
            XtfGraph graph;
            XtfClique clique;
            xtf_graph_init(&graph, n);
            join_at_random(&graph, 5, &seed);
            for (unsigned i = 0; i < planted; i++) {
                for (unsigned j = 0; j < i; j++)
                    xtf_graph_join(&graph, i, j);
            }
            xtf_clique_find(&graph, &clique);
            cr_expect_geq(clique.most, planted);
            cr_expect_leq(clique.size, clique.most);
            cr_expect_geq(clique.size, planted, "%u of %u", planted, n);
            cr_expect_eq(count_members(&graph, clique.members), clique.size);
            cr_expect(is_clique(&graph, clique.members));
            g_free(clique.members);
            xtf_graph_finish(&graph);
        }
    }
}

Test(representative, no_vertex_and_no_edge)
{
    for (unsigned n = 0; n <= 70; n += 35) {
        XtfGraph graph;
        XtfClique clique;
        xtf_graph_init(&graph, n);
        xtf_clique_find(&graph, &clique);
        cr_expect_eq(clique.size, n > 0);
        cr_expect_eq(clique.most, n > 0);
        g_free(clique.members);
        xtf_graph_finish(&graph);
    }
}

/* ---- Profiles. */

enum { REGIONS = 5 };

/* Makes n profiles near one of a few centres. Sets counts[i][region]. */
static void make_profiles(XtfFrequencies *profiles, uint64_t (*counts)[REGIONS], unsigned n, uint64_t *seed)
{
    uint64_t centres[3][REGIONS], spread = 1 + random_below(seed, 12);

    for (unsigned i = 0; i < 3; i++) {
        for (unsigned region = 0; region < REGIONS; region++)
            centres[i][region] = random_below(seed, 100);
    }
    for (unsigned i = 0; i < n; i++) {
        unsigned centre = (unsigned)random_below(seed, 3);
        xtf_frequencies_init(&profiles[i]);
        for (unsigned region = 0; region < REGIONS; region++) {
            uint64_t count = centres[centre][region] + random_below(seed, spread),
                     first = random_below(seed, count + 1);
            counts[i][region] = count;
            /* Counts are added in parts, and in any order. */
            xtf_frequencies_add(&profiles[i], REGIONS - region, first);
            xtf_frequencies_add(&profiles[i], REGIONS - region, count - first);
        }
        xtf_frequencies_sort(&profiles[i]);
    }
}

static double naive_distance(const uint64_t *a, const uint64_t *b)
{
    uint64_t differences = 0, sum = 0;

    for (unsigned region = 0; region < REGIONS; region++) {
        differences += a[region] > b[region] ? a[region] - b[region] : b[region] - a[region];
        sum += a[region] + b[region];
    }
    return sum ? (double)differences / (double)sum : 0;
}

/* Returns the size of the largest set of profiles that are pairwise alike, by trying all subsets. */
static unsigned brute_alike(uint64_t (*counts)[REGIONS], unsigned n, double delta)
{
    unsigned largest = 0;

    for (uint64_t set = 1; set < UINT64_C(1) << n; set++) {
        bool alike = true;
        for (unsigned i = 0; i < n && alike; i++) {
            for (unsigned j = 0; j < i && alike; j++)
                alike = !(set >> i & 1) || !(set >> j & 1) || naive_distance(counts[i], counts[j]) < delta;
        }
        if (alike)
            largest = MAX(largest, (unsigned)__builtin_popcountll(set));
    }
    return largest;
}

Test(representative, answers_equal_a_search_through_all_subsets, .timeout = 60)
{
    static const double deltas[] = {0.01, 0.05, 0.1, 0.3}, shares[] = {0, 0.5, 0.8, 1};
    unsigned yes = 0;
    uint64_t seed = 4;

    for (unsigned k = 0; k < CASES; k++) {
        XtfFrequencies profiles[SMALL];
        uint64_t counts[SMALL][REGIONS];
        unsigned n = 1 + (unsigned)random_below(&seed, 10);
        const XtfRepresentativeRule rule = {deltas[random_below(&seed, 4)], shares[random_below(&seed, 4)],
                                            1 + (unsigned)random_below(&seed, 8)};
        g_auto(XtfRepresentative) judged = {0};
        make_profiles(profiles, counts, n, &seed);
        xtf_representative_judge(profiles, n, &rule, &judged);
        unsigned largest = brute_alike(counts, n, rule.delta);
        bool expected = n >= rule.least && largest >= rule.share * n;
        cr_assert_eq(judged.clique.size, largest, "case %u", k);
        cr_assert_eq(judged.verdict == XTF_REPRESENTATIVE_YES, expected, "case %u", k);
        cr_assert_neq(judged.verdict, XTF_REPRESENTATIVE_UNDECIDED);
        cr_assert(xtf_representative_has(&judged, judged.medoid));
        yes += expected;
        for (unsigned i = 0; i < n; i++)
            xtf_frequencies_finish(&profiles[i]);
    }
    cr_assert(yes > CASES / 5 && yes < CASES * 4 / 5, "%u of %u are representative", yes, CASES);
}

/* More than 64 profiles, of which the greedy clique is smaller than needed, but larger ones are possible. */
Test(representative, large_sets_may_be_undecided)
{
    enum { N = 90 };
    XtfFrequencies profiles[N];
    const XtfRepresentativeRule rule = {0.4, 0.11, 5};
    g_auto(XtfRepresentative) judged = {0};

    /* Points on a ring: each has 7 neighbours on both sides, so that a clique has 8, and a core more. */
    for (uint64_t i = 0; i < N; i++) {
        xtf_frequencies_init(&profiles[i]);
        for (uint64_t k = 0; k < 20; k++)
            xtf_frequencies_add(&profiles[i], (i + k) % N, 1);
        xtf_frequencies_sort(&profiles[i]);
    }
    xtf_representative_judge(profiles, N, &rule, &judged);
    cr_expect_eq(judged.verdict, XTF_REPRESENTATIVE_UNDECIDED);
    cr_expect_eq(judged.clique.size, 8u);
    cr_expect_eq(judged.clique.most, 15u);
    cr_expect_eq(judged.needed, 10u);
    for (unsigned i = 0; i < N; i++)
        xtf_frequencies_finish(&profiles[i]);
}
