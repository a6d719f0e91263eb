/* Digits: the same as printf() writes, and no byte outside their column changes. */
#include <criterion/criterion.h>
#include <glib.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "src/trace/text/digits.h"

enum { PAGE = 64, END = 48, WIDEST = 40 };

static void assert_written(const char *page, const char *expected, size_t length)
{
    char whole[PAGE];

    memset(whole, '#', PAGE);
    memcpy(whole + END - length, expected, length);
    cr_assert(memcmp(page, whole, PAGE) == 0, "%.*s, should be %.*s", PAGE, page, PAGE, whole);
}

static void check_number(uint64_t v, unsigned n_padding)
{
    char page[PAGE], text[PAGE];
    int length = snprintf(text, sizeof text, "%" PRIu64, v);
    unsigned width = (unsigned)length + n_padding;

    memset(page, '#', PAGE);
    cr_assert(xtf_put_digits(page + END, v) == page + END - length);
    assert_written(page, text, (size_t)length);

    memset(page, '#', PAGE);
    xtf_put_right(page + END, v, width);
    snprintf(text, sizeof text, "%*" PRIu64, (int)width, v);
    assert_written(page, text, width);

    memset(page, '#', PAGE);
    cr_assert(xtf_put_padded(page + END, v, width) == page + END - width);
    snprintf(text, sizeof text, "%0*" PRIu64, (int)width, v);
    assert_written(page, text, width);
    cr_assert_eq(xtf_count_digits(v), (unsigned)length);
}

Test(digits, are_the_same_as_by_printf)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(11);

    for (uint64_t v = 0; v < 12345; v++)
        check_number(v, (unsigned)v % 5);
    for (uint64_t power = 1, i = 0; i < 20; i++, power *= 10) {
        for (unsigned n_padding = 0; n_padding <= WIDEST - 20; n_padding++) {
            check_number(power - 1, n_padding);
            check_number(power, n_padding);
        }
    }
    for (unsigned i = 0; i < 100000; i++) {
        uint64_t v = (uint64_t)g_rand_int(random) << 32 | g_rand_int(random);
        check_number(v >> g_rand_int_range(random, 0, 64), (unsigned)g_rand_int_range(random, 0, 20));
    }
    check_number(UINT64_MAX, 0);
}

Test(digits, a_narrow_column_has_the_last_digits)
{
    char page[PAGE];

    memset(page, '#', PAGE);
    cr_assert(xtf_put_padded(page + END, 1234567, 0) == page + END);
    assert_written(page, "", 0);
    xtf_put_padded(page + END, 1234567, 5);
    assert_written(page, "34567", 5);
}
