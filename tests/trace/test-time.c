/* Times: conversions are exact, printed times read back as the same ticks, and text that is no time is refused. */
#include <criterion/criterion.h>
#include <glib.h>
#include <string.h>

#include "libxtf/error.h"
#include "libxtf/trace.h"
#include "src/trace/text/time-scale.h"
#include "src/trace/typed/frame-rate.h"

static XtfTimeScale scale_of(uint64_t num, uint64_t den, uint64_t origin, uint64_t last)
{
    XtfClock clock = {.resolution_num = num, .resolution_den = den, .origin = origin, .first = origin, .last = last};
    XtfTimeScale scale;
    xtf_time_scale_init(&scale, &clock);
    return scale;
}

static void assert_window(const XtfTimeScale *scale, const char *text, uint64_t a, uint64_t b)
{
    GError *error = NULL;
    uint64_t from = 1, to = 1;
    cr_assert(xtf_time_scale_parse_window(scale, text, &from, &to, &error), "%s: %s", text,
              error ? error->message : "");
    cr_assert_eq(from, a, "%s begins at %lu, not %lu", text, from, a);
    cr_assert_eq(to, b, "%s ends at %lu, not %lu", text, to, b);
}

Test(time, units_are_exact)
{
    XtfTimeScale scale = scale_of(1000000000, 1, 0, 999);

    assert_window(&scale, "1.5-2", 1500000000, 2000000000);
    assert_window(&scale, "0.1s-0.3s", 100000000, 300000000);
    assert_window(&scale, "-5ms", 0, 5000000);
    assert_window(&scale, "10us-", 10000, XTF_TIME_OPEN);
    assert_window(&scale, "1m-2h", 60000000000, 7200000000000);
    assert_window(&scale, "0.1ns-1.0000000000001ns", 1, 2);
    assert_window(&scale, "100.25s-100.25s", 100250000000, 100250000000);
    assert_window(&scale, "25%-100%", 250, 1000);
    assert_window(&scale, "33.3%-33.4%", 333, 334);
    assert_window(&scale, "0-50%", 0, 500);
    assert_window(&scale, "0%-0.00", 0, 0);
    assert_window(&scale, "10%-2s", 100, 2000000000);
    assert_window(&scale, "1ns-50%", 1, 500);
    assert_window(&scale, "0-99999999999999999999999999999999", 0, UINT64_MAX);
}

Test(time, counts_from_the_origin)
{
    XtfTimeScale scale = scale_of(1000, 1, 5000, 5999);

    assert_window(&scale, "0-1", 5000, 6000);
    assert_window(&scale, "50%-", 5500, XTF_TIME_OPEN);
}

/* 0.1 s in thirds of a second: the first tick at or after it. */
Test(time, rounds_up_to_ticks)
{
    XtfTimeScale scale = scale_of(3, 1, 0, 100);

    assert_window(&scale, "0.1-0.333", 1, 1);
    assert_window(&scale, "0.334-1", 2, 3);
}

Test(time, refuses_nonsense)
{
    static const char *const wrong[] = {"",
                                        "-",
                                        "5",
                                        "a-b",
                                        "1-2x",
                                        "2-1",
                                        "1ms-1us",
                                        "10-20ms",
                                        "40%-60",
                                        "0.0000000001-60%",
                                        "1.2.3-4",
                                        "1--2",
                                        "1e3-2e3",
                                        "1-2-3",
                                        "%-5%",
                                        ".-1",
                                        "+1-2",
                                        " 1-2",
                                        "1 s-2",
                                        "0x1-2",
                                        "11111111111111111111111111111111111111111111-"};
    XtfTimeScale scale = scale_of(1000000000, 1, 0, 999);

    for (unsigned i = 0; i < G_N_ELEMENTS(wrong); i++) {
        g_autoptr(GError) error = NULL;
        uint64_t a = 7, b = 7;
        cr_assert_not(xtf_time_scale_parse_window(&scale, wrong[i], &a, &b, &error), "\"%s\" was accepted", wrong[i]);
        cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_NOT_FOUND));
        cr_assert(a == 7 && b == 7, "a failure must not change the outputs");
    }
}

Test(time, instants)
{
    static const struct {
        const char *text;
        uint64_t t;
    } cases[] = {{"0", 5000},    {"1.5s", 6500}, {"50%", 5500},
                 {"100%", 6000}, {"2ms", 5002},  {"99999999999999999999999", UINT64_MAX}};
    static const char *const wrong[] = {"", "-", "1-", "-1", "1-2", "x", "1x", "%", "1 s"};
    XtfTimeScale scale = scale_of(1000, 1, 5000, 5999);
    uint64_t t = 7;

    for (unsigned i = 0; i < G_N_ELEMENTS(wrong); i++)
        cr_assert(!xtf_time_scale_parse_instant(&scale, wrong[i], &t, NULL) && t == 7, "%s", wrong[i]);
    for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
        cr_assert(xtf_time_scale_parse_instant(&scale, cases[i].text, &t, NULL), "%s", cases[i].text);
        cr_assert_eq(t, cases[i].t, "%s", cases[i].text);
    }
}

