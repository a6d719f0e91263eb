#include "src/cli/play/screen.h"

#include <math.h>

#include "src/trace/text/escape.h"

/* Glyphs of the shares, for UTF-8 and for ASCII. */
static const gunichar glyphs[XTF_SCREEN_SHARES] = {0x2588, 0x2593, 0x2592, 0xb7, 0x2591};
static const char plain_glyphs[XTF_SCREEN_SHARES] = {'#', '=', '-', '.', ':'};

XtfScreen *xtf_screen_new(int columns, int lines, bool ascii)
{
    XtfScreen *screen = g_new0(XtfScreen, 1);

    *screen = (XtfScreen){.columns = columns, .lines = lines, .ascii = ascii};
    screen->cells = g_new0(XtfScreenCell, (gsize)columns * (gsize)lines);
    for (int i = 0; i < columns * lines; i++)
        screen->cells[i].character = ' ';
    return screen;
}

void xtf_screen_free(XtfScreen *screen)
{
    if (screen)
        g_free(screen->cells);
    g_free(screen);
}

static void set_cell(XtfScreen *screen, int line, int column, gunichar character, XtfStyle style)
{
    if (line < 0 || line >= screen->lines || column < 0 || column >= screen->columns)
        return;
    XtfScreenCell *cell = &screen->cells[line * screen->columns + column];
    cell->character = character;
    cell->style = (uint8_t)style;
}

static gunichar to_drawable(const XtfScreen *screen, gunichar character)
{
    bool fits = g_unichar_isprint(character) && !g_unichar_iswide(character) && !g_unichar_iszerowidth(character) &&
                !xtf_text_is_separator_or_direction(character);
    return fits && (character < 128 || !screen->ascii) ? character : '?';
}

static int put_text(XtfScreen *screen, int line, int column, XtfStyle style, const char *text)
{
    g_autofree char *valid = g_utf8_make_valid(text, -1);

    for (const char *p = valid; *p; p = g_utf8_next_char(p))
        set_cell(screen, line, column++, to_drawable(screen, g_utf8_get_char(p)), style);
    return column;
}

int xtf_screen_put(XtfScreen *screen, int line, int column, XtfStyle style, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    g_autofree char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    return put_text(screen, line, column, style, text);
}

void xtf_screen_put_left_of(XtfScreen *screen, int line, int column, XtfStyle style, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    g_autofree char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_autofree char *valid = g_utf8_make_valid(text, -1);
    put_text(screen, line, column - (int)g_utf8_strlen(valid, -1), style, valid);
}

void xtf_screen_share(XtfScreen *screen, int line, int column, unsigned share)
{
    set_cell(screen, line, column, screen->ascii ? (gunichar)plain_glyphs[share] : glyphs[share],
             XTF_STYLE_SHARE + share);
}

/* Rounds shares to whole cells by largest remainder. The sum of the cells is round(width * sum / whole). */
static void round_to_cells(const double shares[static XTF_SCREEN_SHARES], double whole, int width,
                           int cells[static XTF_SCREEN_SHARES])
{
    double sum = 0, remainders[XTF_SCREEN_SHARES];
    int filled = 0;

    for (unsigned i = 0; i < XTF_SCREEN_SHARES; i++) {
        double wanted = whole > 0 ? shares[i] / whole * width : 0;
        sum += wanted;
        cells[i] = (int)wanted;
        remainders[i] = wanted - cells[i];
        filled += cells[i];
    }
    int total = (int)lround(fmin(sum, width));
    for (; filled < total; filled++) {
        unsigned largest = 0;
        for (unsigned i = 1; i < XTF_SCREEN_SHARES; i++)
            largest = remainders[i] > remainders[largest] ? i : largest;
        cells[largest]++;
        remainders[largest] = -1;
    }
}

void xtf_screen_bar(XtfScreen *screen, int line, int column, int width, const double shares[static XTF_SCREEN_SHARES],
                    double whole)
{
    int cells[XTF_SCREEN_SHARES], end = column + width;

    round_to_cells(shares, whole, width, cells);
    for (unsigned i = 0; i < XTF_SCREEN_SHARES; i++) {
        for (int n = 0; n < cells[i] && column < end; n++)
            xtf_screen_share(screen, line, column++, i);
    }
}

void xtf_screen_print(const XtfScreen *screen, FILE *out)
{
    g_autoptr(GString) text = g_string_new(NULL);

    for (int line = 0; line < screen->lines; line++) {
        g_string_truncate(text, 0);
        for (int column = 0; column < screen->columns; column++)
            g_string_append_unichar(text, screen->cells[line * screen->columns + column].character);
        g_strchomp(text->str);
        fprintf(out, "%s\n", text->str);
    }
}
