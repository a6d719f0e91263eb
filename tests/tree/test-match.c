/* Matched messages: links between their ends, and the file `message` of a record. */
#include <criterion/criterion.h>

#include "tests/tree/traces/mpi.h"

/* Returns the target of a record's link without its leading "../", or NULL if the record has no such link. */
static char *target_of(const Written *written, const char *record, const char *link)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(XtfNode) directory = xtf_tree_resolve(written->tree, record, &error);

    cr_assert(directory, "%s: %s", record, error ? error->message : "");
    g_autoptr(XtfNode) node = xtf_node_lookup(directory, link, &error);
    if (!node) {
        cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_NOT_FOUND), "%s: %s", record, error->message);
        return NULL;
    }
    const char *target = xtf_node_target(node);
    while (g_str_has_prefix(target, "../"))
        target += strlen("../");
    return g_strdup(target);
}

static char *path_of_row(const char *type, unsigned process, uint64_t n)
{
    return g_strdup_printf("proc/%u/thread/0/%s/num/%" G_GUINT64_FORMAT, process, type, n);
}

/* Asserts that a send and a receive link to each other. */
static void assert_match(const Written *written, unsigned sender, uint64_t send, unsigned receiver, uint64_t receive)
{
    g_autofree char *from = path_of_row("sends", sender, send), *to = path_of_row("recvs", receiver, receive);
    g_autofree char *match = target_of(written, from, "match"), *reverse = target_of(written, to, "match");

    cr_assert(match && g_str_equal(match, to), "%s leads to %s", from, match);
    cr_assert(reverse && g_str_equal(reverse, from), "%s leads to %s", to, reverse);
}

/* Receives complete in another order than the program posts them. */
Test(match, receives_match_in_the_order_of_posting)
{
    g_auto(Written) written;
    Mpi mpi;

    mpi_begin(&mpi, 2, 1);
    for (unsigned i = 0; i < 4; i++)
        mpi_send(&mpi, 0, 100 + 10 * i, 4, (Envelope){1, MPI_WORLD, i / 3, 8});
    for (unsigned i = 0; i < 4; i++)
        mpi_irecv(&mpi, 1, 200 + 10 * i, 4, i);
    for (unsigned i = 0; i < 4; i++)
        mpi_wait(&mpi, 1, 300 + 10 * i, 4, (Envelope){0, MPI_WORLD, (3 - i) / 3, 8}, 3 - i);
    mpi_end(&mpi, &written);
    for (unsigned i = 0; i < 4; i++)
        assert_match(&written, 0, i, 1, 3 - i);
}

/* A rank is a number within a communicator. Each side of an inter-communicator has its own ranks. */
Test(match, communicators_name_processes)
{
    g_auto(Written) written;
    Mpi mpi;

    mpi_begin(&mpi, 5, 1);
    mpi_send(&mpi, 0, 100, 4, (Envelope){3, MPI_REVERSED, 0, 8}); /* to process 1 */
    mpi_send(&mpi, 0, 110, 4, (Envelope){1, MPI_WORLD, 0, 8});
    mpi_send(&mpi, 0, 120, 4, (Envelope){0, MPI_INTER, 0, 8}); /* to process 1 */
    mpi_send(&mpi, 0, 130, 4, (Envelope){0, MPI_SELF, 0, 8});
    mpi_send(&mpi, 1, 100, 4, (Envelope){0, MPI_SELF, 0, 8});
    mpi_send(&mpi, 1, 110, 4, (Envelope){2, MPI_INTER, 0, 8}); /* to process 4 */
    mpi_recv(&mpi, 1, 200, 4, (Envelope){0, MPI_INTER, 0, 8});
    mpi_recv(&mpi, 1, 210, 4, (Envelope){0, MPI_WORLD, 0, 8});
    mpi_recv(&mpi, 1, 220, 4, (Envelope){4, MPI_REVERSED, 0, 8});
    mpi_recv(&mpi, 1, 230, 4, (Envelope){0, MPI_SELF, 0, 8});
    mpi_recv(&mpi, 0, 200, 4, (Envelope){0, MPI_SELF, 0, 8});
    mpi_recv(&mpi, 4, 200, 4, (Envelope){0, MPI_INTER, 0, 8});
    mpi_end(&mpi, &written);
    assert_match(&written, 0, 0, 1, 2);
    assert_match(&written, 0, 1, 1, 1);
    assert_match(&written, 0, 2, 1, 0);
    assert_match(&written, 0, 3, 0, 0);
    assert_match(&written, 1, 0, 1, 3);
    assert_match(&written, 1, 1, 4, 0);
}

