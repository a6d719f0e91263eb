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

/* True if the bytes are an object with the member "traceEvents", whose value is an array. */
static bool has_events(const char *head)
{
    const char *key = strstr(head, "\"traceEvents\"");

    if (!key)
        return false;
    key = skip_space(key + strlen("\"traceEvents\""));
    return *key == ':' && *skip_space(key + 1) == '[';
}

bool xtf_chrome_detect(const char *path)
{
    g_autofree char *head = g_malloc(HEAD_BYTES + 1);
    XtfChromeInput input;
    gssize n = 0, read = 1;

    if (!xtf_chrome_input_open(&input, path, NULL))
        return false;
    for (; n < HEAD_BYTES && read > 0; n += MAX(read, 0))
        read = xtf_chrome_input_read(&input, head + n, (gsize)(HEAD_BYTES - n), NULL);
    xtf_chrome_input_close(&input);
    head[n] = '\0';
    const char *first = skip_space(head);
    if (*first == '{')
        return has_events(first);
    return *first == '[' && *skip_space(first + 1) == '{' && strstr(first, "\"ph\"");
}
