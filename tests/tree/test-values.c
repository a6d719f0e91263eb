/* `values` of a few events with expected lines written by hand. Bin i of 100 ticks is line 1 + i of a metric. */
#include <criterion/criterion.h>

#include "tests/tree/traces/example.h"

Test(values, metrics_of_different_kinds_have_lines_of_their_own_kind)
{
    EXAMPLE(written, UNSIGNED(0, 0, CYCLES, 3), REAL(0, 0, LOAD, -0.5), UNSIGNED(0, 0, CYCLES, 5),
            REAL(0, 0, LOAD, 1.5), UNSIGNED(99, 0, CYCLES, UINT64_MAX));

    LINES(written, "values", 0, "# from to row count min mean max last metric",
          "0.000000000 0.000000001 0 2 3 4 5 5 cycles", "0.000000001 0.000000002 0 0 - - - - cycles");
    LINES(written, "values", 100,
          "0.000000099 0.000000100 0 1 18446744073709551615 1.844674407e+19 18446744073709551615 18446744073709551615 "
          "cycles",
          "0.000000000 0.000000001 1 2 -0.5 0.5 1.5 1.5 load");
    LINES(written, "values", 200, "0.000000099 0.000000100 1 0 - - - - load");
}

Test(values, last_is_the_value_of_the_latest_time_then_of_the_greatest_location)
{
    EXAMPLE(written, UNSIGNED(0, 0, CYCLES, 7), UNSIGNED(0, 1, CYCLES, 9), UNSIGNED(99, 0, CYCLES, 2),
            UNSIGNED(98, 1, CYCLES, 1));

    LINES(written, "values", 1, "0.000000000 0.000000001 0 2 7 8 9 9 cycles");
    LINES(written, "proc/0/values", 1, "0.000000000 0.000000001 0 1 7 7 7 7 cycles");
    LINES(written, "values", 99, "0.000000098 0.000000099 0 1 1 1 1 1 cycles",
          "0.000000099 0.000000100 0 1 2 2 2 2 cycles");
}

Test(values, a_sum_of_more_than_64_bits_still_has_a_mean)
{
    EXAMPLE(written, UNSIGNED(0, 0, CYCLES, UINT64_MAX), UNSIGNED(0, 0, CYCLES, UINT64_MAX), ENTER(99, 0, MAIN));

    LINES(written, "values", 1,
          "0.000000000 0.000000001 0 2 18446744073709551615 1.844674407e+19 18446744073709551615 18446744073709551615 "
          "cycles");
}

Test(values, integers_with_and_without_sign_become_doubles_together)
{
    EXAMPLE(written, UNSIGNED(0, 0, CYCLES, UINT64_MAX), SIGNED(0, 0, CYCLES, INT64_MIN), SIGNED(99, 0, CYCLES, -1));

    LINES(written, "values", 1,
          "0.000000000 0.000000001 0 2 -9.2233720368547758e+18 4.611686018e+18 1.8446744073709552e+19 "
          "-9.2233720368547758e+18 cycles");
    LINES(written, "values", 100, "0.000000099 0.000000100 0 1 -1 -1 -1 -1 cycles");
}
