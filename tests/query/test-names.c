/* Sets of processes and threads, numbers of records. */
#include <criterion/criterion.h>
#include <string.h>

#include "libxtf/error.h"
#include "src/query/select/number-set.h"

static char *printed(XtfNumberSet *set)
{
    GString *text = g_string_new(NULL);
    xtf_number_set_print(set, text);
    return g_string_free(text, FALSE);
}

Test(names, sets_have_one_form)
{
    static const char *const cases[][2] = {
        {"12", "12"},
        {"0-63", "0-63"},
        {"0,4,8", "0,4,8"},
        {"8,4,0", "0,4,8"},
        {"1,2,3", "1-3"},
        {"5-9,1-6", "1-9"},
        {"3,3,3", "3"},
        {"1-2,4", "1-2,4"},
        {"18446744073709551615", "18446744073709551615"},
        {"0-18446744073709551615,7", "0-18446744073709551615"},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(XtfNumberSet) set = xtf_number_set_parse("process", cases[i][0], NULL);
        cr_assert(set, "%s", cases[i][0]);
        g_autofree char *text = printed(set);
        cr_assert_str_eq(text, cases[i][1]);
    }
}

Test(names, refuses_what_is_no_set)
{
    static const char *const wrong[] = {
        "", "x", "1,", ",1", "1-", "-1", "3-1", "1 ", "1,,2", "1-2-3", "18446744073709551616", "0x1"};

    for (unsigned i = 0; i < G_N_ELEMENTS(wrong); i++) {
        g_autoptr(GError) error = NULL;
        cr_assert_null(xtf_number_set_parse("process", wrong[i], &error), "\"%s\" was taken", wrong[i]);
        cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_NOT_FOUND));
    }
}

static XtfNumberSet *random_set(GRand *random, bool bits[static 64])
{
    g_autoptr(GString) text = g_string_new(NULL);

    memset(bits, 0, 64);
    for (int i = g_rand_int_range(random, 1, 6); i-- > 0;) {
        int first = g_rand_int_range(random, 0, 64), last = g_rand_int_range(random, first, 64);
        g_string_append_printf(text, "%s%d-%d", text->len ? "," : "", first, MIN(last, first + 9));
        for (int j = first; j <= MIN(last, first + 9); j++)
            bits[j] = true;
    }
    return xtf_number_set_parse("process", text->str, NULL);
}

Test(names, sets_intersect_as_bits_do)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(2);

    for (unsigned round = 0; round < 2000; round++) {
        bool x[64], y[64];
        g_autoptr(XtfNumberSet) a = random_set(random, x);
        g_autoptr(XtfNumberSet) b = random_set(random, y);
        g_autoptr(XtfNumberSet) both = xtf_number_set_intersect(a, b);
        for (unsigned i = 0; i < 64; i++) {
            cr_assert_eq(xtf_number_set_contains(a, i), x[i]);
            cr_assert_eq(xtf_number_set_contains(both, i), x[i] && y[i]);
        }
    }
}

Test(names, numbers)
{
    uint64_t i, j;
    bool single;

    cr_assert(xtf_rank_range_parse("5", &i, &j, &single, NULL));
    cr_assert(i == 5 && j == 6 && single);
    cr_assert(xtf_rank_range_parse("5-5", &i, &j, &single, NULL));
    cr_assert(i == 5 && j == 5 && !single);
    cr_assert(xtf_rank_range_parse("5-", &i, &j, &single, NULL));
    cr_assert(i == 5 && j == UINT64_MAX && !single);
    cr_assert(xtf_rank_range_parse("-7", &i, &j, &single, NULL));
    cr_assert(i == 0 && j == 7 && !single);
    static const char *const wrong[] = {"", "-", "7-5", "a", "5x", "1-2-3", "99999999999999999999"};
    for (unsigned k = 0; k < G_N_ELEMENTS(wrong); k++)
        cr_assert_not(xtf_rank_range_parse(wrong[k], &i, &j, &single, NULL), "\"%s\" was taken", wrong[k]);
}