Test(match, cancelled_sends_match_nothing)
{
    g_auto(Written) written;
    Mpi mpi;

    mpi_begin(&mpi, 2, 1);
    for (unsigned i = 0; i < 6; i++)
        mpi_isend(&mpi, 0, 100 + 10 * i, 4, (Envelope){1, MPI_WORLD, 0, i}, i);
    mpi_record_cancel_send(&mpi, 0, 200, 3);
    mpi_record_cancel_send(&mpi, 0, 201, 0);
    mpi_record_cancel_send(&mpi, 0, 202, 2);
    mpi_recv(&mpi, 1, 300, 4, (Envelope){0, MPI_WORLD, 0, 1});
    mpi_recv(&mpi, 1, 310, 4, (Envelope){0, MPI_WORLD, 0, 4});
    mpi_recv(&mpi, 1, 320, 4, (Envelope){0, MPI_WORLD, 0, 5});
    mpi_end(&mpi, &written);
    assert_match(&written, 0, 1, 1, 0);
    assert_match(&written, 0, 4, 1, 1);
    assert_match(&written, 0, 5, 1, 2);
    for (unsigned i = 0; i < 4; i += i ? 1 : 2) {
        g_autofree char *from = path_of_row("sends", 0, i), *match = target_of(&written, from, "match");
        cr_assert_null(match);
    }
}

/* ---- States. */

/* Returns the value of a line of a record's `message`. */
static char *fact_of(const Written *written, const char *record, const char *name)
{
    g_autofree char *path = g_build_filename(record, "message", NULL);
    GString *text = written_read(written, path);
    g_auto(GStrv) lines = g_strsplit(text->str, "\n", -1);

    g_string_free(text, TRUE);
    for (char **line = lines; *line; line++)
        if (g_str_has_prefix(*line, name) && (*line)[strlen(name)] == ' ')
            return g_strdup(g_strstrip(*line + strlen(name)));
    cr_assert_fail("%s has no %s", path, name);
    return NULL;
}

static void assert_fact(const Written *written, const char *record, const char *name, const char *value)
{
    g_autofree char *fact = fact_of(written, record, name);
    cr_assert_str_eq(fact, value, "%s: %s is %s, should be %s", record, name, fact, value);
}

static void assert_no_match(const Written *written, const char *record, const char *expected)
{
    g_autofree char *match = target_of(written, record, "match"), *reason = fact_of(written, record, "why");

    cr_assert_null(match, "%s leads to %s", record, match);
    assert_fact(written, record, "state", "uncertain");
    cr_assert(strstr(reason, expected), "%s: %s", record, reason);
}

/* One receive is lost, and every message has a different size: the reader matches all others. */
Test(match, messages_after_a_lost_receive_match_by_size)
{
    enum { N = 400, LOST = 200 };
    g_auto(Written) written;
    Mpi mpi;

    mpi_begin(&mpi, 2, 1);
    for (unsigned i = 0; i < N; i++)
        mpi_send(&mpi, 0, 100 + 10 * i, 4, (Envelope){1, MPI_WORLD, 0, i});
    for (unsigned i = 0; i < N; i++)
        if (i != LOST)
            mpi_recv(&mpi, 1, 200 + 10 * i, 4, (Envelope){0, MPI_WORLD, 0, i});
    mpi_end(&mpi, &written);
    assert_match(&written, 0, 0, 1, 0);
    assert_match(&written, 0, 100, 1, 100);
    assert_match(&written, 0, LOST - 65, 1, LOST - 65);
    assert_match(&written, 0, LOST + 65, 1, LOST + 64);
    assert_match(&written, 0, N - 1, 1, N - 2);
    assert_fact(&written, "proc/0/thread/0/sends/num/100", "state", "likely");
    for (unsigned i = LOST - 64; i <= LOST + 64; i++) {
        g_autofree char *send = path_of_row("sends", 0, i);
        assert_no_match(&written, send, "other numbers");
    }
}

