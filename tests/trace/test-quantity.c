/* Quantities of options: a number with a unit, and nothing else. */
#include <criterion/criterion.h>

#include "src/trace/typed/quantity.h"

static const XtfUnit sizes[] = {{"", 1}, {"K", 1e3}, {"G", 1e9}, {NULL, 0}};

static void assert_value(const char *text, const XtfUnit *units, double expected)
{
    double value = -1;

    cr_assert(xtf_quantity_parse(text, units, &value), "'%s' is refused", text);
    cr_assert_eq(value, expected, "'%s' is %g, should be %g", text, value, expected);
}

static void assert_refused(const char *text)
{
    double value = -1;

    cr_assert_not(xtf_quantity_parse(text, sizes, &value), "'%s' is %g", text, value);
    cr_assert_eq(value, -1, "'%s' is refused, but changes the value", text);
}

Test(quantity, numbers)
{
    assert_value("0", sizes, 0);
    assert_value(".5", sizes, 0.5);
    assert_value("007", sizes, 7);
    assert_value("1e3", sizes, 1000);
    assert_value("2.5K", sizes, 2500);
    assert_value("10G", sizes, 1e10);
    assert_value("2s", xtf_units_of_time, 2);
    assert_value("250ms", xtf_units_of_time, 250 * 1e-3);
}

/* C's strtod() takes the first seven of these. */
Test(quantity, no_numbers)
{
    static const char *const texts[] = {"0x10", "0X1p3", "inf", "nan", "+1",  "-1",    " 1",    "",
                                        ".",    "K",     "1 K", "1k",  "1KB", "1e999", "1e308G"};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_refused(texts[i]);
}

Test(quantity, end_of_the_number)
{
    double number;
    const char *pair = "2e-6,1e10";

    cr_assert_eq(xtf_quantity_number(pair, &number), pair + 4);
    cr_assert_eq(number, 2e-6);
    cr_assert_null(xtf_quantity_number(",1", &number));
}
