#include "src/import/chrome/json.h"

#include <string.h>

#include "libxtf/error.h"

enum {
    PIECE_BYTES = 64 << 10,
    SHOWN_BYTES = 20, /* most bytes of a wrong word in a message */
};

/* States: the token that may follow. */
enum {
    VALUE,
    FIRST_VALUE, /* or the array's end */
    NEXT_VALUE,  /* or the array's end, after a comma */
    KEY,
    FIRST_KEY, /* or the object's end */
    COMMA,     /* or the end of the array or object */
    DONE,
};

#define REPLACEMENT "\xef\xbf\xbd"

XtfJson *xtf_json_new(XtfJsonRead read, void *data)
{
    XtfJson *json = g_new0(XtfJson, 1);

    json->read = read;
    json->data = data;
    json->capacity = 2 * PIECE_BYTES;
    json->buffer = json->at = json->end = g_malloc(json->capacity + 1);
    *json->end = '\0';
    json->line = 1;
    json->state = VALUE;
    json->unescaped = g_string_new(NULL);
    return json;
}

void xtf_json_free(XtfJson *json)
{
    if (!json)
        return;
    g_free(json->buffer);
    g_string_free(json->unescaped, TRUE);
    g_clear_error(&json->error);
    g_free(json);
}

uint64_t xtf_json_offset(const XtfJson *json)
{
    return json->offset + (uint64_t)(json->at - json->buffer);
}

static XtfJsonToken set_fault(XtfJson *json, const char *fault)
{
    if (!json->error)
        xtf_fail(&json->error, XTF_ERROR_DAMAGED, "%s", fault);
    return XTF_JSON_ERROR;
}

/* Makes room for a piece behind the kept bytes. */
static void make_room(XtfJson *json)
{
    char *kept = json->token ? json->token : json->at;
    gsize n = (gsize)(json->end - kept), read = (gsize)(json->at - kept);

    json->offset += (uint64_t)(kept - json->buffer);
    memmove(json->buffer, kept, n);
    if (n + PIECE_BYTES > json->capacity) {
        json->capacity *= 2;
        json->buffer = g_realloc(json->buffer, json->capacity + 1);
    }
    json->token = json->token ? json->buffer : NULL;
    json->at = json->buffer + read;
    json->end = json->buffer + n;
}

/* Reads the next piece, after `at` has reached `end`. False at the end of the text, or with json->error. */
static bool read_piece(XtfJson *json)
{
    if (json->ended || json->error)
        return false;
    if (json->token && json->end - json->token > XTF_JSON_STRING_MAX) {
        set_fault(json, "a string or number of more than 8 MiB");
        return false;
    }
    make_room(json);
    gssize n = json->read(json->data, json->end, PIECE_BYTES, &json->error);
    if (n <= 0) {
        json->ended = n == 0;
        *json->end = '\0';
        return false;
    }
    json->end += n;
    *json->end = '\0';
    return true;
}

/* Returns the next byte without reading it; -1 at the end of the text. */
static int peek_byte(XtfJson *json)
{
    if (G_UNLIKELY(json->at == json->end) && !read_piece(json))
        return -1;
    return (unsigned char)*json->at;
}

static int skip_space(XtfJson *json)
{
    for (;;) {
        int c = peek_byte(json);
        if (c > ' ' || (c != ' ' && c != '\n' && c != '\t' && c != '\r'))
            return c;
        json->line += c == '\n';
        json->at++;
    }
}

static XtfJsonToken fail_early_end(const XtfJson *json)
{
    return json->error ? XTF_JSON_ERROR : XTF_JSON_CUT;
}

/* ---- Strings. */

static int hex_digits(const char *digits)
{
    int value = 0;

    for (unsigned i = 0; i < 4; i++) {
        int digit = g_ascii_xdigit_value(digits[i]);
        if (digit < 0)
            return -1;
        value = value << 4 | digit;
    }
    return value;
}

/* Appends the character of "uXXXX" at `p`, and of the second half of a surrogate pair. Returns the byte after it; NULL
 * if it is wrong. */
