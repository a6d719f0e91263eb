/* Chains of waits: long chains, chains with equal times, and chains of a damaged file. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>

#include "tests/tree/traces/writing.h"

enum { PROCS = 4, STEP = 10, AMOUNT = 7 };

/* Writes locations whose records last from 0 to `end`. */
static void define_locations(Writing *writing, uint64_t end)
{
    writing_begin(writing);
    for (uint32_t proc = 0; proc < PROCS; proc++) {
        writing_define(writing, XTF_MODEL_LOCATIONS, &(XtfLocationRow){.id = 5 + proc, .proc = proc});
        writing_append(writing, 5 + proc, XTF_MODEL_ENTERS_LEAVES, &(XtfEntersLeavesRow){.time = 0, .outermost = 1});
        writing_append(writing, 5 + proc, XTF_MODEL_ENTERS_LEAVES,
                       &(XtfEntersLeavesRow){.time = end, .seq = 1, .event = 1, .enter = 1, .outermost = 1});
    }
}

static XtfWaitsRow wait_of(uint64_t time, uint64_t amount, uint32_t culprit, uint64_t cause)
{
    return (XtfWaitsRow){.time = time,
                         .amount = amount,
                         .indirect = cause == XTF_NONE64 ? 0 : amount,
                         .region = XTF_NONE32,
                         .part_kind = UINT8_MAX,
                         .culprit = culprit,
                         .context = XTF_NONE32,
                         .comm = XTF_NONE32,
                         .tag = XTF_NONE32,
                         .match = XTF_NONE64,
                         .cause = cause};
}

/* Returns the cells of line i of a table; the header is line 0. */
static GStrv line_of(const Written *written, const char *path, unsigned i)
{
    GString *text = written_read(written, path);
    g_auto(GStrv) lines = g_strsplit(g_strchomp(text->str), "\n", -1);

    g_string_free(text, TRUE);
    cr_assert_lt(i, g_strv_length(lines));
    return g_regex_split_simple(" +", g_strstrip(lines[i]), 0, 0);
}

static void assert_line(const Written *written, const char *path, unsigned i, const char *expected)
{
    g_auto(GStrv) cells = line_of(written, path, i);
    g_autofree char *found = g_strjoinv(" ", cells);

    cr_assert_str_eq(found, expected, "%s: line %u: %s", path, i, found);
}

/* The chain passes through all processes in turn. The longest chains take several slices. Each wait also causes a
 * shorter one. */
Test(waves, chains_of_any_length_are_followed)
{
    static const uint64_t lengths[] = {2, 3, 5, 70000, 300000};

    for (unsigned i = 0; i < G_N_ELEMENTS(lengths); i++) {
        const uint64_t n = lengths[i], begin = STEP - AMOUNT, end = n * STEP;
        g_autofree char *expected = g_strdup_printf(
            "1 0.%09" PRIu64 " 0.%09" PRIu64 " 0 0 0 %" PRIu64 " %u 0.%09" PRIu64 " %" PRIu64 " 1e+08 - late_sender -",
            begin, end, n, (unsigned)MIN(n, (uint64_t)PROCS), n * AMOUNT, n - 1);
        g_auto(Written) written = {0};
        Writing writing = {0};
        define_locations(&writing, end);
        for (uint64_t k = 0; k < n; k++) {
            XtfWaitsRow row =
                wait_of((k + 1) * STEP, AMOUNT, (k + PROCS - 1) % PROCS, k ? (k - 1) / PROCS : XTF_NONE64);
            writing_append(&writing, 5 + k % PROCS, XTF_MODEL_WAITS, &row);
        }
        writing_end(&writing, &written);
        if (n < 3) {
            assert_line(&written, "waits/waves", 1, "1 - - - - - - - - - - - - -");
            continue;
        }
        assert_line(&written, "waits/waves", 1, expected);
        assert_line(&written, "waits/waves", 2, "2 - - - - - - - - - - - - -");
    }
}

/* Three waits end at one tick and form one chain, in any order of the locations. */
Test(waves, chains_within_a_tick_are_followed)
{
    static const uint32_t orders[][3] = {{0, 1, 2}, {2, 1, 0}, {1, 3, 0}, {3, 0, 2}};

    for (unsigned i = 0; i < G_N_ELEMENTS(orders); i++) {
        const uint32_t *procs = orders[i];
        g_auto(Written) written = {0};
        Writing writing = {0};
        define_locations(&writing, 1000);
        for (unsigned k = 0; k < 3; k++) {
            XtfWaitsRow row = wait_of(100, 20 + k, k ? procs[k - 1] : (procs[0] + 1) % PROCS, k ? 0 : XTF_NONE64);
            writing_append(&writing, 5 + procs[k], XTF_MODEL_WAITS, &row);
        }
        writing_end(&writing, &written);
        g_auto(GStrv) cells = line_of(&written, "waits/waves", 1);
        cr_assert_eq(g_ascii_strtoull(cells[3], NULL, 10), procs[0]);
        cr_assert_str_eq(cells[6], "3");
        cr_assert_str_eq(cells[8], "0.000000063");
    }
}

