#include "src/export/xml/xml.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "libxtf/error.h"

enum {
    DIGITS_OF_TIMES = 9,
    DIGITS_OF_REALS = 17,
    NUMBER_MAX = 400, /* characters; the greatest double has 309 digits before the point */
    BUFFER = 1 << 16,
};

void xtf_xml_init(XtfXml *xml, FILE *file, XtfXmlStyle style)
{
    *xml = (XtfXml){.file = file, .style = style, .open = g_ptr_array_new()};
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", file);
}

void xtf_xml_finish(XtfXml *xml)
{
    g_clear_pointer(&xml->open, g_ptr_array_unref);
}

bool xtf_xml_open(XtfXml *xml, const char *path, const char *name, XtfXmlStyle style, GError **error)
{
    FILE *file = fopen(path, "we");

    *xml = (XtfXml){0};
    if (!file)
        return xtf_fail(error, XTF_ERROR_IO, "%s: %s", name, g_strerror(errno));
    setvbuf(file, NULL, _IOFBF, BUFFER);
    xtf_xml_init(xml, file, style);
    xml->name = name;
    return true;
}

bool xtf_xml_close(XtfXml *xml, GError **error)
{
    xtf_xml_finish(xml);
    if (!xml->file)
        return true;
    bool good = !ferror(xml->file);
    good = fclose(xml->file) == 0 && good;
    xml->file = NULL;
    return good || xtf_fail(error, XTF_ERROR_IO, "%s: %s", xml->name, g_strerror(errno ? errno : EIO));
}

static int indent_width(const XtfXml *xml)
{
    return (int)(xml->style.indent * xml->open->len);
}

static void close_tag(XtfXml *xml)
{
    if (xml->in_tag)
        fputs(">\n", xml->file);
    xml->in_tag = false;
}

void xtf_xml_begin(XtfXml *xml, const char *name)
{
    close_tag(xml);
    fprintf(xml->file, "%*s<%s", indent_width(xml), "", name);
    g_ptr_array_add(xml->open, (char *)name);
    xml->in_tag = true;
}

void xtf_xml_end_empty(XtfXml *xml)
{
    g_ptr_array_remove_index(xml->open, xml->open->len - 1);
    fputs("/>\n", xml->file);
    xml->in_tag = false;
}

void xtf_xml_end(XtfXml *xml)
{
    if (xml->in_tag && !xml->style.has_end_tags) {
        xtf_xml_end_empty(xml);
        return;
    }
    close_tag(xml);
    const char *name = g_ptr_array_steal_index(xml->open, xml->open->len - 1);
    fprintf(xml->file, "%*s</%s>\n", indent_width(xml), "", name);
}

void xtf_xml_end_to(XtfXml *xml, unsigned depth)
{
    while (xml->open->len > depth)
        xtf_xml_end(xml);
}

/* True if the text begins with U+FFFE or U+FFFF, which are valid UTF-8 but no characters of XML. */
static bool begins_noncharacter(const char *text)
{
    return g_str_has_prefix(text, "\xEF\xBF\xBE") || g_str_has_prefix(text, "\xEF\xBF\xBF");
}

static const char *entity_of(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    default:
        return NULL;
    }
}

/* Writes a control character as the style wants. A plain tab or line end would be read as a space, so they become
 * references. XML allows no other control character. */
static void put_control(XtfXml *xml, char c)
{
    if (xml->style.leaves_characters)
        return;
    if (c == '\t' || c == '\n' || c == '\r')
        fprintf(xml->file, "&#x%X;", (unsigned)c);
    else
        fputc('?', xml->file);
}

static void put_text(XtfXml *xml, const char *text)
{
    g_autofree char *valid = g_utf8_make_valid(text, -1);

    for (const char *c = valid; *c; c++) {
        const char *entity = entity_of(*c);
        if (entity) {
            fputs(entity, xml->file);
        } else if (begins_noncharacter(c)) {
            put_control(xml, '\1');
            c += 2;
        } else if ((unsigned char)*c < ' ' || (*c == 0x7f && xml->style.leaves_characters)) {
            put_control(xml, *c);
        } else {
            fputc(*c, xml->file);
        }
    }
}

void xtf_xml_element(XtfXml *xml, const char *name, const char *text)
{
    close_tag(xml);
    fprintf(xml->file, "%*s<%s>", indent_width(xml), "", name);
    put_text(xml, text);
    fprintf(xml->file, "</%s>\n", name);
}

void xtf_xml_text(XtfXml *xml, const char *name, const char *text)
{
    fprintf(xml->file, " %s=\"", name);
    put_text(xml, text);
    fputc('"', xml->file);
}

void xtf_xml_signed(XtfXml *xml, const char *name, int64_t n)
{
    fprintf(xml->file, " %s=\"%" PRId64 "\"", name, n);
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

/* Finds the least number of decimals with which the value is read back, and writes the number to `text`. Returns -1 if
 * more than DIGITS_OF_REALS are needed. */
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
