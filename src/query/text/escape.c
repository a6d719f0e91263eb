#include "src/query/text/escape.h"

#include <glib.h>
#include <string.h>

#include "src/query/text/digits.h"

static const char hex[] = "0123456789abcdef";

/* Escapes the next character of the text, which has *used bytes; returns the length of `shown`. */
static size_t next_shown(const char *text, bool blanks, char shown[static 4], size_t *used)
{
    unsigned char c = (unsigned char)*text;
    size_t length = 1;

    if (c >= 0x80) {
        gunichar character = g_utf8_get_char_validated(text, -1);
        if (character < 0x110000 && !g_unichar_iscntrl(character) && character >= 0xa0)
            length = (size_t)g_unichar_to_utf8(character, NULL);
        else
            c = 0x7f; /* to be escaped */
    }
    *used = length;
    if (c == 0x7f || c < 0x20 || c == '\\' || (blanks && c == ' ')) {
        shown[0] = '\\';
        shown[1] = 'x';
        shown[2] = hex[(unsigned char)*text >> 4];
        shown[3] = hex[*text & 15];
        return 4;
    }
    memcpy(shown, text, length);
    return length;
}

size_t xtf_text_width(const char *text, bool blanks)
{
    size_t width = *text ? 0 : 2, used;
    char shown[4];

    for (; *text; text += used)
        width += next_shown(text, blanks, shown, &used);
    return width;
}

/* Writes as many whole characters as there is room for. */
static size_t put_prefix(char *out, size_t room, const char *text, bool blanks, bool *whole)
{
    size_t at = 0, used;
    char shown[4];

    for (; *text; text += used) {
        size_t length = next_shown(text, blanks, shown, &used);
        if (at + length > room)
            break;
        memcpy(out + at, shown, length);
        at += length;
    }
    *whole = !*text;
    return at;
}

void xtf_text_put(char *out, size_t width, const char *text, bool blanks, uint64_t number)
{
    char digits[24], *end = digits + sizeof digits, *mark = xtf_put_digits(end, number);
    bool whole;
    size_t at = put_prefix(out, width, *text ? text : "\"\"", blanks, &whole);

    if (!whole) {
        *--mark = '~';
        size_t length = MIN((size_t)(end - mark), width);
        at = put_prefix(out, width - length, text, blanks, &whole);
        memcpy(out + at, end - length, length);
        at += length;
    }
    memset(out + at, ' ', width - at);
}
