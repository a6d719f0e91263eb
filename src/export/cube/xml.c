#include "src/export/cube/xml.h"

#include <glib.h>

void xtf_cube_put_text(FILE *file, const char *text)
{
    g_autofree char *valid = g_utf8_make_valid(text, -1);

    for (const char *p = valid; *p; p = g_utf8_next_char(p)) {
        gunichar c = g_utf8_get_char(p);
        if (c == '&')
            fputs("&amp;", file);
        else if (c == '<')
            fputs("&lt;", file);
        else if (c == '>')
            fputs("&gt;", file);
        else if (c == '"')
            fputs("&quot;", file);
        else if (c >= ' ' && c != 0x7f && c != 0xfffe && c != 0xffff)
            fwrite(p, 1, (size_t)(g_utf8_next_char(p) - p), file);
    }
}

void xtf_cube_put_element(FILE *file, const char *name, const char *text)
{
    fprintf(file, "<%s>", name);
    xtf_cube_put_text(file, text);
    fprintf(file, "</%s>\n", name);
}
