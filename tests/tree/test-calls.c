/* calls/ and `longest` of a few events with expected lines written by hand. tests/roundtrip/calls.py compares real
 * traces. */
#include <criterion/criterion.h>
#include <stdio.h>

#include <stdlib.h>

#include "tests/tree/traces/example.h"

#define NESTED_CALL ENTER(0, 0, MAIN), ENTER(10, 0, WORK), LEAVE(30, 0), LEAVE(40, 0)
#define RECORDS     "calls/records"

/* Compares the number in a file. */
static void assert_number(const Written *written, const char *path, unsigned long right)
{
    GString *text = written_read(written, path);
    cr_assert_eq(strtoul(text->str, NULL, 10), right, "%s: %s", path, text->str);
    g_string_free(text, TRUE);
}

static void assert_absent(const Written *written, const char *path)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(XtfNode) node = xtf_tree_resolve(written->tree, path, &error);
    cr_assert(!node && g_error_matches(error, XTF_ERROR, XTF_ERROR_NOT_FOUND), "%s", path);
}

Test(calls, a_call_is_one_line)
{
    EXAMPLE(written, NESTED_CALL);

    assert_number(&written, "count", 4);
    assert_number(&written, "calls/count", 2);
    LINES(written, RECORDS, 0, "0.000000000 0 0 0.000000040 0.000000040 0.000000020 1 left 0 main",
          "0.000000010 0 0 0.000000030 0.000000020 0.000000020 2 left 1 work", "");
}

Test(calls, columns_describe_the_line)
{
    EXAMPLE(written, NESTED_CALL);

    LINES(written, "calls/columns", 1, "start 1 11 11 s when it was entered, since the origin of the trace",
          "proc 13 13 1 - process", "thread 15 15 1 - thread of the process");
}

Test(calls, exclusive_time_of_recursion_is_that_of_each_call)
{
    EXAMPLE(written, ENTER(0, 0, MAIN), ENTER(10, 0, MAIN), ENTER(12, 0, MAIN), LEAVE(15, 0), LEAVE(30, 0),
            LEAVE(40, 0));

    LINES(written, RECORDS, 0, "0.000000000 0 0 0.000000040 0.000000040 0.000000020 1 left 0 main",
          "0.000000010 0 0 0.000000030 0.000000020 0.000000017 2 left 0 main",
          "0.000000012 0 0 0.000000015 0.000000003 0.000000003 3 left 0 main", "");
}

Test(calls, a_call_that_is_never_left_is_open_until_the_last_record_of_its_location)
{
    EXAMPLE(written, ENTER(0, 0, MAIN), ENTER(10, 0, WORK), SEND(40, 0, 0, 1), ENTER(90, 1, MAIN));

    LINES(written, RECORDS, 0, "0.000000000 0 0 0.000000040 0.000000040 0.000000010 1 open 0 main",
          "0.000000010 0 0 0.000000040 0.000000030 0.000000030 2 open 1 work",
          "0.000000090 1 0 0.000000090 0.000000000 0.000000000 1 open 0 main", "");
    assert_absent(&written, "calls/num/0/leave");
}

Test(calls, a_call_without_a_leave_is_cut_when_the_call_around_it_is_left)
{
    EXAMPLE(written, ENTER(0, 0, MAIN), ENTER(10, 0, WORK), LEAVE_OUTER(40, 0), SEND(50, 0, 0, 1));

    LINES(written, RECORDS, 0, "0.000000000 0 0 0.000000040 0.000000040 0.000000010 1 left 0 main",
          "0.000000010 0 0 0.000000040 0.000000030 0.000000030 2 cut 1 work", "");
}

Test(calls, a_leave_without_an_enter_is_no_call)
{
    EXAMPLE(written, SEND(0, 0, 0, 1), LEAVE_LOST(10, 0), ENTER(10, 0, WORK), LEAVE_LOST(20, 0), LEAVE(30, 0));

    LINES(written, RECORDS, 0, "0.000000010 0 0 0.000000030 0.000000020 0.000000020 1 left 1 work", "");
    LINES(written, "enters_leaves/records", 0, "0.000000010 0 0 1 LEAVE 0 0 0 0 - main",
          "0.000000010 0 0 2 ENTER 1 0 1 1 - work", "0.000000020 0 0 3 LEAVE 0 0 0 0 - main",
          "0.000000030 0 0 4 LEAVE 1 2 1 1 0.000000020 work", "");
}

