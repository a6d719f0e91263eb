#include "src/export/xml/xml.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "libxtf/error.h"

enum {
    DIGITS_OF_TIMES = 9,
    DIGITS_OF_REALS = 17,
    NUMBER_MAX = 400, /* characters: the greatest double has 309 before the point */
    BUFFER = 1 << 16,
};

bool xtf_xml_open(XtfXml *xml, const char *path, GError **error)
{
    *xml = (XtfXml){.path = path, .file = fopen(path, "we")};
    if (!xml->file)
        return xtf_fail(error, XTF_ERROR_IO, "%s: %s", path, g_strerror(errno));
    setvbuf(xml->file, NULL, _IOFBF, BUFFER);
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", xml->file);
    return true;
}

bool xtf_xml_close(XtfXml *xml, GError **error)
{
    if (!xml->file)
        return true;
    bool good = !ferror(xml->file);
    good = fclose(xml->file) == 0 && good;
    xml->file = NULL;
    return good || xtf_fail(error, XTF_ERROR_IO, "%s: %s", xml->path, g_strerror(errno ? errno : EIO));
}

static void close_tag(XtfXml *xml)
{
    if (xml->in_tag)
        fputs(">\n", xml->file);
    xml->in_tag = false;
}

void xtf_xml_begin(XtfXml *xml, const char *name)
{
    g_assert(xml->depth < G_N_ELEMENTS(xml->open));
    close_tag(xml);
    fprintf(xml->file, "%*s<%s", 2 * (int)xml->depth, "", name);
    xml->open[xml->depth++] = name;
    xml->in_tag = true;
}

void xtf_xml_end(XtfXml *xml)
{
    const char *name = xml->open[--xml->depth];

    if (xml->in_tag)
        fputs("/>\n", xml->file);
    else
        fprintf(xml->file, "%*s</%s>\n", 2 * (int)xml->depth, "", name);
    xml->in_tag = false;
}

void xtf_xml_end_to(XtfXml *xml, unsigned depth)
{
    while (xml->depth > depth)
        xtf_xml_end(xml);
}

/* U+FFFE and U+FFFF are valid UTF-8 and no characters of XML. */
static bool is_no_character(const char *text)
{
    return g_str_has_prefix(text, "\xEF\xBF\xBE") || g_str_has_prefix(text, "\xEF\xBF\xBF");
}

/* Blanks that are no space would be read as spaces. Other characters below a space cannot be in XML at all. */
static void put_escaped(FILE *file, const char *text)
{
    for (; *text; text++) {
        if (is_no_character(text)) {
            fputc('?', file);
            text += 2;
        } else if (*text == '&') {
            fputs("&amp;", file);
        } else if (*text == '<') {
            fputs("&lt;", file);
        } else if (*text == '>') {
            fputs("&gt;", file);
        } else if (*text == '"') {
            fputs("&quot;", file);
        } else if (*text == '\t' || *text == '\n' || *text == '\r') {
            fprintf(file, "&#x%X;", (unsigned)*text);
        } else {
            fputc((unsigned char)*text < ' ' ? '?' : *text, file);
        }
    }
}

void xtf_xml_text(XtfXml *xml, const char *name, const char *text)
{
    g_autofree char *valid = g_utf8_make_valid(text, -1);

    fprintf(xml->file, " %s=\"", name);
    put_escaped(xml->file, valid);
    fputc('"', xml->file);
}

void xtf_xml_count(XtfXml *xml, const char *name, uint64_t n)
{
    if (n != UINT64_MAX)
        fprintf(xml->file, " %s=\"%" PRIu64 "\"", name, n);
}

void xtf_xml_seconds(XtfXml *xml, const char *name, uint64_t nanoseconds, int decimals)
{
    uint64_t whole = nanoseconds / 1000000000, part = nanoseconds % 1000000000;
    char digits[DIGITS_OF_TIMES + 1];

    if (nanoseconds == UINT64_MAX)
        return;
    g_snprintf(digits, sizeof digits, "%09u", (unsigned)part);
    int n = DIGITS_OF_TIMES;
    if (decimals == XTF_XML_SHORTEST)
        while (n > 0 && digits[n - 1] == '0')
            n--;
    else
        n = MIN(decimals, DIGITS_OF_TIMES);
    fprintf(xml->file, " %s=\"%" PRIu64 "%s%.*s\"", name, whole, n > 0 ? "." : "", n, digits);
}

/* The least number of digits behind the point with which a number is read back; -1: there are too many. */
static int decimals_of(double value, char *text)
{
    for (int n = 0; n <= DIGITS_OF_REALS; n++) {
        char format[8];
        g_snprintf(format, sizeof format, "%%.%df", n);
        g_ascii_formatd(text, NUMBER_MAX, format, value);
        if (g_ascii_strtod(text, NULL) == value)
            return n;
    }
    return -1;
}

void xtf_xml_real(XtfXml *xml, const char *name, double value, int decimals)
{
    char text[NUMBER_MAX], format[8];

    if (!isfinite(value))
        return;
    if (decimals != XTF_XML_SHORTEST) {
        g_snprintf(format, sizeof format, "%%.%df", MIN(decimals, DIGITS_OF_REALS));
        g_ascii_formatd(text, sizeof text, format, value);
    } else if (decimals_of(value, text) < 0) {
        g_ascii_dtostr(text, sizeof text, value);
    }
    fprintf(xml->file, " %s=\"%s\"", name, text);
}
