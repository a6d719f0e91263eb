#include "src/trace/text/escape.h"

#include <glib.h>
#include <string.h>

#include "src/trace/text/digits.h"

static const char hex[] = "0123456789abcdef";

typedef enum {
    MESSAGE,     /* escapes neither backslashes nor blanks */
    LAST_COLUMN, /* the line's last column: escapes backslashes */
    COLUMN,      /* any other column: escapes backslashes and blanks */
} Place;

static Place column_place(bool escape_blanks)
{
    return escape_blanks ? COLUMN : LAST_COLUMN;
}

bool xtf_text_is_separator_or_direction(uint32_t c)
{
    return c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

/* Returns the bytes of the first character if it needs no escape; 0 if its first byte is escaped. */
static size_t plain_length(const char *text, Place place)
{
    unsigned char c = (unsigned char)*text;

    if (c < 0x80)
        return c >= 0x20 && c != 0x7f && (c != '\\' || place == MESSAGE) && (c != ' ' || place != COLUMN);
    gunichar character = g_utf8_get_char_validated(text, -1);
    if (character >= 0x110000 || character < 0xa0 || xtf_text_is_separator_or_direction(character))
        return 0;
    return (size_t)g_unichar_to_utf8(character, NULL);
}

/* True if a byte is a character that needs no escape in any place. Most bytes of names are. */
static inline bool is_always_plain(char c)
{
    return c > ' ' && c < 0x7f && c != '\\';
}

/* Copies or escapes the first character of the text, of *used bytes, to `shown`. Returns the bytes of `shown`. */
static size_t escape_next(const char *text, Place place, char shown[static 4], size_t *used)
{
    size_t length = plain_length(text, place);

    if (length > 0) {
        *used = length;
        memcpy(shown, text, length);
        return length;
    }
    *used = 1;
    shown[0] = '\\';
    shown[1] = 'x';
    shown[2] = hex[(unsigned char)*text >> 4];
    shown[3] = hex[*text & 15];
    return 4;
}

static size_t measure_escaped(const char *text, Place place, size_t most)
{
    size_t width = 0, used;
    char shown[4];

    for (; *text && width < most; text += used)
        width += escape_next(text, place, shown, &used);
    return MIN(width, most);
}

size_t xtf_text_width(const char *text, bool escape_blanks, size_t most)
{
    return measure_escaped(*text ? text : "\"\"", column_place(escape_blanks), most);
}

/* Writes the characters of the text that fit `room` bytes; *whole is true if all did. Returns the bytes written. */
static size_t put_prefix(char *out, size_t room, const char *text, Place place, bool *whole)
{
    size_t at = 0, used;
    char shown[4];

    for (; *text; text += used) {
        while (at < room && is_always_plain(*text))
            out[at++] = *text++;
        if (!*text)
            break;
        size_t length = escape_next(text, place, shown, &used);
        if (at + length > room)
            break;
        memcpy(out + at, shown, length);
        at += length;
    }
    *whole = !*text;
    return at;
}

void xtf_text_put(char *out, size_t width, const char *text, bool escape_blanks, uint64_t number)
{
    char digits[24], *end = digits + sizeof digits, *mark = xtf_put_digits(end, number);
    bool whole;
    size_t at = put_prefix(out, width, *text ? text : "\"\"", column_place(escape_blanks), &whole);

    if (!whole) {
        *--mark = '~';
        size_t length = MIN((size_t)(end - mark), width);
        at = put_prefix(out, width - length, text, column_place(escape_blanks), &whole);
        memcpy(out + at, end - length, length);
        at += length;
    }
    memset(out + at, ' ', width - at);
}

char *xtf_text_shown(const char *text, size_t most)
{
    static const char dots[] = "...";
    size_t width = measure_escaped(text, MESSAGE, most);
    char *shown = g_malloc(width + sizeof dots);
    bool whole;
    size_t at = put_prefix(shown, width, text, MESSAGE, &whole);

    memcpy(shown + at, whole ? "" : dots, whole ? 1 : sizeof dots);
    return shown;
}

bool xtf_text_is_plain(const char *text)
{
    size_t length = 1;

    for (; *text && length > 0; text += length)
        length = plain_length(text, MESSAGE);
    return length > 0;
}
