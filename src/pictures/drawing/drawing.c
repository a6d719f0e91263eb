#include "src/pictures/drawing/drawing.h"

#include <string.h>

#include "libxtf/error.h"
#include "src/pictures/drawing/text-width.h"
#include "src/trace/text/escape.h"

static const char blanks_remark[] = "<!-- blanks: the file's size is fixed before it is drawn -->\n";

enum {
    BLANKS = 127, /* blanks of a line, without the newline */
};

void xtf_drawing_init(XtfDrawing *drawing, GString *out, size_t size)
{
    *drawing = (XtfDrawing){.out = out, .size = size};
}

size_t xtf_drawing_left(const XtfDrawing *drawing)
{
    size_t used = drawing->out->len + XTF_DRAWING_RESERVE;
    return used < drawing->size ? drawing->size - used : 0;
}

bool xtf_drawing_finish(XtfDrawing *drawing, const char *end, bool fitted, GError **error)
{
    GString *out = drawing->out;
    size_t tail = strlen(end), size = drawing->size;

    if (out->len + strlen(blanks_remark) + tail > drawing->size)
        return xtf_fail(error, XTF_ERROR_UNSUPPORTED, "the picture needs more than the %zu bytes reserved for it",
                        drawing->size);
    g_string_append(out, blanks_remark);
    if (fitted)
        size = MIN(size, (out->len + tail + XTF_DRAWING_BLOCK - 1) / XTF_DRAWING_BLOCK * XTF_DRAWING_BLOCK);
    size_t blanks = size - tail - out->len, at = out->len;
    g_string_set_size(out, size - tail);
    memset(out->str + at, ' ', blanks);
    for (size_t newline = BLANKS; newline < blanks; newline += BLANKS + 1)
        out->str[at + newline] = '\n';
    g_string_append_len(out, end, (gssize)tail);
    return true;
}

void xtf_draw(XtfDrawing *drawing, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    g_string_append_vprintf(drawing->out, format, arguments);
    va_end(arguments);
}

void xtf_draw_text(XtfDrawing *drawing, const char *text, size_t most)
{
    g_autofree char *elided = xtf_text_elided(text, most);

    for (const char *c = elided; *c; c++) {
        /* U+FFFE and U+FFFF are valid UTF-8, but XML forbids them. */
        if (strncmp(c, "\xef\xbf\xbe", 3) == 0 || strncmp(c, "\xef\xbf\xbf", 3) == 0) {
            g_string_append_c(drawing->out, '?');
            c += 2;
            continue;
        }
        switch (*c) {
        case '&':
            g_string_append(drawing->out, "&amp;");
            break;
        case '<':
            g_string_append(drawing->out, "&lt;");
            break;
        case '>':
            g_string_append(drawing->out, "&gt;");
            break;
        case '"':
            g_string_append(drawing->out, "&quot;");
            break;
        case '\'':
            g_string_append(drawing->out, "&#39;");
            break;
        default:
            g_string_append_c(drawing->out, *c);
        }
    }
}

void xtf_draw_bytes(XtfDrawing *drawing, const char *bytes, size_t most)
{
    g_autofree char *shown = xtf_text_shown(bytes, SIZE_MAX);

    xtf_draw_text(drawing, shown, most);
}

void xtf_draw_half(XtfDrawing *drawing, uint32_t halves)
{
    xtf_draw(drawing, halves % 2 ? "%u.5" : "%u", halves / 2);
}