static const char *unescape_unicode(XtfJson *json, const char *p, const char *end)
{
    int c = end - p >= 5 ? hex_digits(p + 1) : -1;

    if (c < 0)
        return NULL;
    p += 5;
    if (c >= 0xd800 && c < 0xdc00 && end - p >= 6 && p[0] == '\\' && p[1] == 'u') {
        int low = hex_digits(p + 2);
        if (low >= 0xdc00 && low < 0xe000) {
            g_string_append_unichar(json->unescaped, 0x10000 + (gunichar)((c - 0xd800) << 10 | (low - 0xdc00)));
            return p + 6;
        }
    }
    if (c == 0 || (c >= 0xd800 && c < 0xe000))
        g_string_append(json->unescaped, REPLACEMENT);
    else
        g_string_append_unichar(json->unescaped, (gunichar)c);
    return p;
}

/* Replaces escapes in the bytes of a string. */
static bool unescape_string(XtfJson *json, const char *p, const char *end)
{
    static const char letters[] = "\"\\/bfnrt", characters[] = "\"\\/\b\f\n\r\t";

    g_string_truncate(json->unescaped, 0);
    while (p < end) {
        const char *backslash = memchr(p, '\\', (gsize)(end - p));
        g_string_append_len(json->unescaped, p, (backslash ? backslash : end) - p);
        if (!backslash)
            break;
        p = backslash + 1;
        const char *letter = *p ? strchr(letters, *p) : NULL;
        if (letter) {
            g_string_append_c(json->unescaped, characters[letter - letters]);
            p++;
        } else if (*p != 'u' || !(p = unescape_unicode(json, p, end))) {
            return false;
        }
    }
    json->text = json->unescaped->str;
    json->size = json->unescaped->len;
    return true;
}

static void repair_utf8(XtfJson *json)
{
    if (g_utf8_validate(json->text, (gssize)json->size, NULL))
        return;
    g_autofree char *valid = g_utf8_make_valid(json->text, (gssize)json->size);
    g_string_assign(json->unescaped, valid);
    json->text = json->unescaped->str;
    json->size = json->unescaped->len;
}

/* Bytes at which the scan of a string stops. */
static const uint8_t stops[256] = {
    [0 ... 31] = 1,
    ['"'] = 1,
    ['\\'] = 1,
};

/* Finds the end of the string. *escaped: it has escapes; *high: it has bytes beyond ASCII. */
static bool scan_string(XtfJson *json, bool *escaped, bool *high)
{
    unsigned bits = 0;

    for (;;) {
        const uint8_t *p = (const uint8_t *)json->at;
        for (; !stops[*p]; p++)
            bits |= *p;
        json->at = (char *)p;
        *high = bits & 0x80;
        if (*p == '"')
            return true;
        if (*p == '\\') {
            *escaped = true;
            json->at++;
            if (peek_byte(json) >= 0)
                json->at++;
        } else if (json->at < json->end) {
            set_fault(json, "a control character in a string");
            return false;
        }
        if (peek_byte(json) < 0)
            return false;
    }
}

static XtfJsonToken read_string(XtfJson *json, XtfJsonToken token)
{
    bool escaped = false, high = false;

    json->token = ++json->at;
    if (!scan_string(json, &escaped, &high)) {
        json->token = NULL;
        return fail_early_end(json);
    }
    json->text = json->token;
    json->size = (gsize)(json->at - json->token);
    json->token = NULL;
    *json->at++ = '\0';
    if (escaped && !unescape_string(json, json->text, json->text + json->size))
        return set_fault(json, "a wrong escape in a string");
    if (high)
        repair_utf8(json);
    return token;
}

/* ---- Other values. */

static const char *skip_digits(const char *p)
{
    while (g_ascii_isdigit(*p))
        p++;
    return p;
}

/* True if the text is a number. A byte that is no part of a number follows it. */
static bool is_number(const char *text, gsize size)
{
    const char *p = text + (*text == '-'), *digits = p;

    p = skip_digits(p);
    if (p == digits || (*digits == '0' && p > digits + 1))
        return false;
    if (*p == '.') {
        digits = ++p;
        p = skip_digits(p);
        if (p == digits)
            return false;
    }
    if (*p == 'e' || *p == 'E') {
        p++;
        digits = p += *p == '+' || *p == '-';
        p = skip_digits(p);
        if (p == digits)
            return false;
    }
    return p == text + size;
}