/* The longest wait that a wait caused continues its chain. The other one begins a new chain, which is too short. */
Test(waves, the_longest_wait_continues_the_chain)
{
    const XtfWaitsRow rows[] = {wait_of(100, 50, 3, XTF_NONE64), wait_of(200, 30, 0, 0), wait_of(201, 40, 0, 0)};
    g_auto(Written) written = {0};
    Writing writing = {0};

    define_locations(&writing, 1000);
    for (uint32_t i = 0; i < 3; i++)
        writing_append(&writing, 5 + i, XTF_MODEL_WAITS, &rows[i]);
    XtfWaitsRow next = wait_of(300, 20, 2, 0), beside = wait_of(290, 45, 1, 0);
    writing_append(&writing, 8, XTF_MODEL_WAITS, &beside);
    next.indirect = 10;
    writing_append(&writing, 8, XTF_MODEL_WAITS, &next);
    next.time = 400;
    next.indirect = 9; /* less than half of the wait is indirect */
    next.amount = 20;
    next.culprit = 3;
    next.cause = 1;
    writing_append(&writing, 5, XTF_MODEL_WAITS, &next);
    writing_end(&writing, &written);
    assert_line(&written, "waits/waves", 1,
                "1 0.000000050 0.000000300 0 0 0 3 3 0.000000110 3 1.30435e+07 - late_sender -");
    assert_line(&written, "waits/waves", 2, "2 - - - - - - - - - - - - -");
    /* Waves of a selection contain only waits of the selection. */
    assert_line(&written, "waits/proc/0,1,3/waves", 1,
                "1 0.000000050 0.000000290 0 0 0 3 3 0.000000125 3 1.53846e+07 - late_sender -");
    assert_line(&written, "waits/proc/0,1/waves", 1, "1 - - - - - - - - - - - - -");
    assert_line(&written, "time/0-250ns/waits/waves", 1, "1 - - - - - - - - - - - - -");
    assert_line(&written, "waits/num/0-5/waves", 1,
                "1 0.000000050 0.000000300 0 0 0 3 3 0.000000110 3 1.30435e+07 - late_sender -");
}

/* A damaged file has no wave, or a wave of the waits whose causes are valid. */
Test(waves, causes_in_circles_end)
{
    g_auto(Written) written = {0};
    Writing writing = {0};

    define_locations(&writing, 1000);
    for (uint32_t proc = 0; proc < PROCS; proc++) {
        const XtfWaitsRow rows[] = {
            wait_of(100, 20, (proc + 1) % PROCS, 0),  /* all at one tick, in a circle */
            wait_of(200, 20, proc, 1),                /* caused by itself */
            wait_of(300, 20, (proc + 1) % PROCS, 3),  /* caused by a later wait */
            wait_of(400, 20, (proc + 1) % PROCS, 99), /* caused by a wait that does not exist */
            wait_of(500, 20, 77, 0),
            wait_of(600, 20, proc, 99), /* of a process that does not exist */
        };
        for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++)
            writing_append(&writing, 5 + proc, XTF_MODEL_WAITS, &rows[i]);
    }
    writing_end(&writing, &written);
    g_auto(GStrv) cells = line_of(&written, "waits/waves", 1);
    cr_assert_str_eq(cells[6], "4");
    assert_line(&written, "waits/waves", 2, "2 - - - - - - - - - - - - -");
}

/* Writes a wave whose last wait is for a message. The location received another message before, and has `n` short
 * waits in between. */
static void write_iteration(Written *written, uint64_t n)
{
    const XtfRecvsRow recvs[] = {{.time = 1, .seq = 1}, {.time = 2 * n + 1000, .seq = 2}};
    const XtfWaitsRow first = wait_of(2 * n + 100, 50, 3, XTF_NONE64), second = wait_of(2 * n + 200, 50, 0, 0);
    XtfWaitsRow third = wait_of(2 * n + 1000, 700, 1, 0);
    Writing writing = {0};

    define_locations(&writing, 2 * n + 2000);
    for (unsigned i = 0; i < G_N_ELEMENTS(recvs); i++)
        writing_append(&writing, 7, XTF_MODEL_RECVS, &recvs[i]);
    writing_append(&writing, 5, XTF_MODEL_WAITS, &first);
    writing_append(&writing, 6, XTF_MODEL_WAITS, &second);
    for (uint64_t i = 1; i <= n; i++) {
        const XtfWaitsRow between = wait_of(2 * i, 1, 3, XTF_NONE64);
        writing_append(&writing, 7, XTF_MODEL_WAITS, &between);
    }
    third.seq = 2;
    writing_append(&writing, 7, XTF_MODEL_WAITS, &third);
    writing_end(&writing, written);
}

