/*
 * Tests of the parts of the importer of Chrome's trace events: numbers, and the tokenizer at the ends of pieces.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "src/import/chrome/json.h"
#include "src/import/chrome/numbers.h"

/* ---- Numbers. */

Test(chrome, times)
{
    static const struct {
        const char *text;
        int64_t ns;
        bool rounded;
    } all[] = {
        {"0", 0, false},
        {"-0.0", 0, false},
        {"1", 1000, false},
        {"0.001", 1, false},
        {"12.3450", 12345, false},
        {"0.0005", 1, true},
        {"0.00049999999999999999999999", 0, true},
        {"-0.0015", -2, true},
        {"2305843009213693.952", XTF_CHROME_TIME_MAX, false},
        {"2305843009213693.953", XTF_CHROME_TIME_MAX + 1, false}, /* too large */
        {"1700000000000000.123", INT64_C(1700000000000000123), false},
        {"1.5e3", 1500000, false},
        {"25E-2", 250, false},
        {"0e999999999999", 0, false},
        {"1e-9999", 0, true},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(all); i++) {
        bool rounded = false, fits = all[i].ns <= XTF_CHROME_TIME_MAX;
        int64_t ns = 0;
        cr_assert_eq(xtf_chrome_read_time(all[i].text, strlen(all[i].text), &ns, &rounded), fits, "%s", all[i].text);
        if (fits) {
            cr_assert_eq(ns, all[i].ns, "%s: %" G_GINT64_FORMAT, all[i].text, ns);
            cr_assert_eq(rounded, all[i].rounded, "%s", all[i].text);
        }
    }
}

Test(chrome, no_times)
{
    static const char *const all[] = {
        "", "-", ".5", "x", "1x", "1e", "1e+", "1.2.3", "NaN", "1e20", "99999999999999999999", " 1"};
    int64_t ns;
    bool rounded = false;

    for (unsigned i = 0; i < G_N_ELEMENTS(all); i++)
        cr_assert_not(xtf_chrome_read_time(all[i], strlen(all[i]), &ns, &rounded), "%s", all[i]);
}

Test(chrome, wholes)
{
    static const struct {
        const char *text;
        uint64_t value; /* UINT64_MAX: none */
    } all[] = {
        {"0", 0},
        {"1.0", 1},
        {"-0.0", 0},
        {"2e3", 2000},
        {"120e-1", 12},
        {"12e-1", UINT64_MAX},
        {"0.5", UINT64_MAX},
        {"-1", UINT64_MAX},
        {"1e20", UINT64_MAX},
        {"0e9999999", 0},
        {"NaN", UINT64_MAX},
        {"18446744073709551614.0", UINT64_MAX}, /* 20 digits */
        {"1844674407370955161e1", 18446744073709551610u},
        {"1.00000000000000000000000001", UINT64_MAX},
        {"18446744073709551614", 18446744073709551614u},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(all); i++) {
        uint64_t value = UINT64_MAX;
        bool good = xtf_chrome_read_whole(all[i].text, strlen(all[i].text), &value);
        cr_assert_eq(good, all[i].value != UINT64_MAX, "%s", all[i].text);
        if (good)
            cr_assert_eq(value, all[i].value, "%s", all[i].text);
    }
}

Test(chrome, ids)
{
    cr_assert_eq(xtf_chrome_read_id("18446744073709551615", 20), UINT64_MAX);
    cr_assert_eq(xtf_chrome_read_id("0xfFffFfffFfffFfff", 18), UINT64_MAX);
    cr_assert_eq(xtf_chrome_read_id("0x10", 4), 16);
    cr_assert_neq(xtf_chrome_read_id("a", 1), xtf_chrome_read_id("b", 1));
}

/* ---- The tokenizer. */

typedef struct {
    const char *text;
    gsize at, size, piece;
} Source;

static gssize read_source(void *data, void *bytes, gsize size, GError **error)
{
    Source *source = data;
    gsize n = MIN(MIN(size, source->piece), source->size - source->at);

    (void)error;
    memcpy(bytes, source->text + source->at, n);
    source->at += n;
    return (gssize)n;
}