/* Asserts that an instant reads back as the same ticks when it is printed. */
static void assert_instant(const XtfTimeScale *scale, uint64_t t)
{
    char name[XTF_TIME_TEXT_MAX];
    uint64_t read = 0;

    xtf_time_scale_print_instant(scale, t, name);
    cr_assert(xtf_time_scale_parse_instant(scale, name, &read, NULL), "%s", name);
    cr_assert_eq(read, t, "%s", name);
}

static void round_trip(const XtfTimeScale *scale, uint64_t a, uint64_t b)
{
    char name[XTF_WINDOW_TEXT_MAX], column[XTF_TIME_TEXT_MAX], *end = column + sizeof column;
    char window[2 * XTF_TIME_TEXT_MAX];
    char *begin = xtf_time_scale_put(scale, a - scale->origin, end);

    xtf_time_scale_print_window(scale, a, b, name);
    assert_window(scale, name, a, b);
    assert_instant(scale, a);
    assert_instant(scale, b);
    g_snprintf(window, sizeof window, "%.*s-", (int)(end - begin), begin);
    assert_window(scale, window, a, XTF_TIME_OPEN);
    cr_assert_leq(end - begin, scale->width);
}

Test(time, reads_back_what_it_prints)
{
    static const struct {
        uint64_t num, den;
    } resolutions[] = {
        {1, 1},          {1, 60},
        {2, 1},          {3, 1},
        {7, 3},          {10, 1},
        {999, 1000},     {1000, 1},
        {1024, 1},       {44100, 1},
        {999999999, 1},  {1000000000, 1},
        {1000000001, 1}, {2399987654, 1},
        {3200000000, 1}, {3999999999, 7},
        {4000000000, 1}, {UINT64_C(1) << 62, 1},
        {UINT64_MAX, 1}, {UINT64_MAX, UINT64_MAX - 1},
        {1, UINT64_MAX}, {UINT64_C(10000000000000000001), 3},
    };
    g_autoptr(GRand) random = g_rand_new_with_seed(1);

    for (unsigned r = 0; r < G_N_ELEMENTS(resolutions); r++) {
        for (unsigned i = 0; i < 3000; i++) {
            uint64_t x = ((uint64_t)g_rand_int(random) << 32 | g_rand_int(random)) >> g_rand_int_range(random, 0, 64);
            uint64_t y = ((uint64_t)g_rand_int(random) << 32 | g_rand_int(random)) >> g_rand_int_range(random, 0, 64);
            XtfTimeScale scale = scale_of(resolutions[r].num, resolutions[r].den, i % 2 ? MIN(x, y) / 2 : 0, MAX(x, y));
            round_trip(&scale, MIN(x, y), MIN(MAX(x, y), UINT64_MAX - 1));
        }
    }
}

Test(time, neighbouring_ticks_look_different)
{
    XtfTimeScale scale = scale_of(3200000000, 1, 0, UINT64_C(1) << 40);

    for (uint64_t t = 123456789; t < 123466789; t++) {
        char one[XTF_TIME_TEXT_MAX] = "", two[XTF_TIME_TEXT_MAX] = "";
        char *a = xtf_time_scale_put(&scale, t, one + sizeof one - 1),
             *b = xtf_time_scale_put(&scale, t + 1, two + sizeof two - 1);
        cr_assert(strcmp(a, b) < 0, "%s and %s", a, b);
    }
}

/* A column of times is the same as its times written one by one: within a second, across seconds, and in descending
 * order. */