Test(calls, a_call_belongs_to_the_window_in_which_it_is_entered_and_is_shown_whole)
{
    EXAMPLE(written, NESTED_CALL);

    assert_number(&written, "time/0-10ns/calls/count", 1);
    assert_number(&written, "time/10ns-11ns/calls/count", 1);
    assert_number(&written, "time/11ns-/calls/count", 0);
    LINES(written, "time/10ns-11ns/calls/records", 0,
          "0.000000010 0 0 0.000000030 0.000000020 0.000000020 2 left 1 work", "");
    LINES(written, "time/0-5ns/calls/records", 0, "0.000000000 0 0 0.000000040 0.000000040 0.000000020 1 left 0 main",
          "");
}

Test(calls, narrow_in_any_order)
{
    EXAMPLE(written, NESTED_CALL, SEND(60, 0, 1, 1), ENTER(5, 1, WORK), LEAVE(6, 1));

    assert_number(&written, "calls/proc/0/count", 2);
    assert_number(&written, "calls/region/work/count", 2);
    assert_number(&written, "region/work,main/proc/0/calls/count", 2);
    assert_number(&written, "region/work/calls/proc/1/count", 1);
    assert_number(&written, "enters_leaves/calls/count", 3);
    assert_number(&written, "calls/enters_leaves/count", 3);
    assert_number(&written, "calls/calls/count", 3);
    assert_number(&written, "calls/sends/count", 0);
    assert_number(&written, "sends/calls/count", 0);
    assert_number(&written, "num/1-4/calls/count", 2); /* ENTER 5, LEAVE 6, ENTER 10 */
    assert_number(&written, "calls/num/1-3/region/work/count", 2);
    LINES(written, "calls/num/1-2/records", 0, "0.000000005 1 0 0.000000006 0.000000001 0.000000001 1 left 1 work", "");
    LINES(written, "info", 4, "records 7 -", "calls 3 -", "enters_leaves 6 -", "sends 1 -", "");
    LINES(written, "proc/0/calls/info", 4, "calls 2 -", "");
}

Test(calls, a_call_links_to_other_calls)
{
    EXAMPLE(written, ENTER(0, 0, MAIN), ENTER(10, 0, WORK), ENTER(20, 0, BARRIER), LEAVE(30, 0), LEAVE(35, 0),
            ENTER(36, 0, WORK), LEAVE(40, 0), LEAVE(50, 0));

    LINES(written, "calls/num/0/children", 0, "0.000000010 0 0 0.000000035 0.000000025 0.000000015 2 left 1 work",
          "0.000000036 0 0 0.000000040 0.000000004 0.000000004 2 left 1 work", "");
    assert_number(&written, "calls/num/0/inside/count", 3);
    assert_number(&written, "calls/num/1/inside/count", 1);
    assert_number(&written, "calls/num/2/inside/count", 0);
    LINES(written, "calls/num/2/record", 0, "start 0.000000020 s", "proc 0", "thread 0", "end 0.000000030 s",
          "duration 0.000000010 s", "exclusive 0.000000010 s", "depth 3", "ending left", "region 2", "name barrier");
    LINES(written, "calls/num/2/parent/record", 0, "start 0.000000010 s");
    LINES(written, "calls/num/2/parent/parent/record", 0, "start 0.000000000 s");
    LINES(written, "calls/num/2/next/record", 0, "start 0.000000036 s");
    LINES(written, "calls/num/2/enter/record", 0, "time 0.000000020 s");
    LINES(written, "calls/num/2/leave/record", 0, "time 0.000000030 s");
    assert_absent(&written, "calls/num/0/parent");
    assert_absent(&written, "enters_leaves/num/0/children");
}