/* The receiving process recorded no messages: neither sends nor receives. */
Test(match, messages_to_a_process_without_records_do_not_match)
{
    g_auto(Written) written;
    Mpi mpi;

    mpi_begin(&mpi, 3, 1);
    mpi_send(&mpi, 0, 100, 4, (Envelope){1, MPI_WORLD, 0, 8});
    mpi_send(&mpi, 0, 110, 4, (Envelope){2, MPI_WORLD, 0, 8});
    mpi_recv(&mpi, 2, 200, 4, (Envelope){0, MPI_WORLD, 0, 8});
    mpi_end(&mpi, &written);
    assert_no_match(&written, "proc/0/thread/0/sends/num/0", "other numbers");
    assert_fact(&written, "proc/0/thread/0/sends/num/0", "receives", "0");
    assert_match(&written, 0, 1, 2, 0);
}

/* All messages have the same size, so no size shows which receive is missing. */
Test(match, equal_sizes_stay_uncertain)
{
    g_auto(Written) written;
    Mpi mpi;

    mpi_begin(&mpi, 2, 1);
    for (unsigned i = 0; i < 10; i++)
        mpi_send(&mpi, 0, 100 + i, 1, (Envelope){1, MPI_WORLD, 0, 8});
    for (unsigned i = 0; i < 9; i++)
        mpi_recv(&mpi, 1, 200 + 10 * i, 4, (Envelope){0, MPI_WORLD, 0, 8});
    mpi_send(&mpi, 0, 300, 4, (Envelope){1, MPI_WORLD, 1, 8});
    mpi_end(&mpi, &written);
    assert_no_match(&written, "proc/0/thread/0/sends/num/3", "other numbers");
    assert_no_match(&written, "proc/1/thread/0/recvs/num/3", "other numbers");
    assert_no_match(&written, "proc/0/thread/0/sends/num/10", "other numbers");
    assert_fact(&written, "proc/0/thread/0/sends/num/3", "received", "-");
    assert_fact(&written, "proc/0/thread/0/sends/num/3", "sends", "10");
    assert_fact(&written, "proc/0/thread/0/sends/num/3", "receives", "9");
}

/* The counts of sends and receives agree, but each side lost one record in between. The sizes show it. */
Test(match, sizes_that_differ_are_uncertain)
{
    g_auto(Written) written;
    Mpi mpi;

    mpi_begin(&mpi, 2, 1);
    for (unsigned i = 0; i < 3; i++)
        mpi_send(&mpi, 0, 100 + 10 * i, 4, (Envelope){1, MPI_WORLD, 0, i});
    for (unsigned i = 0; i < 3; i++)
        mpi_recv(&mpi, 1, 200 + 10 * i, 4, (Envelope){0, MPI_WORLD, 0, i == 1 ? 7 : i});
    mpi_end(&mpi, &written);
    assert_match(&written, 0, 0, 1, 0);
    assert_match(&written, 0, 2, 1, 2);
    assert_no_match(&written, "proc/0/thread/0/sends/num/1", "bytes");
    assert_fact(&written, "proc/1/thread/0/recvs/num/1", "bytes_sent", "1 B");
    assert_fact(&written, "proc/1/thread/0/recvs/num/1", "bytes_received", "7 B");
}

