/* Text for a terminal: no byte of it may control the terminal. */
#include <criterion/criterion.h>
#include <glib.h>
#include <string.h>

#include "src/trace/text/escape.h"

static char *in_column(const char *text, size_t width, bool blanks, uint64_t number)
{
    char *out = g_malloc0(width + 1);
    xtf_text_put(out, width, text, blanks, number);
    return out;
}

static void assert_shown(const char *text, const char *expected)
{
    g_autofree char *shown = xtf_text_shown(text, 1000);
    cr_assert_str_eq(shown, expected);
    cr_assert_eq(xtf_text_is_plain(text), strcmp(text, expected) == 0, "%s", expected);
}

/* True if a terminal may print a character. Written without the product's code: by ranges, over all of Unicode. */
static bool may_print(gunichar c)
{
    static const gunichar forbidden[][2] = {
        {0, 0x1f}, {0x7f, 0x9f}, {0x61c, 0x61c}, {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x2069},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(forbidden); i++)
        if (c >= forbidden[i][0] && c <= forbidden[i][1])
            return false;
    return true;
}

Test(escape, every_character)
{
    for (gunichar c = 1; c < 0x110000; c++) {
        char text[8] = "", expected[32] = "";
        if (c >= 0xd800 && c < 0xe000)
            continue;
        int length = g_unichar_to_utf8(c, text);
        for (int i = 0; i < length && !may_print(c); i++)
            g_snprintf(expected + 4 * i, 8, "\\x%02x", (unsigned char)text[i]);
        assert_shown(text, may_print(c) ? text : expected);
    }
}

Test(escape, bytes_that_are_no_utf8)
{
    assert_shown("\xff", "\\xff");
    assert_shown("a\xe2\x80", "a\\xe2\\x80");                 /* cut short */
    assert_shown("\xc0\x9b", "\\xc0\\x9b");                   /* ESC in an overlong form */
    assert_shown("\xed\xa0\x80z", "\\xed\\xa0\\x80z");        /* a surrogate */
    assert_shown("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"); /* beyond Unicode */
}

Test(escape, messages_keep_blanks_and_backslashes)
{
    assert_shown("region/a\\x2f b: no", "region/a\\x2f b: no");
    assert_shown("", "");
}

Test(escape, long_messages_are_cut)
{
    g_autofree char *cut = xtf_text_shown("0123456789", 4), *between = xtf_text_shown("012\x1b", 5);
    g_autofree char *whole = xtf_text_shown("0123", 4);

    cr_assert_str_eq(cut, "0123...");
    cr_assert_str_eq(between, "012...");
    cr_assert_str_eq(whole, "0123");
}

Test(escape, columns)
{
    g_autofree char *last = in_column("a b\\", 8, false, 0), *no_blanks = in_column("a b\\", 12, true, 0);
    g_autofree char *cut = in_column("abcdefghij", 8, true, 17), *empty = in_column("", 3, true, 0);
    g_autofree char *bidi = in_column("\xe2\x80\xae", 12, true, 0);

    cr_assert_str_eq(last, "a b\\x5c ");
    cr_assert_str_eq(no_blanks, "a\\x20b\\x5c  ");
    cr_assert_str_eq(cut, "abcde~17");
    cr_assert_str_eq(empty, "\"\" ");
    cr_assert_str_eq(bidi, "\\xe2\\x80\\xae");
}

Test(escape, width_stops_at_its_limit)
{
    cr_assert_eq(xtf_text_width("a b", true, 100), 6);
    cr_assert_eq(xtf_text_width("a b", false, 100), 3);
    cr_assert_eq(xtf_text_width("a b", true, 3), 3);
    cr_assert_eq(xtf_text_width("", true, 100), 2);
}
