/* Sets of processes and threads, numbers of records; patterns of names. */
#include <criterion/criterion.h>
#include <fnmatch.h>
#include <string.h>

#include "libxtf/error.h"
#include "src/trace/context/name-index.h"
#include "src/trace/context/name-pattern.h"
#include "src/trace/context/number-set.h"

static const XtfNumbers any = {.noun = "process", .is_any = true};

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
        {"4-", "4-18446744073709551615"},
        {"-7", "0-7"},
        {"-2,9-,5", "0-2,5,9-18446744073709551615"},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(XtfNumberSet) set = xtf_number_set_parse(&any, cases[i][0], NULL);
        cr_assert(set, "%s", cases[i][0]);
        g_autofree char *text = printed(set);
        cr_assert_str_eq(text, cases[i][1]);
    }
}

Test(names, refuses_what_is_no_set)
{
    static const char *const wrong[] = {
        "", "x", "1,", ",1", "-", "3-1", "--1", "1--", "-,1", "1 ", "1,,2", "1-2-3", "18446744073709551616", "0x1"};

    for (unsigned i = 0; i < G_N_ELEMENTS(wrong); i++) {
        g_autoptr(GError) error = NULL;
        cr_assert_null(xtf_number_set_parse(&any, wrong[i], &error), "\"%s\" was accepted", wrong[i]);
        cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_NOT_FOUND));
    }
}

/* Each bound of a range must be the number of an existing process, unless the range leaves that bound out. */
Test(names, bounds_of_sets_must_exist)
{
    static const uint64_t all[] = {2, 3, 7};
    static const XtfNumbers procs = {.noun = "process", .all = all, .n = G_N_ELEMENTS(all)};
    static const XtfNumbers none = {.noun = "process"};
    static const char *const right[] = {"2", "2-7", "-3", "7-", "3-7,2"}, *const wrong[] = {"0",  "0-7", "2-4",
                                                                                            "-5", "8-",  "2,4"};

    for (unsigned i = 0; i < G_N_ELEMENTS(right); i++) {
        g_autoptr(XtfNumberSet) set = xtf_number_set_parse(&procs, right[i], NULL);
        cr_assert(set, "%s", right[i]);
        cr_assert_null(xtf_number_set_parse(&none, right[i], NULL), "%s", right[i]);
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(wrong); i++)
        cr_assert_null(xtf_number_set_parse(&procs, wrong[i], NULL), "%s", wrong[i]);
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
    return xtf_number_set_parse(&any, text->str, NULL);
}

Test(names, sets_intersect_as_bits_do)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(2);

    for (unsigned round = 0; round < 2000; round++) {
        bool x[64], y[64];
        g_autoptr(XtfNumberSet) a = random_set(random, x);
        g_autoptr(XtfNumberSet) b = random_set(random, y);
        g_autoptr(XtfNumberSet) intersection = xtf_number_set_intersect(a, b);
        for (unsigned i = 0; i < 64; i++) {
            cr_assert_eq(xtf_number_set_contains(a, i), x[i]);
            cr_assert_eq(xtf_number_set_contains(intersection, i), x[i] && y[i]);
        }
    }
}

Test(names, numbers)
{
    uint64_t i, j;
    bool single;

    cr_assert(xtf_rank_range_parse("5", "record", &i, &j, &single, NULL));
    cr_assert(i == 5 && j == 6 && single);
    cr_assert(xtf_rank_range_parse("5-5", "record", &i, &j, &single, NULL));
    cr_assert(i == 5 && j == 5 && !single);
    cr_assert(xtf_rank_range_parse("5-", "record", &i, &j, &single, NULL));
    cr_assert(i == 5 && j == UINT64_MAX && !single);
    cr_assert(xtf_rank_range_parse("-7", "record", &i, &j, &single, NULL));
    cr_assert(i == 0 && j == 7 && !single);
    static const char *const wrong[] = {"", "-", "7-5", "a", "5x", "1-2-3", "99999999999999999999"};
    for (unsigned k = 0; k < G_N_ELEMENTS(wrong); k++)
        cr_assert_not(xtf_rank_range_parse(wrong[k], "record", &i, &j, &single, NULL), "\"%s\" was accepted", wrong[k]);
}

/* ---- Patterns. */

static char *random_text(GRand *random, const char *const *pieces, unsigned n)
{
    GString *text = g_string_new(NULL);

    for (int i = g_rand_int_range(random, 0, 8); i-- > 0;)
        g_string_append(text, pieces[g_rand_int_range(random, 0, (gint32)n)]);
    return g_string_free(text, FALSE);
}

/* The judge is fnmatch(), which has the same patterns. Its escapes differ, and glibc's fnmatch() also matches
 * characters of several bytes. */