Test(calls, deep_stacks_are_whole)
{
    enum { DEEP = 150 };
    ExampleEvent events[2 * DEEP];
    g_auto(Written) written;
    char line[200];

    for (unsigned i = 0; i < DEEP; i++) {
        events[i] = ENTER(i, 0, i % 2 ? WORK : MAIN);
        events[DEEP + i] = LEAVE(DEEP + i, 0);
    }
    example_write(&written, events, 2 * DEEP);
    for (unsigned i = 0; i < DEEP; i += 7) {
        unsigned end = 2 * DEEP - 1 - i;
        snprintf(line, sizeof line, "0.%09u 0 0 0.%09u 0.%09u 0.%09u %u left %u %s", i, end, end - i,
                 i + 1 < DEEP ? 2 : 1, i + 1, i % 2, i % 2 ? "work" : "main");
        LINES(written, RECORDS, i, line);
    }
    assert_number(&written, "calls/num/70/inside/count", DEEP - 71);
    LINES(written, "calls/num/100/parent/record", 0, "start 0.000000099 s");
}

/* These are more locations than one batch of records holds. */
Test(calls, of_many_locations_are_in_order)
{
    enum { MANY = 150 };
    ExampleEvent events[4 * MANY];
    g_auto(Written) written;
    char line[200];

    for (unsigned p = 0; p < MANY; p++) {
        events[4 * p] = ENTER(p, p, MAIN);
        events[4 * p + 1] = ENTER(1000 + p, p, WORK);
        events[4 * p + 2] = LEAVE(2000 + p, p);
        events[4 * p + 3] = LEAVE(3000 + 2 * p, p);
    }
    example_write(&written, events, 4 * MANY);
    assert_number(&written, "calls/count", 2 * MANY);
    for (unsigned p = 0; p < MANY; p++) {
        snprintf(line, sizeof line, "0.%09u %u 0 0.%09u 0.%09u 0.%09u 1 left 0 main", p, p, 3000 + 2 * p, 3000 + p,
                 2000 + p);
        LINES(written, RECORDS, p, line);
        snprintf(line, sizeof line, "0.%09u %u 0 0.%09u 0.000001000 0.000001000 2 left 1 work", 1000 + p, p, 2000 + p);
        LINES(written, RECORDS, MANY + p, line);
    }
    for (unsigned rank = 1; rank <= 100; rank++) {
        unsigned p = MANY - rank;
        snprintf(line, sizeof line, "%u 0.%09u 0.%09u 0.%09u 1 left %u 0 0 0 main", rank, p, 3000 + 2 * p, 3000 + p, p);
        LINES(written, "longest", rank, line);
    }
}

/* ---- longest */

Test(longest, begins_with_the_longest_and_of_equals_with_the_earliest)
{
    EXAMPLE(written, NESTED_CALL, ENTER(5, 1, BARRIER), LEAVE(25, 1), ENTER(27, 1, WORK));

    LINES(written, "longest", 0, "# rank start end duration depth ending proc thread call row region",
          "1 0.000000000 0.000000040 0.000000040 1 left 0 0 0 0 main",
          "2 0.000000005 0.000000025 0.000000020 1 left 1 0 0 2 barrier",
          "3 0.000000010 0.000000030 0.000000020 2 left 0 0 1 1 work",
          "4 0.000000027 0.000000027 0.000000000 1 open 1 0 1 1 work", "5 - - - - - - - - - -");
}

Test(longest, has_the_calls_that_are_entered_in_the_selection)
{
    EXAMPLE(written, NESTED_CALL, ENTER(5, 1, BARRIER), LEAVE(25, 1));

    LINES(written, "time/1ns-6ns/longest", 1, "1 0.000000005 0.000000025 0.000000020 1 left 1 0 0 2 barrier",
          "2 - - - - - - - - - -");
    LINES(written, "region/work,barrier/proc/0/longest", 1, "1 0.000000010 0.000000030 0.000000020 2 left 0 0 1 1 work",
          "2 - - - - - - - - - -");
    LINES(written, "calls/num/1-2/longest", 1, "1 0.000000005 0.000000025 0.000000020 1 left 1 0 0 2 barrier",
          "2 - - - - - - - - - -");
    assert_absent(&written, "sends/longest");
}
