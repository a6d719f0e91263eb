/*
 * Recognizes JSON of trace events by its first bytes.
 */
#include <string.h>

#include "src/import/chrome/importer.h"
#include "src/import/chrome/input.h"

enum { HEAD_BYTES = 64 << 10 };

static const char *skip_space(const char *p)
{
    return p + strspn(p, " \t\r\n");
}

/* Returns the value after a key, which is in quotes; NULL if the bytes lack the key. */
static const char *find_value(const char *head, const char *key)
{
    for (const char *p = head; (p = strstr(p, key));) {
        p = skip_space(p + strlen(key));
        if (*p == ':')
            return skip_space(p + 1);
    }
    return NULL;
}

/* Reads the beginning of a file as a text, which the caller frees. NULL if it is not readable. */
static char *read_head(const char *path)
{
    XtfChromeInput input;
    gssize n = 0, read = 1;

    if (!xtf_chrome_input_open(&input, path, NULL))
        return NULL;
    char *head = g_malloc(HEAD_BYTES + 1);
    for (; n < HEAD_BYTES && read > 0; n += MAX(read, 0))
        read = xtf_chrome_input_read(&input, head + n, (gsize)(HEAD_BYTES - n), NULL);
    xtf_chrome_input_close(&input);
    head[n] = '\0';
    return head;
}

bool xtf_chrome_detect(const char *path)
{
    g_autofree char *head = read_head(path);

    if (!head)
        return false;
    const char *first = skip_space(head);
    const char *events = *first == '{' ? find_value(first, "\"traceEvents\"") : first;
    return events && *events == '[' &&
           (events != first || (*skip_space(first + 1) == '{' && find_value(first, "\"ph\"")));
}

char *xtf_chrome_advice(const char *path)
{
    g_autofree char *head = read_head(path);
    const char *first = head ? skip_space(head) : "";

    return *first == '{' || *first == '[' ? g_strdup("if it has such events, '--format chrome' imports it") : NULL;
}