Test(names, patterns_fit_as_with_fnmatch)
{
    static const char *const pieces[] = {"a", "b", "c", "*", "*", "?", "[ab]", "[!a]", "[a-c]", "[]b]", "["};
    static const char *const letters[] = {"a", "a", "b", "b", "c", "]"};
    g_autoptr(GRand) random = g_rand_new_with_seed(3);
    unsigned n_fit = 0;

    for (unsigned round = 0; round < 200000; round++) {
        g_autofree char *written = random_text(random, pieces, G_N_ELEMENTS(pieces));
        g_autofree char *name = random_text(random, letters, G_N_ELEMENTS(letters));
        XtfNamePattern *pattern = xtf_name_pattern_new(written);
        bool is_match = fnmatch(written, name, FNM_NOESCAPE) == 0;
        cr_assert_eq(xtf_name_pattern_fits(pattern, name), is_match, "%s, %s", written, name);
        n_fit += is_match;
        xtf_name_pattern_free(pattern);
    }
    cr_assert_gt(n_fit, 10000);
}

Test(names, bytes_that_are_escaped_mean_themselves)
{
    static const struct {
        const char *pattern, *name;
        bool fits, open;
    } cases[] = {
        {"a\\x2a", "a*", true, false},   {"a\\x2a", "ab", false, false},
        {"\\x3f*", "?x", true, true},    {"\\x5bab]", "[ab]", true, false},
        {"\\x5bab]", "a", false, false}, {"[a\\x5d]", "]", true, true},
        {"[a\\x2dc]", "b", false, true}, {"[a\\x2dc]", "-", true, true},
        {"[ab", "[ab", true, false},     {"\xff?", "\xff\xfe", true, true},
        {"?", "\xff", true, true},       {"", "", true, false},
        {"*", "", true, true},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
        XtfNamePattern *pattern = xtf_name_pattern_new(cases[i].pattern);
        cr_assert_eq(xtf_name_pattern_fits(pattern, cases[i].name), cases[i].fits, "%s", cases[i].pattern);
        cr_assert_eq(xtf_name_pattern_is_open(pattern), cases[i].open, "%s", cases[i].pattern);
        xtf_name_pattern_free(pattern);
    }
    cr_assert_null(xtf_name_pattern_new("a\\"));
    cr_assert_null(xtf_name_pattern_new("\\x0"));
    cr_assert_null(xtf_name_pattern_new("\\x00"));
}

/* Names; lists of them, with the rows that each selects; and texts that are no list of the names. */
static const char *const listed[] = {"f(int, int)", "f", "int)", "operator*", "operator,", "operator->", "a", "b",
                                     "a,b",         "a", "b,",   "#1",        "[ab]",      "",           "c"};
static const char *const lists[][2] = {
    {"f", "1"},
    {"f*", "0-1"},
    {"f(int, int)", "0"},
    {"f(int, int),f", "0-1"},
    {"f,f(int, int),a", "0-1,6,9"},
    {"operator*", "3"},
    {"operator**", "3-5"},
    {"operator[*]", "3"},
    {"operator\\x2a", "3"},
    {"operator,", "4"},
    {"operator,,f", "1,4"},
    {"a", "6,9"},
    {"a,b", "8"},
    {"b,a", "6-7,9"},
    {"a\\x2cb", "8"},
    {"a,\\x62", "8"},
    {"a,b,c", "8,14"},
    {"c,a,b", "8,14"},
    {"a,c,b,", "6,9-10,14"},
    {"[ab]", "12"},
    {"[ab]*", "6-10"},
    {"#1", "1"},
    {"#1,#13,c", "1,13-14"},
    {"\\x231", "11"},
    {"*", "0-12,14-15"},
    {"?", "1,6-7,9,14"},
    {"*;?", "15"},
};
static const char *const no_lists[] = {"",     "x",   "a,x",    "x,a",     "x*",         "a,,c",    ",a",
                                       "a,c,", "#16", "#1,#16", "f(int,*", "operator\\", "a,\\xzz", "\\x3f"};

Test(names, a_whole_name_goes_before_a_pattern_or_list)
{
    const char **copy = g_new(const char *, G_N_ELEMENTS(listed) + 1);
    g_autofree char *longer = g_strnfill(300, ';');
    XtfNameIndex index;

    memcpy(copy, listed, sizeof listed);
    copy[G_N_ELEMENTS(listed)] = longer;
    xtf_name_index_init(&index, "region", copy, G_N_ELEMENTS(listed) + 1);
    for (unsigned i = 0; i < G_N_ELEMENTS(lists); i++) {
        g_autoptr(XtfNumberSet) set = xtf_name_index_lookup(&index, lists[i][0], NULL);
        cr_assert(set, "%s", lists[i][0]);
        g_autofree char *rows = printed(set);
        cr_assert_str_eq(rows, lists[i][1], "%s: %s", lists[i][0], rows);
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(no_lists); i++) {
        g_autoptr(GError) error = NULL;
        cr_assert_null(xtf_name_index_lookup(&index, no_lists[i], &error), "%s", no_lists[i]);
        cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_NOT_FOUND));
    }
    for (uint64_t i = 0; i < index.n_listed; i++) {
        g_autofree char *name = xtf_name_index_print(&index, i);
        g_autoptr(XtfNumberSet) set = xtf_name_index_lookup(&index, name, NULL);
        cr_assert(set && xtf_number_set_contains(set, index.listed[i]), "%s", name);
        cr_assert_eq(xtf_number_set_single(set, &(uint64_t){0}), !g_str_equal(name, "a"));
    }
    xtf_name_index_finish(&index);
}
