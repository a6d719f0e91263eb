/* Views of a few events with expected lines written by hand. test-views.c compares the views with random traces. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "tests/tree/traces/example.h"

#define NESTED_CALL ENTER(0, 0, MAIN), ENTER(10, 0, WORK), LEAVE(30, 0), LEAVE(40, 0)

/* ---- profile */

Test(profile, time_in_a_nested_call_is_inclusive_time_of_its_caller)
{
    EXAMPLE(written, NESTED_CALL);

    LINES(written, "profile", 0, "# row calls inclusive exclusive inclusive% exclusive% region",
          "0 1 0.000000040 0.000000020 100.00 50.00 main", "1 1 0.000000020 0.000000020 50.00 50.00 work",
          "2 0 0.000000000 0.000000000 0.00 0.00 barrier", "- 0 0.000000000 0.000000000 0.00 0.00 (unmatched LEAVE)");
}

Test(profile, a_recursive_call_is_inclusive_time_once)
{
    EXAMPLE(written, ENTER(0, 0, MAIN), ENTER(10, 0, MAIN), LEAVE(30, 0), LEAVE(40, 0));

    LINES(written, "profile", 1, "0 2 0.000000040 0.000000040 100.00 100.00 main");
}

Test(profile, a_frame_that_never_began_was_open_before_the_trace)
{
    EXAMPLE(written, SEND(0, 0, 0, 1), LEAVE_LOST(10, 0), ENTER(10, 0, WORK), LEAVE(30, 0));

    LINES(written, "profile", 1, "1 1 0.000000020 0.000000020 66.67 66.67 work",
          "- 0 0.000000010 0.000000010 33.33 33.33 (unmatched LEAVE)");
}

Test(profile, a_frame_that_is_never_left_ends_with_the_last_record_of_its_location)
{
    EXAMPLE(written, ENTER(0, 0, MAIN), ENTER(10, 0, WORK), SEND(40, 0, 0, 1), ENTER(90, 1, MAIN));

    LINES(written, "profile", 1, "1 1 0.000000030 0.000000030 75.00 75.00 work",
          "0 2 0.000000040 0.000000010 100.00 25.00 main");
}

Test(profile, a_window_has_the_calls_that_begin_in_it_and_the_time_in_it)
{
    EXAMPLE(written, NESTED_CALL);

    LINES(written, "time/5ns-20ns/profile", 1, "1 1 0.000000010 0.000000010 66.67 66.67 work",
          "0 0 0.000000015 0.000000005 100.00 33.33 main");
}

Test(profile, under_region_only_that_region_is_listed)
{
    EXAMPLE(written, NESTED_CALL);

    LINES(written, "region/work/profile", 1, "1 1 0.000000020 0.000000020 50.00 50.00 work", "");
}

/* ---- imbalance and stack */

Test(imbalance, a_process_that_was_never_in_a_region_has_a_time_of_0)
{
    EXAMPLE(written, ENTER(0, 0, WORK), LEAVE(30, 0), ENTER(0, 1, MAIN), LEAVE(10, 1));

    LINES(written, "imbalance", 0, "# row mean min max stddev min_proc max_proc region",
          "1 0.000000015 0.000000000 0.000000030 0.000000015 1 0 work",
          "0 0.000000005 0.000000000 0.000000010 0.000000005 0 1 main",
          "2 0.000000000 0.000000000 0.000000000 0.000000000 0 0 barrier");
}

Test(stack, has_the_frames_that_are_open_when_the_window_begins)
{
    EXAMPLE(written, NESTED_CALL);

    LINES(written, "time/20ns-/stack", 0, "# proc thread level since time region", "0 0 1 0.000000000 0.000000020 main",
          "0 0 2 0.000000010 0.000000010 work", "");
    LINES(written, "time/35ns-/stack", 1, "0 0 1 0.000000000 0.000000035 main", "0 0 2 - - -");
}

Test(examples, views_explain_that_the_trace_lacks_records)
{
    EXAMPLE(written, ENTER(0, 0, MAIN), LEAVE(1, 0));
    static const char *const none[] = {"matrix", "bytes", "values"};

    for (unsigned i = 0; i < G_N_ELEMENTS(none); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(XtfNode) node = xtf_tree_resolve(written.tree, none[i], &error);
        cr_assert_null(node, "%s", none[i]);
        cr_assert(strstr(error->message, "but the trace has none"), "%s", error->message);
    }
}

/* ---- enter */

Test(enter, after_an_unmatched_leave_is_the_open_call)
{
    EXAMPLE(written, ENTER(0, 0, MAIN), LEAVE_LOST(1, 0), SEND(2, 0, 1, 1), ENTER(3, 0, WORK), LEAVE_LOST(4, 0),
            LEAVE_LOST(5, 0), SEND(6, 0, 1, 1), LEAVE(7, 0), SEND(8, 0, 1, 1), LEAVE(9, 0), LEAVE_LOST(10, 0),
            SEND(11, 0, 1, 1));

    LINES(written, "sends/num/0/enter/record", 3, "seq 0");
    LINES(written, "sends/num/1/enter/record", 3, "seq 3");
    LINES(written, "sends/num/2/enter/record", 3, "seq 0");
    g_autoptr(XtfNode) none = xtf_tree_resolve(written.tree, "sends/num/3/enter", NULL);
    cr_assert_null(none);
}

/* ---- matrix and bytes */

#define MESSAGES SEND(1, 0, 1, 100), SEND(2, 0, 1, 20), RECV(3, 1, 0, 100), SEND(4, 1, 0, 0)