/* Two threads of a process share one order of sends, the order of time, unless their sends overlap. */
Test(match, threads_share_an_order)
{
    g_auto(Written) written;
    Mpi mpi;

    mpi_begin(&mpi, 2, 2);
    for (unsigned i = 0; i < 20; i++)
        mpi_send(&mpi, i % 3 == 0, 100 + 10 * i, 4, (Envelope){1, MPI_WORLD, 0, i});
    mpi_send(&mpi, 0, 400, 40, (Envelope){1, MPI_WORLD, 0, 20}); /* 400 to 440 */
    mpi_send(&mpi, 1, 430, 40, (Envelope){1, MPI_WORLD, 0, 21}); /* 430 to 470 */
    mpi_send(&mpi, 0, 500, 4, (Envelope){1, MPI_WORLD, 0, 22});
    for (unsigned i = 0; i < 23; i++)
        mpi_recv(&mpi, 2 + (i % 4 == 0), 600 + 10 * i, 4, (Envelope){0, MPI_WORLD, 0, i});
    mpi_end(&mpi, &written);
    for (unsigned i = 0, rows[2] = {0}, got[2] = {0}; i < 20; i++) {
        unsigned sender = i % 3 == 0, receiver = i % 4 == 0;
        g_autofree char *from = g_strdup_printf("proc/0/thread/%u/sends/num/%u", sender, rows[sender]++);
        g_autofree char *to = g_strdup_printf("proc/1/thread/%u/recvs/num/%u", receiver, got[receiver]++);
        g_autofree char *match = target_of(&written, from, "match"), *reverse = target_of(&written, to, "match");
        cr_assert_str_eq(match, to);
        cr_assert_str_eq(reverse, from);
    }
    assert_no_match(&written, "proc/0/thread/0/sends/num/13", "threads");
    assert_no_match(&written, "proc/0/thread/1/sends/num/7", "threads");
    assert_fact(&written, "proc/0/thread/0/sends/num/14", "state", "certain");
}

Test(match, matched_probes_are_uncertain_until_they_are_over)
{
    g_auto(Written) written;
    Mpi mpi;

    mpi_begin(&mpi, 2, 1);
    for (unsigned i = 0; i < 4; i++)
        mpi_send(&mpi, 0, 100 + 10 * i, 4, (Envelope){1, MPI_WORLD, 0, i});
    mpi_enter(&mpi, 1, 200, MPI_MRECV_CALL);
    mpi_record_recv(&mpi, 1, 202, (Envelope){0, MPI_WORLD, 0, 0});
    mpi_leave(&mpi, 1, 204);
    mpi_irecv(&mpi, 1, 210, 4, 1);
    mpi_enter(&mpi, 1, 220, MPI_MRECV_CALL);
    mpi_record_recv(&mpi, 1, 222, (Envelope){0, MPI_WORLD, 0, 2});
    mpi_leave(&mpi, 1, 224);
    mpi_wait(&mpi, 1, 230, 4, (Envelope){0, MPI_WORLD, 0, 1}, 1);
    mpi_recv(&mpi, 1, 240, 4, (Envelope){0, MPI_WORLD, 0, 3});
    mpi_end(&mpi, &written);
    /* The second MPI_Mrecv may receive a message that was probed before the first one. */
    assert_no_match(&written, "proc/0/thread/0/sends/num/0", "probe");
    assert_match(&written, 0, 3, 1, 3);
    assert_no_match(&written, "proc/0/thread/0/sends/num/1", "probe");
    assert_no_match(&written, "proc/0/thread/0/sends/num/2", "probe");
}

/* ---- Waits. */

