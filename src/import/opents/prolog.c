#include "src/import/opents/prolog.h"

#include <string.h>

#include "src/files/head.h"

static const char *skip_blanks(const char *p)
{
    return p + strspn(p, " \t\r\n");
}

/* Returns the value of an attribute in the text up to `end`. The caller frees it; NULL: there is none. */
static char *find_attribute(const char *text, const char *end, const char *name)
{
    for (const char *p = strstr(text, name); p && p < end; p = strstr(p + 1, name)) {
        const char *value = skip_blanks(p + strlen(name));
        if (!g_ascii_isspace(p[-1]) || *value != '=')
            continue;
        value = skip_blanks(value + 1);
        const char *close = *value == '"' || *value == '\'' ? strchr(value + 1, *value) : NULL;
        return close && close < end ? g_strndup(value + 1, close - value - 1) : NULL;
    }
    return NULL;
}

char *xtf_opents_encoding(const char *bytes, size_t n)
{
    static const struct {
        const char *mark, *name;
    } byte_order_marks[] = {{"\xff\xfe", "UTF-16LE"}, {"\xfe\xff", "UTF-16BE"}, {"\xef\xbb\xbf", "UTF-8"}};

    for (unsigned i = 0; i < G_N_ELEMENTS(byte_order_marks); i++)
        if (n >= strlen(byte_order_marks[i].mark) &&
            memcmp(bytes, byte_order_marks[i].mark, strlen(byte_order_marks[i].mark)) == 0)
            return g_strdup(byte_order_marks[i].name);
    g_autofree char *text = g_strndup(bytes, MIN(n, XTF_OPENTS_PROLOG));
    const char *end = g_str_has_prefix(text, "<?xml") ? strstr(text, "?>") : NULL;
    char *encoding = end ? find_attribute(text, end, "encoding") : NULL;
    return encoding ? encoding : g_strdup("UTF-8");
}

/* Returns the bytes as text: in UTF-8 if the encoding is UTF-8 or UTF-16, else unchanged. The caller frees it. */
static char *decode_beginning(const char *bytes, size_t n)
{
    g_autofree char *encoding = xtf_opents_encoding(bytes, n);
    gsize n_read; /* passed so that an incomplete character at the end is no error */

    if (g_str_has_prefix(encoding, "UTF-16"))
        return g_convert(bytes + 2, (gssize)n - 2, "UTF-8", encoding, &n_read, NULL, NULL);
    if (n >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0)
        return g_strndup(bytes + 3, n - 3);
    return g_strndup(bytes, n); /* all other encodings agree with ASCII in ASCII's characters */
}

/* Returns the first tag that is not a processing instruction or comment: an element, or a document type declaration.
 * NULL if there is other text, or none. */
static const char *find_first_element(const char *text)
{
    for (;;) {
        text = skip_blanks(text);
        const char *close = g_str_has_prefix(text, "<?") ? "?>" : g_str_has_prefix(text, "<!--") ? "-->" : NULL;
        if (!close)
            return *text == '<' ? text : NULL;
        text = strstr(text, close);
        if (!text)
            return NULL;
        text += strlen(close);
    }
}

static bool is_name(const char *text, const char *name)
{
    size_t n = strlen(name);

    return strncmp(text, name, n) == 0 && (g_ascii_isspace(text[n]) || text[n] == '>' || text[n] == '/');
}

bool xtf_opents_detect(const char *path)
{
    char bytes[XTF_OPENTS_PROLOG];
    ssize_t n = xtf_file_read_head(path, bytes, sizeof bytes, NULL);
    g_autofree char *text = n > 0 ? decode_beginning(bytes, (size_t)n) : NULL;
    const char *first = text ? find_first_element(text) : NULL;
    if (!first)
        return false;
    if (g_str_has_prefix(first, "<!DOCTYPE"))
        return is_name(skip_blanks(first + strlen("<!DOCTYPE")), "trace");
    if (!is_name(first + 1, "trace"))
        return false;
    const char *end = strchr(first, '>');
    g_autofree char *ranks = find_attribute(first, end ? end : first + strlen(first), "ranks");
    return ranks != NULL || (!end && (size_t)n == sizeof bytes);
}
