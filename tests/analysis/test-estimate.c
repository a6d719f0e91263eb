#include <criterion/criterion.h>
#include <glib.h>
#include <math.h>

#include "src/analysis/predict/estimate.h"

static double line_at(double latency, double per_byte, uint64_t bytes)
{
    return latency + per_byte * (double)bytes;
}

Test(estimate, finds_the_network_of_waited_messages)
{
    XtfEstimate estimate;
    double latency, per_byte;

    xtf_estimate_init(&estimate);
    cr_assert_not(xtf_estimate_fit(&estimate, &latency, &per_byte), "no messages");
    for (uint64_t bytes = 0; bytes <= 1 << 20; bytes = bytes * 2 + 8) {
        xtf_estimate_add(&estimate, bytes, 1000 + bytes / 2, true);
        xtf_estimate_add(&estimate, bytes, 5000 + bytes, true); /* slower */
        xtf_estimate_add(&estimate, bytes, 9000 + bytes, false);
    }
    cr_assert(xtf_estimate_fit(&estimate, &latency, &per_byte));
    cr_expect_float_eq(latency, 1000, 1, "%f", latency);
    cr_expect_float_eq(per_byte, 0.5, 0.001, "%f", per_byte);
}

Test(estimate, heeds_faster_messages_of_other_sizes)
{
    XtfEstimate estimate;
    double latency, per_byte;

    xtf_estimate_init(&estimate);
    xtf_estimate_add(&estimate, 4 << 20, 528000, true);
    cr_assert(xtf_estimate_fit(&estimate, &latency, &per_byte));
    cr_expect(latency == 528000 && per_byte == 0, "one size: %f %f", latency, per_byte);
    xtf_estimate_add(&estimate, 100, 2000, false);
    xtf_estimate_add(&estimate, 200, 900000, false);
    cr_assert(xtf_estimate_fit(&estimate, &latency, &per_byte));
    cr_expect_float_eq(line_at(latency, per_byte, 100), 2000, 1, "%f %f", latency, per_byte);
    cr_expect_float_eq(line_at(latency, per_byte, 4 << 20), 528000, 1, "%f %f", latency, per_byte);
}

/* No line may lie above a message that was waited for. */
Test(estimate, lies_below_all_waited_messages)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(7);

    for (int round = 0; round < 2000; round++) {
        XtfEstimate estimate;
        uint64_t bytes[20], ticks[20];
        int n = g_rand_int_range(random, 1, G_N_ELEMENTS(bytes));
        double latency, per_byte;
        xtf_estimate_init(&estimate);
        for (int i = 0; i < n; i++) {
            bytes[i] = g_rand_int(random) >> g_rand_int_range(random, 0, 32);
            ticks[i] = g_rand_int(random) >> g_rand_int_range(random, 0, 32);
            xtf_estimate_add(&estimate, bytes[i], ticks[i], true);
            xtf_estimate_add(&estimate, bytes[i] / 3, ticks[i] / 2, g_rand_boolean(random));
        }
        cr_assert(xtf_estimate_fit(&estimate, &latency, &per_byte));
        cr_expect(latency >= 0 && per_byte >= 0);
        for (int i = 0; i < n; i++) /* a size has the fastest of its messages, which may be some bytes longer */
            cr_expect_leq(line_at(latency, per_byte, bytes[i] - bytes[i] / 8), (double)ticks[i] * (1 + 1e-9) + 1e-3,
                          "round %d: %f + %f * %" G_GUINT64_FORMAT " > %" G_GUINT64_FORMAT, round, latency, per_byte,
                          bytes[i], ticks[i]);
    }
}