Test(match, waits_are_those_of_the_calls)
{
    g_auto(Written) written;
    Mpi mpi;

    mpi_begin(&mpi, 2, 1);
    mpi_send(&mpi, 0, 1000, 20, (Envelope){1, MPI_WORLD, 0, 8});  /* begins 300 ticks after its receive */
    mpi_send(&mpi, 0, 2000, 500, (Envelope){1, MPI_WORLD, 0, 8}); /* the receive begins 250 ticks later */
    mpi_send(&mpi, 0, 3000, 10, (Envelope){1, MPI_WORLD, 0, 8});  /* ends before the receive begins */
    mpi_send(&mpi, 0, 5000, 10, (Envelope){1, MPI_WORLD, 0, 8});  /* begins after its receive has ended */
    mpi_isend(&mpi, 0, 6000, 10, (Envelope){1, MPI_WORLD, 0, 8}, 3);
    mpi_enter(&mpi, 0, 6100, MPI_WAIT_CALL);
    mpi_record_sent(&mpi, 0, 6500, 3);
    mpi_leave(&mpi, 0, 6510);
    mpi_send(&mpi, 0, 7500, 10, (Envelope){1, MPI_WORLD, 0, 8}); /* a test does not wait */
    mpi_recv(&mpi, 1, 700, 400, (Envelope){0, MPI_WORLD, 0, 8});
    mpi_recv(&mpi, 1, 2250, 400, (Envelope){0, MPI_WORLD, 0, 8});
    mpi_recv(&mpi, 1, 3500, 10, (Envelope){0, MPI_WORLD, 0, 8});
    mpi_recv(&mpi, 1, 4000, 10, (Envelope){0, MPI_WORLD, 0, 8});
    mpi_recv(&mpi, 1, 6300, 300, (Envelope){0, MPI_WORLD, 0, 8}); /* begins 200 ticks after the MPI_Wait of its send */
    mpi_irecv(&mpi, 1, 7000, 10, 1);
    mpi_enter(&mpi, 1, 7400, MPI_TEST_CALL);
    mpi_record_complete(&mpi, 1, 7600, (Envelope){0, MPI_WORLD, 0, 8}, 1);
    mpi_leave(&mpi, 1, 7610);
    mpi_end(&mpi, &written);
    static const char *const waits[][2] = {
        {"late_sender", "0.000000300 s"}, {"late_receiver", "0.000000250 s"}, {"-", "-"},
        {"clock_violation", "-"},         {"late_receiver", "0.000000200 s"}, {"-", "-"}};
    for (unsigned i = 0; i < G_N_ELEMENTS(waits); i++) {
        g_autofree char *send = path_of_row("sends", 0, i), *receive = path_of_row("recvs", 1, i);
        assert_match(&written, 0, i, 1, i);
        assert_fact(&written, send, "wait_kind", waits[i][0]);
        assert_fact(&written, send, "wait", waits[i][1]);
        assert_fact(&written, receive, "wait_kind", waits[i][0]);
    }
}

/* ---- Listings. */

static void assert_lines(const Written *written, const char *path, unsigned from, const char *const *lines, unsigned n)
{
    GString *text = written_read(written, path);
    g_auto(GStrv) found = g_strsplit(text->str, "\n", -1);

    g_string_free(text, TRUE);
    cr_assert_leq(from + n, g_strv_length(found));
    for (unsigned i = 0; i < n; i++) {
        g_auto(GStrv) words = g_strsplit_set(found[from + i], " ", -1);
        g_autoptr(GString) line = g_string_new(NULL);
        for (char **word = words; *word; word++)
            if (**word)
                g_string_append_printf(line, "%s%s", line->len ? " " : "", *word);
        cr_assert_str_eq(line->str, lines[i], "%s, line %u: %s", path, from + i, line->str);
    }
}

Test(match, messages_has_a_line_for_each_send)
{
    g_auto(Written) written;
    Mpi mpi;

    mpi_begin(&mpi, 3, 1);
    mpi_send(&mpi, 1, 50, 4, (Envelope){2, MPI_WORLD, 1, 5});
    mpi_send(&mpi, 0, 100, 4, (Envelope){1, MPI_WORLD, 0, 8});
    mpi_send(&mpi, 0, 110, 4, (Envelope){0, MPI_REVERSED, 7, 16}); /* to process 2 */
    mpi_send(&mpi, 0, 120, 4, (Envelope){9, MPI_WORLD, 0, 1});     /* to a rank that does not exist */
    mpi_recv(&mpi, 1, 90, 20, (Envelope){0, MPI_WORLD, 0, 8});
    mpi_irecv(&mpi, 2, 60, 4, 1);
    mpi_wait(&mpi, 2, 150, 4, (Envelope){2, MPI_REVERSED, 7, 16}, 1);
    mpi_end(&mpi, &written);
    static const char *const lines[] = {
        "0.000000052 - - 1 2 0 1 5 uncertain - -",
        "0.000000102 0.000000100 0.000000100 0 1 0 0 8 certain 0.000000010 late_sender",
        "0.000000112 0.000000152 0.000000062 0 2 1 7 16 certain - -",
        "0.000000122 - - 0 - 0 0 1 uncertain - -",
    };
    assert_lines(&written, "messages", 1, lines, G_N_ELEMENTS(lines));
    assert_lines(&written, "proc/0/sends/messages", 1, lines + 1, 3);
    assert_lines(&written, "sends/num/2-4/messages", 1, lines + 2, 2);
    assert_lines(&written, "peer/2/messages", 1, lines, 1);
    assert_lines(&written, "tag/7/messages", 1, lines + 2, 1);
    assert_lines(&written, "time/0.0000001-0.00000011/messages", 1, lines + 1, 1);
    g_autoptr(XtfNode) none = xtf_tree_resolve(written.tree, "recvs/messages", NULL);
    cr_assert_null(none);
}

