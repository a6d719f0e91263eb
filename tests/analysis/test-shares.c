/* Tests parts of waits in whole ticks: each part stays close to its exact value, however many waits there are. */
#include <criterion/criterion.h>
#include <math.h>

#include "src/analysis/waits/shares.h"

enum { KEYS = 8, PROGRAMS = 2000, WAITS = 300 };

static uint32_t draw_number(uint32_t *state, uint32_t n)
{
    *state = *state * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)*state * n) >> 32);
}

/* Divides a wait of `whole` ticks, or a part of it, among some keys; some keys get almost nothing. Returns their
 * number. */
static uint32_t divide_wait(uint32_t *state, uint64_t whole, XtfShare *shares)
{
    double weights[KEYS], sum = 0, part = draw_number(state, 2) ? 1 : draw_number(state, 1000) / 1000.0;
    uint32_t n = 0;

    for (uint32_t key = 0; key < KEYS; key++) {
        if (draw_number(state, 2) == 0 && (n > 0 || key + 1 < KEYS))
            continue;
        weights[n] = (1 + draw_number(state, 1000)) * (draw_number(state, 3) ? 1.0 : 0.05);
        sum += weights[n];
        shares[n++] = (XtfShare){.key = key};
    }
    for (uint32_t i = 0; i < n; i++)
        shares[i].exact = (double)whole * part * weights[i] / sum;
    return n;
}

/* Values beyond any run, as a forged file may have them: rounding ends, and gives at most the wait. */
Test(shares, rounding_of_huge_costs_ends)
{
    static const double exact[][4] = {{0x1p62, 0x1p62, 0x1p62, 0x1p62},
                                      {5 * 0x1p60, 5 * 0x1p60, 5 * 0x1p60, 5 * 0x1p60},
                                      {0x1p63, 1, 0, 0x1p61},
                                      {0x1p62, 3, 2, 0},
                                      {1e30, 1e30, 1, 1}};
    static const uint64_t wholes[] = {0, 7, UINT64_C(1) << 61, UINT64_MAX};

    for (uint32_t i = 0; i < sizeof exact / sizeof *exact; i++) {
        XtfRemainders remainders = {0};
        for (uint32_t round = 0; round < 8; round++) {
            XtfShare shares[4];
            unsigned __int128 sum = 0;
            for (uint32_t key = 0; key < 4; key++)
                shares[key] = (XtfShare){.key = key, .exact = exact[i][key]};
            xtf_shares_round(&remainders, shares, 4, wholes[round % 4]);
            for (uint32_t key = 0; key < 4; key++)
                sum += shares[key].ticks;
            cr_assert(sum <= wholes[round % 4], "row %u, round %u: the parts exceed the wait", i, round);
        }
        xtf_remainders_finish(&remainders);
    }
}

Test(shares, are_never_two_ticks_off)
{
    XtfShare shares[KEYS];

    for (uint32_t program = 0; program < PROGRAMS; program++) {
        double exact[KEYS] = {0};
        uint64_t ticks[KEYS] = {0};
        uint32_t state = program;
        XtfRemainders remainders = {0};
        for (uint32_t wait = 0; wait < WAITS; wait++) {
            uint64_t whole = 1 + draw_number(&state, program % 2 ? 12 : 200), sum = 0;
            uint32_t n = divide_wait(&state, whole, shares);
            xtf_shares_round(&remainders, shares, n, whole);
            for (uint32_t i = 0; i < n; i++) {
                exact[shares[i].key] += shares[i].exact;
                ticks[shares[i].key] += shares[i].ticks;
                sum += shares[i].ticks;
                cr_assert_lt(fabs(exact[shares[i].key] - (double)ticks[shares[i].key]), 2, "program %u, wait %u",
                             program, wait);
            }
            cr_assert_leq(sum, whole, "program %u, wait %u: the parts exceed the wait", program, wait);
        }
        xtf_remainders_finish(&remainders);
    }
}