/* The speed is one rank in an iteration of n + 300 ns. An iteration with too many waits to read has no speed. */
Test(waves, iterations_exclude_waits)
{
    static const struct {
        uint64_t n;
        const char *expected;
    } cases[] = {{0, "3.33333e+06"}, {100, "2.5e+06"}, {9700, "100000"}, {20000, "-"}};

    for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(Written) written = {0};
        write_iteration(&written, cases[i].n);
        g_auto(GStrv) cells = line_of(&written, "waits/waves", 1);
        cr_assert_str_eq(cells[6], "3");
        cr_assert_str_eq(cells[10], "8e+06");
        cr_assert_str_eq(cells[11], cases[i].expected, "%" PRIu64 ": %s", cases[i].n, cells[11]);
    }
}

/* Writes a location that probes: it posts each receive in a probe, three records before the receive completes. */
static void write_probes(Writing *writing, uint64_t location)
{
    static const struct {
        uint64_t time, seq;
        uint8_t leave, enter; /* `enter`: distance in rows to the ENTER of the call that this row leaves or is in */
    } calls[] = {{0, 0, 0, 0},   {100, 1, 0, 1},  {150, 3, 1, 1},   {200, 4, 0, 3},   {220, 6, 1, 1},
                 {300, 7, 0, 5}, {1000, 9, 1, 1}, {1010, 10, 0, 7}, {1030, 12, 1, 1}, {2000, 13, 1, 9}};
    const XtfRecvsRow recvs[] = {{.time = 210, .seq = 5, .posted = 3}, {.time = 1020, .seq = 11, .posted = 3}};

    for (unsigned i = 0; i < G_N_ELEMENTS(calls); i++)
        writing_append(writing, location, XTF_MODEL_ENTERS_LEAVES,
                       &(XtfEntersLeavesRow){.time = calls[i].time,
                                             .seq = calls[i].seq,
                                             .event = calls[i].leave,
                                             .enter = calls[i].enter,
                                             .outermost = i == 0 || i + 1 == G_N_ELEMENTS(calls)});
    for (unsigned i = 0; i < G_N_ELEMENTS(recvs); i++)
        writing_append(writing, location, XTF_MODEL_RECVS, &recvs[i]);
}

/* In a location that waits in probes an iteration begins with a probe: at 100 and at 300. */
Test(waves, iterations_of_probes_go_from_probe_to_probe)
{
    const XtfWaitsRow first = wait_of(400, 50, 3, XTF_NONE64), second = wait_of(500, 50, 0, 0);
    XtfWaitsRow third = wait_of(1000, 700, 1, 0);
    g_auto(Written) written = {0};
    Writing writing = {0};

    define_locations(&writing, 2000);
    writing_define(&writing, XTF_MODEL_LOCATIONS, &(XtfLocationRow){.id = 5 + PROCS, .proc = PROCS});
    write_probes(&writing, 5 + PROCS);
    writing_append(&writing, 5, XTF_MODEL_WAITS, &first);
    writing_append(&writing, 6, XTF_MODEL_WAITS, &second);
    third.seq = 8;
    writing_append(&writing, 5 + PROCS, XTF_MODEL_WAITS, &third);
    writing_end(&writing, &written);
    g_auto(GStrv) cells = line_of(&written, "waits/waves", 1);
    cr_assert_str_eq(cells[6], "3");
    cr_assert_str_eq(cells[11], "1e+07", "%s", cells[11]); /* two ranks in 200 ns */
}

Test(waves, waits_that_begin_before_the_trace_are_damage)
{
    g_auto(Written) written = {0};
    Writing writing = {0};
    GError *error = NULL;
    char byte;
    size_t length;

    define_locations(&writing, 1000);
    XtfWaitsRow row = wait_of(100, 101, 1, XTF_NONE64);
    writing_append(&writing, 5, XTF_MODEL_WAITS, &row);
    writing_end(&writing, &written);
    g_autoptr(XtfNode) node = xtf_tree_resolve(written.tree, "waits/waves", &error);
    cr_assert(node);
    cr_assert_not(xtf_node_read(node, xtf_node_size(node) - 1, &byte, 1, &length, &error));
    cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_DAMAGED), "%s", error->message);
    g_error_free(error);
}
