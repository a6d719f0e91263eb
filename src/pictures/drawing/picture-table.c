#include "src/pictures/drawing/picture-table.h"

#include <string.h>

#include "libxtf/error.h"

enum {
    PART_BYTES = 1 << 20, /* of text, read at a time */
};

typedef struct {
    XtfTableLine line;
    void *data;
    unsigned n_columns; /* 0: before the header */
} Reading;

static unsigned count_columns(const char *header)
{
    unsigned n = 0;

    for (const char *rest = header + strspn(header, "# "); *rest; rest += strspn(rest, " ")) {
        rest += strcspn(rest, " ");
        n++;
    }
    return n;
}

/* Splits a line at its blanks, in place, and hands it on. In the last column, blanks are part of a name. */
static bool hand_on(Reading *reading, char *text, GError **error)
{
    const char *cells[XTF_TABLE_CELLS_MAX];
    unsigned n = 0;

    if (!reading->n_columns) {
        reading->n_columns = count_columns(text);
        return true;
    }
    g_strchomp(text);
    for (char *rest = text + strspn(text, " "); *rest && n < XTF_TABLE_CELLS_MAX; rest += strspn(rest, " ")) {
        cells[n++] = rest;
        if (n == reading->n_columns)
            break;
        rest += strcspn(rest, " ");
        if (*rest)
            *rest++ = '\0';
    }
    if (n + 1 == reading->n_columns && n < XTF_TABLE_CELLS_MAX)
        cells[n++] = ""; /* a name of blanks alone */
    return reading->line(cells, n, reading->data, error);
}

bool xtf_picture_table_read(XtfViews *views, const char *view, XtfSelection *selection, XtfTableLine line, void *data,
                            GError **error)
{
    const XtfShownTable table = {.view = xtf_view_find_for(views, view, selection), .selection = selection};
    g_autofree char *buffer = g_malloc(PART_BYTES + 1);
    Reading reading = {.line = line, .data = data};
    size_t held = 0; /* bytes of a line that is not whole yet */
    uint64_t size, at = 0;

    if (!xtf_view_check(views, table.view, selection, error) || !xtf_view_size(views, &table, &size, error))
        return false;
    while (at < size) {
        size_t length = (size_t)MIN(PART_BYTES - held, size - at);
        if (length == 0)
            return xtf_fail(error, XTF_ERROR_UNSUPPORTED, "a line of %s is too long for a picture", view);
        if (!xtf_view_read(views, &table, at, buffer + held, length, error))
            return false;
        char *begin = buffer, *end = buffer + held + length, *newline;
        while ((newline = memchr(begin, '\n', (size_t)(end - begin)))) {
            *newline = '\0';
            if (!hand_on(&reading, begin, error))
                return false;
            begin = newline + 1;
        }
        held = (size_t)(end - begin);
        memmove(buffer, begin, held);
        at += length;
    }
    return true;
}
