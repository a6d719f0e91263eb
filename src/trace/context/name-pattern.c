#include "src/trace/context/name-pattern.h"

#include <glib.h>
#include <stdint.h>
#include <string.h>

struct XtfNamePattern {
    size_t n;
    char *bytes;       /* n, and a NUL */
    bool *stands_self; /* by byte: it was written as \xNN */
};

static bool unescape(const char *p, char *byte)
{
    if (p[1] != 'x' || !g_ascii_isxdigit(p[2]) || !g_ascii_isxdigit(p[3]))
        return false;
    *byte = (char)(g_ascii_xdigit_value(p[2]) << 4 | g_ascii_xdigit_value(p[3]));
    return *byte;
}

XtfNamePattern *xtf_name_pattern_new(const char *text)
{
    size_t length = strlen(text);
    XtfNamePattern *pattern = g_new0(XtfNamePattern, 1);

    pattern->bytes = g_malloc0(length + 1);
    pattern->stands_self = g_new0(bool, length + 1);
    for (const char *p = text; *p; p++) {
        char byte = *p;
        if (byte == '\\') {
            if (!unescape(p, &byte)) {
                xtf_name_pattern_free(pattern);
                return NULL;
            }
            pattern->stands_self[pattern->n] = true;
            p += 3;
        }
        pattern->bytes[pattern->n++] = byte;
    }
    return pattern;
}

void xtf_name_pattern_free(XtfNamePattern *pattern)
{
    if (!pattern)
        return;
    g_free(pattern->bytes);
    g_free(pattern->stands_self);
    g_free(pattern);
}

const char *xtf_name_pattern_text(const XtfNamePattern *pattern)
{
    return pattern->bytes;
}

/* Whether byte i is this character, with its meaning. */
static bool means(const XtfNamePattern *pattern, size_t i, char character)
{
    return i < pattern->n && pattern->bytes[i] == character && !pattern->stands_self[i];
}

/* The place of the `]` that ends what byte i begins; false if byte i begins nothing. */
static bool find_bracket(const XtfNamePattern *pattern, size_t i, size_t *end)
{
    if (!means(pattern, i, '['))
        return false;
    i += 1 + (means(pattern, i + 1, '!') || means(pattern, i + 1, '^'));
    i += means(pattern, i, ']'); /* at the beginning it is one of the characters */
    while (i < pattern->n && !means(pattern, i, ']'))
        i++;
    *end = i;
    return i < pattern->n;
}

bool xtf_name_pattern_is_open(const XtfNamePattern *pattern)
{
    size_t end;

    for (size_t i = 0; i < pattern->n; i++) {
        if (means(pattern, i, '*') || means(pattern, i, '?') || find_bracket(pattern, i, &end))
            return true;
    }
    return false;
}

/* ---- Fitting. */

/* The character at the beginning of a text; *length is that of its bytes. */
static gunichar first_character(const char *text, size_t *length)
{
    gunichar character = g_utf8_get_char_validated(text, -1);

    if (character >= 0x110000) {
        *length = 1;
        return 0x110000 + (unsigned char)*text;
    }
    *length = (size_t)g_unichar_to_utf8(character, NULL);
    return character;
}

/* Whether a character is among those from byte i up to the `]` at `end`. */
static bool is_in_bracket(const XtfNamePattern *pattern, size_t i, size_t end, gunichar character)
{
    bool negated = means(pattern, i, '!') || means(pattern, i, '^'), in = false;
    size_t length;

    for (i += negated; i < end; i += length) {
        gunichar first = first_character(pattern->bytes + i, &length), last = first;
        if (means(pattern, i + length, '-') && i + length + 1 < end) {
            i += length + 1;
            last = first_character(pattern->bytes + i, &length);
        }
        in |= character >= first && character <= last;
    }
    return in != negated;
}

/* Whether the next character of a name fits what stands at byte *i, which is no `*`. Goes on to what follows. */
static bool fits_one(const XtfNamePattern *pattern, size_t *i, const char **name)
{
    size_t length, end;
    gunichar character = first_character(*name, &length);

    if (means(pattern, *i, '?')) {
        end = *i;
    } else if (find_bracket(pattern, *i, &end)) {
        if (!is_in_bracket(pattern, *i + 1, end, character))
            return false;
    } else if (*i < pattern->n && pattern->bytes[*i] == **name) {
        end = *i;
        length = 1;
    } else {
        return false;
    }
    *i = end + 1;
    *name += length;
    return true;
}

/* If a part after a `*` does not fit, that `*` takes one character more; earlier ones need not be tried again. */
bool xtf_name_pattern_fits(const XtfNamePattern *pattern, const char *name)
{
    size_t i = 0, after_star = 0, length;
    const char *again = NULL;

    while (*name) {
        if (means(pattern, i, '*')) {
            after_star = ++i;
            again = name;
        } else if (!fits_one(pattern, &i, &name)) {
            if (!again)
                return false;
            first_character(again, &length);
            name = again += length;
            i = after_star;
        }
    }
    while (means(pattern, i, '*'))
        i++;
    return i == pattern->n;
}
