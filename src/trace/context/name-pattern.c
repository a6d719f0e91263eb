#include "src/trace/context/name-pattern.h"

#include <glib.h>
#include <stdint.h>
#include <string.h>

struct XtfNamePattern {
    size_t n;
    char *bytes;   /* n, and a NUL */
    bool *literal; /* by byte: written as \xNN, so never a wildcard */
};

static bool unescape_byte(const char *p, char *byte)
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
    pattern->literal = g_new0(bool, length + 1);
    for (const char *p = text; *p; p++) {
        char byte = *p;
        if (byte == '\\') {
            if (!unescape_byte(p, &byte)) {
                xtf_name_pattern_free(pattern);
                return NULL;
            }
            pattern->literal[pattern->n] = true;
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
    g_free(pattern->literal);
    g_free(pattern);
}

const char *xtf_name_pattern_text(const XtfNamePattern *pattern)
{
    return pattern->bytes;
}

/* True if byte i is the character `special` as part of a wildcard. */
static bool is_special(const XtfNamePattern *pattern, size_t i, char special)
{
    return i < pattern->n && pattern->bytes[i] == special && !pattern->literal[i];
}

/* Finds the `]` that ends the bracket which begins at byte i; false if no bracket begins there. */
static bool find_bracket(const XtfNamePattern *pattern, size_t i, size_t *end)
{
    if (!is_special(pattern, i, '['))
        return false;
    i += 1 + (is_special(pattern, i + 1, '!') || is_special(pattern, i + 1, '^'));
    i += is_special(pattern, i, ']'); /* as the first character, `]` does not end the bracket */
    while (i < pattern->n && !is_special(pattern, i, ']'))
        i++;
    *end = i;
    return i < pattern->n;
}

bool xtf_name_pattern_is_open(const XtfNamePattern *pattern)
{
    size_t end;

    for (size_t i = 0; i < pattern->n; i++) {
        if (is_special(pattern, i, '*') || is_special(pattern, i, '?') || find_bracket(pattern, i, &end))
            return true;
    }
    return false;
}

/* ---- Matching. */

/* Returns the first character of a text, and its bytes in *length. An invalid byte is a character beyond Unicode. */
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

/* True if a character matches the bracket whose characters begin at byte i and whose `]` is at `end`. */
static bool is_in_bracket(const XtfNamePattern *pattern, size_t i, size_t end, gunichar character)
{
    bool negated = is_special(pattern, i, '!') || is_special(pattern, i, '^'), in = false;
    size_t length;

    for (i += negated; i < end; i += length) {
        gunichar first = first_character(pattern->bytes + i, &length), last = first;
        if (is_special(pattern, i + length, '-') && i + length + 1 < end) {
            i += length + 1;
            last = first_character(pattern->bytes + i, &length);
        }
        in |= character >= first && character <= last;
    }
    return in != negated;
}

/* True if the next character of a name matches the pattern at byte *i, which is not a `*`. Then advances both. */
static bool match_character(const XtfNamePattern *pattern, size_t *i, const char **name)
{
    size_t length, end;
    gunichar character = first_character(*name, &length);

    if (is_special(pattern, *i, '?')) {
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

/* Extends a `*` by one character where the pattern after it does not match. Earlier stars need no retry. */
bool xtf_name_pattern_fits(const XtfNamePattern *pattern, const char *name)
{
    size_t i = 0, after_star = 0, length;
    const char *retry = NULL;

    while (*name) {
        if (is_special(pattern, i, '*')) {
            after_star = ++i;
            retry = name;
        } else if (!match_character(pattern, &i, &name)) {
            if (!retry)
                return false;
            first_character(retry, &length);
            name = retry += length;
            i = after_star;
        }
    }
    while (is_special(pattern, i, '*'))
        i++;
    return i == pattern->n;
}
