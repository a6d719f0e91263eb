#include "src/import/opents/prolog.h"

#include <string.h>
#include <unistd.h>

#include "libxtf/source.h"

static const char *skip_blanks(const char *p)
{
    return p + strspn(p, " \t\r\n");
}

/* The value of an attribute in the text up to `end`. The caller frees it; NULL: there is none. */
static char *attribute_in(const char *text, const char *end, const char *name)
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
    } marks[] = {{"\xff\xfe", "UTF-16LE"}, {"\xfe\xff", "UTF-16BE"}, {"\xef\xbb\xbf", "UTF-8"}};

    for (unsigned i = 0; i < G_N_ELEMENTS(marks); i++)
        if (n >= strlen(marks[i].mark) && memcmp(bytes, marks[i].mark, strlen(marks[i].mark)) == 0)
            return g_strdup(marks[i].name);
    g_autofree char *text = g_strndup(bytes, MIN(n, XTF_OPENTS_PROLOG));
    const char *end = g_str_has_prefix(text, "<?xml") ? strstr(text, "?>") : NULL;
    char *encoding = end ? attribute_in(text, end, "encoding") : NULL;
    return encoding ? encoding : g_strdup("UTF-8");
}

/* What the bytes say in UTF-8, as far as that can be told. */
static char *text_of(const char *bytes, size_t n)
{
    g_autofree char *encoding = xtf_opents_encoding(bytes, n);
    gsize whole; /* what is asked for so that half a character at the end is no error */

    if (g_str_has_prefix(encoding, "UTF-16"))
        return g_convert(bytes + 2, (gssize)n - 2, "UTF-8", encoding, &whole, NULL, NULL);
    if (n >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0)
        return g_strndup(bytes + 3, n - 3);
    return g_strndup(bytes, n); /* all other encodings have ASCII's characters where ASCII has them */
}

/* The first element, or declaration of a document's type; NULL: there is something else, or nothing. */
static const char *first_element(const char *text)
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
    uint64_t size;
    int fd = xtf_file_open(path, &size, NULL);

    if (fd < 0)
        return false;
    ssize_t n = read(fd, bytes, sizeof bytes);
    close(fd);
    g_autofree char *text = n > 0 ? text_of(bytes, (size_t)n) : NULL;
    const char *first = text ? first_element(text) : NULL;
    if (!first)
        return false;
    if (g_str_has_prefix(first, "<!DOCTYPE"))
        return is_name(skip_blanks(first + strlen("<!DOCTYPE")), "trace");
    if (!is_name(first + 1, "trace"))
        return false;
    const char *end = strchr(first, '>');
    g_autofree char *ranks = attribute_in(first, end ? end : first + strlen(first), "ranks");
    return ranks != NULL || (!end && (size_t)n == sizeof bytes);
}