/* Returns all tokens as text. The source is read in pieces of `piece` bytes. */
static char *read_tokens(const char *text, gsize size, gsize piece)
{
    Source source = {.text = text, .size = size, .piece = piece};
    g_autoptr(XtfJson) json = xtf_json_new(read_source, &source);
    GString *tokens = g_string_new(NULL);
    XtfJsonToken token;

    do {
        token = xtf_json_next(json);
        bool has_text = token == XTF_JSON_KEY || token == XTF_JSON_STRING || token == XTF_JSON_NUMBER;
        g_string_append_printf(tokens, "%d:%.*s;", token, has_text ? (int)json->size : 0, has_text ? json->text : "");
    } while (token > XTF_JSON_CUT);
    g_string_append_printf(tokens, "%" G_GUINT64_FORMAT, token == XTF_JSON_ERROR ? 0 : json->line);
    return g_string_free(tokens, FALSE);
}

/* Tokens are the same, wherever pieces end. */
Test(chrome, pieces)
{
    static const char *const all[] = {
        "{\"a\\n\\u00e9\\ud83d\\ude00\" : [1.5e3, -0, true ,false, null, \"\xc3\xa9\", {}, []],\n\"\\\\\" :\n\"\" } \n",
        "[NaN, -Infinity, \"x\\\"\"",
        "[12",
        "[1 2]",
        "{\"a\" 1}",
        "[\"\\q\"]",
        "[\"\x01\"]",
        "{\"key\"",
        "[\"abc",
        "[1, [2,3,\n] , ]",
        "[,]",
        "[1,,]",
        "{\"a\":1,}",
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(all); i++) {
        g_autofree char *whole = read_tokens(all[i], strlen(all[i]), 1 << 16);
        for (gsize piece = 1; piece < 20; piece++) {
            g_autofree char *tokens = read_tokens(all[i], strlen(all[i]), piece);
            cr_assert_str_eq(tokens, whole, "%s in pieces of %zu", all[i], piece);
        }
    }
}

/* Texts longer than the buffer, up to the bound. */
Test(chrome, long_texts)
{
    for (gsize size = 60000; size < XTF_JSON_STRING_MAX + (1 << 20); size *= 2) {
        g_autoptr(GString) text = g_string_new("[\"");
        for (gsize i = 0; i < size; i++)
            g_string_append_c(text, (char)('a' + i % 26));
        g_string_append(text, "\"]");
        Source source = {.text = text->str, .size = text->len, .piece = 50000};
        g_autoptr(XtfJson) json = xtf_json_new(read_source, &source);
        cr_assert_eq(xtf_json_next(json), XTF_JSON_ARRAY);
        cr_assert_eq(xtf_json_next(json), XTF_JSON_STRING);
        cr_assert_eq(json->size, size);
        cr_assert_arr_eq(json->text, text->str + 2, size);
        cr_assert_eq(xtf_json_next(json), XTF_JSON_ARRAY_END);
        cr_assert_eq(xtf_json_next(json), XTF_JSON_END);
    }
    g_autofree char *text = g_strnfill(XTF_JSON_STRING_MAX + (1 << 20), 'a');
    text[0] = '"';
    Source source = {.text = text, .size = strlen(text), .piece = 1 << 16};
    g_autoptr(XtfJson) json = xtf_json_new(read_source, &source);
    cr_assert_eq(xtf_json_next(json), XTF_JSON_ERROR);
}

Test(chrome, depth)
{
    g_autofree char *text = g_strnfill(XTF_JSON_DEPTH + 1, '[');
    g_autofree char *deep = read_tokens(text, XTF_JSON_DEPTH, 1 << 16),
                    *deeper = read_tokens(text, XTF_JSON_DEPTH + 1, 1 << 16);

    cr_assert(strstr(deep, "2:;"));
    cr_assert(strstr(deeper, "0:;"));
}
