/* Tests which receives are in doubt beside receives of probed messages, against a check of every pair, and how
 * little is stored. */
#include <criterion/criterion.h>

#include "src/analysis/replay/logs/runs.h"
#include "src/analysis/replay/replay-probes.h"

enum { N = 400, ENVELOPE = 3, FAR = XTF_REPLAY_PROBED_RECEIVES };

typedef struct {
    bool probed;
    uint64_t enter, complete;
} Receive;

static void make_receives(Receive *receives, GRand *random, double share)
{
    for (uint32_t k = 0; k < N; k++) {
        receives[k] = (Receive){.probed = g_rand_double(random) < share, .enter = 10 * k};
        receives[k].complete = receives[k].enter + (uint64_t)g_rand_int_range(random, 1, 300);
    }
}

/* Passes the receives to the probes. A receive that completes before a later one is posted is reported first. */
static void report_receives(XtfReplayProbes *probes, const Receive *receives)
{
    bool reported[N] = {false};

    for (uint32_t k = 0; k < N; k++) {
        for (uint32_t i = 0; i < k; i++)
            if (!reported[i] && receives[i].complete < receives[k].enter) {
                xtf_replay_probes_receive(probes, i, receives[i].complete);
                reported[i] = true;
            }
        xtf_replay_probes_post(probes, ENVELOPE, k, k, receives[k].enter, receives[k].probed);
    }
}

static bool is_doubtful(const Receive *receives, uint32_t k)
{
    for (uint32_t i = 0; i < N; i++) {
        uint32_t first = MIN(i, k), second = MAX(i, k);
        if (receives[second].probed && second > 0 && second - first <= FAR)
            return true; /* a probed receive is itself in doubt, too */
        if (first < second && receives[first].probed && second - first <= FAR &&
            receives[first].complete >= receives[second].enter)
            return true;
    }
    return false;
}

Test(probes, doubts_agree_with_all_pairs)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(5);
    static Receive receives[N];

    for (unsigned round = 0; round < 40; round++) {
        XtfReplayProbes probes = {0};
        make_receives(receives, random, round % 2 ? 0.01 : 0.3);
        report_receives(&probes, receives);
        const GArray *doubts = xtf_replay_probes_doubts(&probes, ENVELOPE);
        for (uint32_t k = 0; k < N; k++)
            cr_assert_eq(doubts && xtf_runs_have(doubts, k), is_doubtful(receives, k), "round %u, %u", round, k);
        xtf_replay_probes_finish(&probes);
    }
}

Test(probes, many_side_by_side_are_one_run)
{
    XtfReplayProbes probes = {0};

    for (uint32_t k = 0; k < 1000000; k++) {
        xtf_replay_probes_post(&probes, ENVELOPE, k, k, k, true);
        xtf_replay_probes_receive(&probes, k, k);
    }
    const GArray *doubts = xtf_replay_probes_doubts(&probes, ENVELOPE);
    cr_assert_eq(doubts->len, 1);
    cr_assert(xtf_runs_have(doubts, 0) && xtf_runs_have(doubts, 999999) && !xtf_runs_have(doubts, 1000000));
    cr_assert_eq(g_hash_table_size(probes.open), 0);
    xtf_replay_probes_finish(&probes);
}

Test(runs, are_a_set)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(6);

    for (unsigned round = 0; round < 50; round++) {
        g_autoptr(GArray) runs = xtf_runs_new();
        bool set[300] = {false};
        for (unsigned n = 0; n < 60; n++) {
            uint32_t first = g_rand_int(random) % 280, last = first + g_rand_int(random) % 12;
            xtf_runs_add(runs, first, last);
            for (uint32_t i = first; i <= last; i++)
                set[i] = true;
        }
        for (uint32_t i = 0; i < G_N_ELEMENTS(set); i++)
            cr_assert_eq(xtf_runs_have(runs, i), set[i], "round %u, %u", round, i);
        for (guint i = 1; i < runs->len; i++)
            cr_assert_gt(g_array_index(runs, XtfRun, i).first, g_array_index(runs, XtfRun, i - 1).last + 1);
    }
}
