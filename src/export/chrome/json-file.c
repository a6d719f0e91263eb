#include "src/export/chrome/json-file.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "libxtf/error.h"
#include "src/model/labels.h"

enum {
    BUFFER = 1 << 16,
    LINE = 1 << 10,
};

bool xtf_json_file_open(XtfJsonFile *json, const char *path, const char *name, GError **error)
{
    *json = (XtfJsonFile){.file = fopen(path, "we"), .name = name};

    if (!json->file)
        return xtf_fail(error, XTF_ERROR_IO, "%s: %s", name, g_strerror(errno));
    setvbuf(json->file, NULL, _IOFBF, BUFFER);
    json->line = g_string_sized_new(LINE);
    return true;
}

bool xtf_json_file_close(XtfJsonFile *json, GError **error)
{
    if (!json->file)
        return true;
    bool good = !ferror(json->file);
    good = fclose(json->file) == 0 && good;
    json->file = NULL;
    g_string_free(json->line, TRUE);
    return good || xtf_fail(error, XTF_ERROR_IO, "%s: %s", json->name, g_strerror(errno ? errno : EIO));
}

/* Appends bytes that JSON or UTF-8 does not allow as they are. Returns the byte after them. */
static const char *append_special(GString *line, const char *p)
{
    if (*p == '"' || *p == '\\') {
        g_string_append_c(line, '\\');
        g_string_append_c(line, *p);
    } else if ((uint8_t)*p < ' ') {
        g_string_append_printf(line, "\\u%04x", *p);
    } else {
        g_string_append(line, "\\ufffd");
    }
    return p + 1;
}

void xtf_json_append_text(GString *line, const char *text)
{
    const char *end = text + strlen(text), *valid;

    g_string_append_c(line, '"');
    for (const char *p = text; p < end;) {
        g_utf8_validate(p, end - p, &valid);
        for (; p < valid; p++) {
            if (*p == '"' || *p == '\\' || (uint8_t)*p < ' ')
                append_special(line, p);
            else
                g_string_append_c(line, *p);
        }
        if (p < end)
            p = append_special(line, p);
    }
    g_string_append_c(line, '"');
}

void xtf_json_append_time(GString *line, uint64_t ns)
{
    g_string_append_printf(line, "%" PRIu64 ".%03u", ns / 1000, (unsigned)(ns % 1000));
}

static void append_real(GString *line, uint64_t bits)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    double real;

    memcpy(&real, &bits, sizeof real);
    if (!isfinite(real)) { /* JSON has no such number */
        g_string_append(line, isnan(real) ? "\"NaN\"" : real > 0 ? "\"Infinity\"" : "\"-Infinity\"");
        return;
    }
    g_ascii_dtostr(text, sizeof text, real);
    g_string_append(line, text);
    if (!strpbrk(text, ".e")) /* so that it stays a real number */
        g_string_append(line, ".0");
}

void xtf_json_append_value(GString *line, unsigned type, uint64_t value)
{
    if (type < 32 && XTF_REAL_VALUE_TYPES >> type & 1)
        append_real(line, value);
    else if (type < 32 && XTF_SIGNED_VALUE_TYPES >> type & 1)
        g_string_append_printf(line, "%" PRId64, (int64_t)value);
    else
        g_string_append_printf(line, "%" PRIu64, value);
}

GString *xtf_json_file_begin(XtfJsonFile *json)
{
    g_string_assign(json->line, json->has_events ? ",\n" : "\n");
    json->has_events = true;
    return json->line;
}

void xtf_json_file_end(XtfJsonFile *json)
{
    fwrite(json->line->str, 1, json->line->len, json->file);
}
