/* Views of a random run compared with sums over its events. */
#include <string.h>

#include "pick.h"
#include "tests/rounds.h"
#include "tests/tree/traces/side-by-side.h"

static const RunRecipe ordinary = {.n_procs = 5, .events = 3000};
static const RunRecipe wide = {.n_procs = 300, .events = 20};

enum { PICKS = 25 };

static void check_all(Run *run, const Pick *pick)
{
    check_profile(run, pick);
    check_imbalance(run, pick);
    check_stack(run, pick);
    check_matrix(run, pick, "matrix", RUN_SEND);
    check_matrix(run, pick, "sends/matrix", RUN_SEND);
    check_matrix(run, pick, "recvs/matrix", RUN_RECV);
    check_bytes(run, pick);
    check_histogram(run, pick);
    check_values(run, pick, "values");
    check_values(run, pick, "counters/values");
}

Test(views, match_the_events, .timeout = 120)
{
    for (uint32_t seed = 1; seed <= 4; seed++) {
        g_autoptr(Run) run = run_new(seed, &ordinary);
        for (unsigned i = 0; i < TEST_ROUNDS(PICKS); i++) {
            Pick pick = pick_random(run);
            check_all(run, &pick);
            g_string_free(pick.path, TRUE);
        }
    }
}

Test(views, many_processes_are_read_in_parts, .timeout = 120)
{
    g_autoptr(Run) run = run_new(7, &wide);
    Pick all = pick_all(run);

    check_matrix(run, &all, "matrix", RUN_SEND);
    check_bytes(run, &all);
    check_stack(run, &all);
    check_imbalance(run, &all);
    g_string_free(all.path, TRUE);
}

/* Blocks are read in random order. */
Test(views, blocks_are_parts_of_the_whole, .timeout = 120)
{
    static const char *const files[] = {"matrix", "recvs/matrix", "stack", "profile", "values", "bytes", "info"};
    g_autoptr(Run) run = run_new(8, &wide);

    for (unsigned i = 0; i < G_N_ELEMENTS(files); i++)
        run_check_parts(run, files[i]);
}

Test(views, exist_for_valid_selections_only)
{
    static const char *const there[] = {"profile",
                                        "enters_leaves/profile",
                                        "enters_leaves/stack",
                                        "enters_leaves/imbalance",
                                        "sends/matrix",
                                        "recvs/bytes",
                                        "collectives/bytes",
                                        "counters/values",
                                        "values",
                                        "proc/0/thread/1/time/1us-/matrix",
                                        "time/5-5/profile",
                                        "num/1-5/histogram"};
    static const char *const not_there[] = {
        "sends/profile",       "enters_leaves/matrix", "enters_leaves/bytes",
        "sends/stack",         "enters_leaves/values", "num/0-5/profile",
        "num/0-5/matrix",      "num/0-5/stack",        "enters_leaves/num/0-5/imbalance",
        "num/0-5/bytes",       "num/0-5/values",       "sends/enters_leaves/profile",
        "definitions/profile", "proc/profile",         "collectives/matrix",
        "measurement/bytes"};
    g_autoptr(Run) run = run_new(9, &wide);

    for (unsigned i = 0; i < G_N_ELEMENTS(there); i++)
        g_string_free(run_read(run, there[i]), TRUE);
    for (unsigned i = 0; i < G_N_ELEMENTS(not_there); i++)
        cr_assert_not(run_exists(run, not_there[i]), "%s", not_there[i]);
}

Test(views, that_do_not_exist_are_explained)
{
    static const char *const cases[][2] = {
        {"sends/profile", "is about calls (enters_leaves), but this selection has none"},
        {"sends/enters_leaves/imbalance", "is about calls"},
        {"measurement/matrix", "is about messages (sends, recvs)"},
        {"recvs/by/proc/profile", "is about calls"},
        {"tag/1/profile", "cannot be narrowed by tag/"},
        {"peer/1/comm/world/stack", "cannot be narrowed by comm/"},
        {"region/main/values", "cannot be narrowed by region/"},
        {"num/0-5/bytes", "below num/"},
    };
    g_autoptr(Run) run = run_new(12, &wide);

    for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(XtfNode) node = xtf_tree_resolve(run->written.tree, cases[i][0], &error);
        cr_assert(!node && strstr(error->message, cases[i][1]), "%s: %s", cases[i][0], node ? "" : error->message);
    }
}

/* The tree makes the text of a view once for sequential readers, with blocks of any size. */
Test(views, sequential_reads_compute_once)
{
    g_autoptr(Run) run = run_new(10, &ordinary);
    g_autoptr(XtfNode) node = xtf_tree_resolve(run->written.tree, "time/10%-90%/values", NULL);
    XtfCounters before, after;
    char buffer[1000];
    size_t got;

    cr_assert(xtf_node_read(node, 0, buffer, sizeof buffer, &got, NULL));
    xtf_trace_get_counters(run->written.trace, &before);
    for (uint64_t offset = got; offset < xtf_node_size(node); offset += got)
        cr_assert(xtf_node_read(node, offset, buffer, sizeof buffer, &got, NULL));
    xtf_trace_get_counters(run->written.trace, &after);
    cr_assert_eq(after.page_visits, before.page_visits);
}

Test(views, threads_read_side_by_side, .timeout = 120)
{
    g_autoptr(Run) run = run_new(11, &wide);
    GString *whole = run_read(run, "matrix");
    g_autoptr(XtfNode) node = xtf_tree_resolve(run->written.tree, "time/0-/matrix", NULL);

    assert_read_side_by_side(node, whole);
    g_string_free(whole, TRUE);
}