Test(time, columns_are_the_same_as_single_times)
{
    enum { N = 64, LINE = 60 };
    static const uint64_t resolutions[][2] = {{1, 1},
                                              {1000, 1},
                                              {1000000000, 1},
                                              {2399987654, 1},
                                              {999999999, 1},
                                              {3, 1},
                                              {7, 3},
                                              {10000000000, 1},
                                              {(UINT64_C(1) << 60) - 1, 1},
                                              {UINT64_MAX, 1},
                                              {10000000000000000000u, 1}};
    g_autoptr(GRand) random = g_rand_new_with_seed(5);

    for (size_t r = 0; r < G_N_ELEMENTS(resolutions); r++) {
        uint64_t num = resolutions[r][0], last = num > UINT64_MAX / 1000 ? UINT64_MAX - 1 : num * 1000;
        XtfTimeScale scale = scale_of(num, resolutions[r][1], 0, last);
        for (unsigned round = 0; round < 200; round++) {
            char lines[N * LINE], expected[N * LINE];
            uint64_t ticks[N], t = (uint64_t)(g_rand_double(random) * (double)last / 2);
            XtfSecond second = 0;
            for (unsigned i = 0; i < N; i++) {
                t += (uint64_t)(g_rand_double(random) * (double)num / (round % 2 ? 10000 : 10));
                ticks[i] = MIN(round % 7 == 6 ? last - MIN(t, last) : t, last);
            }
            memset(lines, '#', sizeof lines);
            memset(expected, '#', sizeof expected);
            for (unsigned i = 0; i < N; i++) {
                char *end = expected + i * LINE + LINE - 1;
                memset(end - scale.width, ' ', scale.width);
                xtf_time_scale_put(&scale, ticks[i], end);
                xtf_time_scale_put_second(&scale, ticks[0], lines + i * LINE + LINE - 1, &second);
            }
            char *places[N];
            for (unsigned i = 0; i < N; i++)
                places[i] = lines + i * LINE;
            xtf_time_scale_put_column(&scale, second, ticks, N, places, LINE - 1);
            for (unsigned i = 0; i < N; i++)
                cr_assert(memcmp(lines + i * LINE, expected + i * LINE, LINE) == 0,
                          "tick %lu of %lu a second: %.*s, should be %.*s", ticks[i], num, LINE, lines + i * LINE, LINE,
                          expected + i * LINE);
        }
    }
}

/* ---- Frames. */

/* Asserts that the frames tile the trace, and that each frame's bounds enclose exactly the times whose frame it is. */
static void assert_frames(const XtfTimeScale *scale, const char *text)
{
    XtfFrameRate rate;

    if (!xtf_frame_rate_parse(&rate, scale, text, NULL))
        return;
    cr_assert_eq(xtf_frame_rate_bound(&rate, scale, 0), scale->origin);
    cr_assert(!rate.n || xtf_frame_rate_bound(&rate, scale, rate.n - 1) < scale->end, "%s: the last is empty", text);
    cr_assert_geq(xtf_frame_rate_bound(&rate, scale, rate.n), scale->end, "%s: %lu frames end early", text, rate.n);
    for (unsigned i = 0; rate.n && i < 100; i++) {
        uint64_t k = (uint64_t)g_random_int() << 32 | g_random_int();
        uint64_t a = xtf_frame_rate_bound(&rate, scale, k %= rate.n), b = xtf_frame_rate_bound(&rate, scale, k + 1);
        cr_assert_lt(a, b, "%s: frame %lu has no tick", text, k);
        cr_assert_eq(xtf_frame_rate_at(&rate, scale, a), k, "%s: frame %lu does not begin at %lu", text, k, a);
        cr_assert_eq(xtf_frame_rate_at(&rate, scale, MIN(b, scale->end) - 1), k, "%s: frame %lu ends early", text, k);
    }
}

Test(time, frames_tile_the_trace)
{
    static const char *const rates[] = {"25fps",      "29.97fps", "0.000001fps",    "1ns", "3ns", "40ms", "7us", "1.5s",
                                        "999999999s", "7.7fps",   "999999999999fps"};
    static const uint64_t nums[] = {1, 3, 1000, 1000000000, 2595913000, UINT64_MAX - 1},
                          dens[] = {1, 7, 1001, UINT64_MAX};
    static const uint64_t lasts[] = {0, 1, 999, 18335000000, UINT64_MAX / 2, UINT64_MAX - 2};
    unsigned good = 0;

    for (unsigned i = 0; i < G_N_ELEMENTS(nums) * G_N_ELEMENTS(dens) * G_N_ELEMENTS(lasts); i++) {
        uint64_t num = nums[i % 6], den = dens[i / 6 % 4], last = lasts[i / 24];
        XtfTimeScale scale = scale_of(num, den, MIN(last, 5), last);
        for (unsigned j = 0; j < G_N_ELEMENTS(rates); j++) {
            XtfFrameRate rate;
            good += xtf_frame_rate_parse(&rate, &scale, rates[j], NULL);
            assert_frames(&scale, rates[j]);
        }
    }
    cr_assert_gt(good, 500, "only %u rates were accepted", good);
}

Test(time, frames_of_a_second)
{
    XtfTimeScale scale = scale_of(1000000000, 1, 0, 999999999);
    XtfFrameRate rate;

    cr_assert(xtf_frame_rate_parse(&rate, &scale, "7fps", NULL));
    cr_assert_eq(rate.n, 7);
    cr_assert_eq(xtf_frame_rate_bound(&rate, &scale, 3), 428571428);
    cr_assert(!xtf_frame_rate_parse(&rate, &scale, "2000000000fps", NULL), "half a tick is no frame");
    cr_assert(!xtf_frame_rate_parse(&rate, &scale, "25", NULL));
    cr_assert(!xtf_frame_rate_parse(&rate, &scale, "0.0s", NULL));
}