/* The unmatched groups include cancelled sends, and a group without receives. */
Test(match, unmatched_lists_groups_with_unequal_counts)
{
    g_auto(Written) written;
    Mpi mpi;

    mpi_begin(&mpi, 3, 1);
    for (unsigned i = 0; i < 5; i++)
        mpi_isend(&mpi, 0, 100 + 10 * i, 4, (Envelope){1, MPI_WORLD, 0, 10}, i);
    mpi_record_cancel_send(&mpi, 0, 200, 2);
    for (unsigned i = 0; i < 3; i++)
        mpi_send(&mpi, 0, 300 + 10 * i, 4, (Envelope){0, MPI_REVERSED, 4, 1});
    mpi_send(&mpi, 0, 400, 4, (Envelope){1, MPI_WORLD, 9, 10});
    for (unsigned i = 0; i < 4; i++)
        mpi_recv(&mpi, 1, 500 + 10 * i, 4, (Envelope){0, MPI_WORLD, 0, 10});
    mpi_recv(&mpi, 1, 600, 4, (Envelope){0, MPI_WORLD, 9, 11});
    mpi_recv(&mpi, 1, 700, 4, (Envelope){2, MPI_WORLD, 9, 6});
    mpi_end(&mpi, &written);
    static const char *const lines[] = {
        "3 4 2 13 17 - - - - -",     "1 3 0 3 0 0 2 1 4 receives", "1 0 1 0 6 2 1 0 9 sends",
        "1 1 1 10 11 0 1 0 9 bytes", "- - - - - - - - - -",
    };
    assert_lines(&written, "unmatched", 1, lines, G_N_ELEMENTS(lines));
    static const char *const narrow[] = {"1 1 1 10 11 - - - - -", "1 1 1 10 11 0 1 0 9 bytes", "- - - - - - - - - -"};
    assert_lines(&written, "proc/0/peer/1/unmatched", 1, narrow, G_N_ELEMENTS(narrow));
    assert_lines(&written, "proc/0/tag/9/sends/unmatched", 1, narrow, G_N_ELEMENTS(narrow));
}

/* ---- Growing. */

static XtfTree *tree_of_commit(const Mpi *mpi, XtfTrace **trace)
{
    GError *error = NULL;

    cr_assert(xtf_writer_commit(mpi->writing.writer, &error), "%s", error ? error->message : "");
    cr_assert((*trace = xtf_trace_open(mpi->writing.path, NULL, &error)));
    return xtf_tree_new_growing(*trace, &error);
}

/* The message of a final record may still change: its receive may follow in a later commit. */
Test(match, a_receive_in_a_later_commit_matches)
{
    static const char path[] = "time/0-0.0000002/sends/num/0/message";
    g_auto(Written) written;
    XtfTrace *trace;
    Mpi mpi;

    mpi_begin(&mpi, 2, 1);
    mpi_recv(&mpi, 1, 100, 4, (Envelope){0, MPI_WORLD, 1, 8});
    mpi_send(&mpi, 0, 100, 4, (Envelope){1, MPI_WORLD, 0, 8});
    mpi_send(&mpi, 0, 1000, 4, (Envelope){1, MPI_WORLD, 2, 8});
    mpi_flush(&mpi);
    cr_assert(xtf_writer_set_complete(mpi.writing.writer, 500, NULL));
    XtfTree *tree = tree_of_commit(&mpi, &trace);
    g_autoptr(XtfNode) node = xtf_tree_resolve(tree, path, NULL);
    cr_assert(node && xtf_node_future(node) == XTF_NODE_CHANGES);
    g_clear_pointer(&node, xtf_node_unref);
    xtf_tree_free(tree);
    xtf_trace_unref(trace);
    mpi_recv(&mpi, 1, 1100, 4, (Envelope){0, MPI_WORLD, 0, 8});
    mpi_end(&mpi, &written);
    assert_fact(&written, "time/0-0.0000002/sends/num/0", "state", "certain");
    assert_match(&written, 0, 0, 1, 1);
}