Test(matrix, counts_messages_where_they_are_sent_and_under_recvs_where_they_are_received)
{
    EXAMPLE(written, MESSAGES);

    LINES(written, "matrix", 0, "# sender receiver messages bytes", "0 1 2 120", "1 0 1 0", "");
    LINES(written, "recvs/matrix", 1, "0 1 1 100", "");
    LINES(written, "proc/1/recvs/matrix", 1, "0 1 1 100", "");
    LINES(written, "proc/0/recvs/matrix", 1, "");
}

/* The matrix lists the pairs of the whole trace, so that its size depends on no window. */
Test(matrix, has_the_pairs_that_exchange_messages_anywhere)
{
    EXAMPLE(written, SEND(1, 0, 1, 100), SEND(2, 0, 2, 20), SEND(3, 2, 0, 3), ENTER(5, 3, MAIN));

    LINES(written, "matrix", 1, "0 1 1 100", "0 2 1 20", "2 0 1 3", "");
    LINES(written, "time/2ns-/matrix", 1, "0 1 0 0", "0 2 1 20", "2 0 1 3", "");
    LINES(written, "time/4ns-/matrix", 1, "0 1 0 0", "0 2 0 0", "2 0 0 0", "");
    LINES(written, "peer/0/matrix", 1, "2 0 1 3", "");
    LINES(written, "peer/1-/proc/0/matrix", 1, "0 1 1 100", "0 2 1 20", "");
    LINES(written, "peer/2-/tag/99/matrix", 1, "0 2 0 0", "");
    LINES(written, "proc/1,3/matrix", 1, "");
}

/* The tree makes the text in parts, each of which may begin between two lines of one process. */
Test(matrix, of_many_pairs_is_read_in_parts)
{
    enum { PROCS = 150 };
    g_autofree ExampleEvent *events = g_new0(ExampleEvent, PROCS * PROCS);
    g_auto(Written) written;

    for (unsigned i = 0; i < PROCS * PROCS; i++)
        events[i] = SEND(i, i / PROCS, i % PROCS, i);
    example_write(&written, events, PROCS * PROCS);
    GString *text = written_read(&written, "matrix");
    g_auto(GStrv) lines = g_strsplit(text->str, "\n", -1);
    cr_assert_gt(text->len, 600000); /* so long that the tree makes it in several parts */
    cr_assert_eq(g_strv_length(lines), PROCS * PROCS + 2);
    for (unsigned i = 0; i < PROCS * PROCS; i++) {
        unsigned sender, receiver, messages, bytes;
        cr_assert_eq(sscanf(lines[i + 1], "%u %u %u %u", &sender, &receiver, &messages, &bytes), 4);
        cr_assert(sender == i / PROCS && receiver == i % PROCS && messages == 1 && bytes == i, "%s", lines[i + 1]);
    }
    g_string_free(text, TRUE);
    LINES(written, "peer/7,140/proc/0-1/matrix", 1, "0 7 1 7", "0 140 1 140", "1 7 1 157", "1 140 1 290", "");
}

Test(bytes, has_a_line_for_each_process)
{
    EXAMPLE(written, MESSAGES);

    LINES(written, "bytes", 1, "0 2 120 0 0 0 0 0", "1 1 0 1 100 0 0 0", "");
}

/* These are many groups, so pages have totals by all keys and coarse totals by fewer. The matrix needs the peers,
 * which coarse totals leave out; bytes needs no key. */
Test(matrix, needs_more_keys_than_coarse_totals_have)
{
    enum { PEERS = 40, EACH = 1000 };
    g_autofree ExampleEvent *events = g_new0(ExampleEvent, PEERS * EACH);
    g_auto(Written) written;

    for (unsigned i = 0; i < PEERS * EACH; i++)
        events[i] = SEND(i, 0, i % PEERS, i % PEERS);
    example_write(&written, events, PEERS * EACH);
    LINES(written, "proc/0/matrix", 1, "0 0 1000 0", "0 1 1000 1000", "0 2 1000 2000");
    LINES(written, "proc/0/time/4us-36us/matrix", 40, "0 39 800 31200", "");
    LINES(written, "proc/0/bytes", 1, "0 40000 780000 0 0 0 0 0", "");
    LINES(written, "proc/0/time/4us-36us/bytes", 1, "0 32000 624000 0 0 0 0 0", "");
}

/* ---- histogram */

Test(histogram, a_record_at_the_bound_of_two_bins_is_in_the_later_one)
{
    EXAMPLE(written, ENTER(0, 0, MAIN), LEAVE(1, 0), ENTER(2, 0, WORK), SEND(3, 0, 0, 50), LEAVE(199, 0));

    LINES(written, "histogram", 0, "# from to count calls sent_messages sent_bytes received_messages received_bytes",
          "0.000000000 0.000000002 2 1 0 0 0 0", "0.000000002 0.000000004 2 1 1 50 0 0",
          "0.000000004 0.000000006 0 0 0 0 0 0");
    LINES(written, "histogram", 100, "0.000000198 0.000000200 1 0 0 0 0 0", "");
}

Test(histogram, records_at_the_greatest_time_are_in_the_last_bin)
{
    enum { EACH = 30000 };
    g_autofree ExampleEvent *events = g_new(ExampleEvent, 2 * EACH);
    g_auto(Written) written;

    for (unsigned i = 0; i < 2 * EACH; i++)
        events[i] = SEND(i < EACH ? 0 : UINT64_MAX, 0, 0, 7);
    example_write(&written, events, 2 * EACH);
    LINES(written, "totals", 1, "60000 0 60000 420000 0 0", "");
    LINES(written, "histogram", 100, "18262276632.972456098 18446744073.709551615 30000 0 30000 210000 0 0", "");
}