/* Reads a number or a literal: all bytes up to one that neither has. */
static XtfJsonToken read_word(XtfJson *json)
{
    static const struct {
        const char *text;
        XtfJsonToken token;
    } words[] = {
        {"true", XTF_JSON_TRUE},  {"false", XTF_JSON_FALSE},     {"null", XTF_JSON_NULL},
        {"NaN", XTF_JSON_NUMBER}, {"Infinity", XTF_JSON_NUMBER}, {"-Infinity", XTF_JSON_NUMBER},
    };
    int c;

    for (json->token = json->at; (c = peek_byte(json)) >= 0; json->at++)
        if (!g_ascii_isalnum(c) && c != '-' && c != '+' && c != '.')
            break;
    json->text = json->token;
    json->size = (gsize)(json->at - json->token);
    json->token = NULL;
    if (json->error)
        return XTF_JSON_ERROR;
    if (is_number(json->text, json->size))
        return XTF_JSON_NUMBER;
    for (gsize i = 0; i < G_N_ELEMENTS(words); i++)
        if (strlen(words[i].text) == json->size && memcmp(json->text, words[i].text, json->size) == 0)
            return words[i].token;
    if (c < 0)
        return XTF_JSON_CUT;
    g_autofree char *fault =
        json->size > 0 ? g_strdup_printf("\"%.*s\" is no value", (int)MIN(json->size, SHOWN_BYTES), json->text)
                       : g_strdup("a byte that begins no value");
    return set_fault(json, fault);
}

/* ---- The grammar. */

static XtfJsonToken open_item(XtfJson *json, bool object)
{
    json->at++;
    if (json->depth == XTF_JSON_DEPTH)
        return set_fault(json, "objects and arrays are nested deeper than 500");
    json->objects[json->depth++] = object;
    json->state = object ? FIRST_KEY : FIRST_VALUE;
    return object ? XTF_JSON_OBJECT : XTF_JSON_ARRAY;
}

static XtfJsonToken close_item(XtfJson *json)
{
    json->at++;
    json->depth--;
    json->state = json->depth > 0 ? COMMA : DONE;
    return json->objects[json->depth] ? XTF_JSON_OBJECT_END : XTF_JSON_ARRAY_END;
}

static XtfJsonToken read_key(XtfJson *json, int c)
{
    if (c == '}' && json->state == FIRST_KEY)
        return close_item(json);
    if (c != '"')
        return set_fault(json, "a key in quotes is missing");
    XtfJsonToken token = read_string(json, XTF_JSON_KEY);
    if (token != XTF_JSON_KEY)
        return token;
    json->state = VALUE;
    if (G_LIKELY(*json->at == ':')) {
        json->at++;
        return token;
    }
    if (json->text != json->unescaped->str) { /* the buffer may move before the colon is read */
        g_string_truncate(json->unescaped, 0);
        g_string_append_len(json->unescaped, json->text, (gssize)json->size);
        json->text = json->unescaped->str;
    }
    c = skip_space(json);
    if (c < 0)
        return fail_early_end(json);
    if (c != ':')
        return set_fault(json, "a colon is missing after a key");
    json->at++;
    return token;
}

static XtfJsonToken read_value(XtfJson *json, int c)
{
    if (c == '{' || c == '[')
        return open_item(json, c == '{');
    if (c == ']' && (json->state == FIRST_VALUE || json->state == NEXT_VALUE)) {
        json->n_last_commas += json->state == NEXT_VALUE;
        return close_item(json);
    }
    json->state = json->depth > 0 ? COMMA : DONE;
    return c == '"' ? read_string(json, XTF_JSON_STRING) : read_word(json);
}

XtfJsonToken xtf_json_next(XtfJson *json)
{
    int c = skip_space(json);

    if (json->error)
        return XTF_JSON_ERROR;
    if (json->state == DONE)
        return c < 0 ? XTF_JSON_END : set_fault(json, "more text follows the end");
    if (json->state == COMMA && c >= 0) {
        bool object = json->objects[json->depth - 1];
        if (c == (object ? '}' : ']'))
            return close_item(json);
        if (c != ',')
            return set_fault(json, object ? "a comma or } is missing" : "a comma or ] is missing");
        json->at++;
        json->state = object ? KEY : NEXT_VALUE;
        c = skip_space(json);
    }
    if (c < 0)
        return fail_early_end(json);
    return json->state == KEY || json->state == FIRST_KEY ? read_key(json, c) : read_value(json, c);
}

XtfJsonToken xtf_json_skip(XtfJson *json, XtfJsonToken first)
{
    XtfJsonToken token = first;

    if (first != XTF_JSON_OBJECT && first != XTF_JSON_ARRAY)
        return first;
    for (unsigned depth = json->depth - 1; token > XTF_JSON_CUT && json->depth > depth;)
        token = xtf_json_next(json);
    return token;
}
