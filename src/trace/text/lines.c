#include "src/trace/text/lines.h"

#include <math.h>
#include <string.h>

#include "libxtf/error.h"
#include "src/trace/text/digits.h"
#include "src/trace/text/escape.h"

typedef unsigned __int128 Wide;

enum {
    CELL_TEXT_MAX = 128, /* of a number, and of the longest time with the finest digits */
};

/* ---- Grids. */

static void add_column(XtfGrid *grid, const char *name, size_t width, bool left)
{
    unsigned i = grid->n++;

    g_assert(i < XTF_GRID_COLUMNS_MAX);
    grid->columns[i].name = name;
    grid->columns[i].width = MAX(width, strlen(name) + (i == 0 ? strlen("# ") : 0));
    grid->columns[i].left = left;
    grid->line += grid->columns[i].width + 1;
}

void xtf_grid_add(XtfGrid *grid, const char *name, size_t width)
{
    add_column(grid, name, width, false);
}

void xtf_grid_add_text(XtfGrid *grid, const char *name, size_t width)
{
    add_column(grid, name, width, true);
}

/* ---- Cells. */

void xtf_lines_init(XtfLines *lines, const XtfGrid *grid, const XtfTimeScale *scale, GString *out)
{
    *lines = (XtfLines){.grid = grid, .scale = scale, .out = out};
}

bool xtf_lines_finish(const XtfLines *lines, GError **error)
{
    if (!lines->spoilt)
        return true;
    return xtf_damaged(error, "numbers do not fit the widths that the trace states");
}

/* Makes room for the next cell and the blank or newline after it. */
static char *begin_cell(XtfLines *lines, size_t *width)
{
    unsigned column = lines->column++;
    gsize at = lines->out->len;

    *width = lines->grid->columns[column].width;
    g_string_set_size(lines->out, at + *width + 1);
    lines->out->str[at + *width] = ' ';
    if (lines->column == lines->grid->n) {
        lines->out->str[at + *width] = '\n';
        lines->column = 0;
    }
    return lines->out->str + at;
}

static void put(XtfLines *lines, const char *text, size_t length, bool left)
{
    size_t width;
    char *cell = begin_cell(lines, &width);

    memset(cell, ' ', width);
    if (length <= width)
        memcpy(left ? cell : cell + width - length, text, length);
    else
        lines->spoilt = true;
}

void xtf_lines_header(XtfLines *lines)
{
    const XtfGrid *grid = lines->grid;
    g_autofree char *first = g_strconcat("# ", grid->columns[0].name, NULL);

    put(lines, first, strlen(first), true);
    for (unsigned i = 1; i < grid->n; i++)
        put(lines, grid->columns[i].name, strlen(grid->columns[i].name), grid->columns[i].left);
}

void xtf_lines_word(XtfLines *lines, const char *word)
{
    put(lines, word, strlen(word), lines->grid->columns[lines->column].left);
}

void xtf_lines_none(XtfLines *lines)
{
    xtf_lines_word(lines, "-");
}

void xtf_lines_number(XtfLines *lines, uint64_t number)
{
    char digits[24], *end = digits + sizeof digits, *begin = xtf_put_digits(end, number);
    put(lines, begin, (size_t)(end - begin), false);
}

void xtf_lines_number_if(XtfLines *lines, bool known, uint64_t number)
{
    if (known)
        xtf_lines_number(lines, number);
    else
        xtf_lines_none(lines);
}

void xtf_lines_signed(XtfLines *lines, int64_t number)
{
    char digits[24], *end = digits + sizeof digits, *begin = xtf_put_signed(end, number);
    put(lines, begin, (size_t)(end - begin), false);
}

void xtf_lines_signed_wide(XtfLines *lines, bool negative, Wide number)
{
    char digits[CELL_TEXT_MAX], *end = digits + sizeof digits, *begin = xtf_put_wide(end, number);

    if (negative)
        *--begin = '-';
    put(lines, begin, (size_t)(end - begin), false);
}

size_t xtf_wide_width(Wide number)
{
    char digits[CELL_TEXT_MAX], *end = digits + sizeof digits;
    return (size_t)(end - xtf_put_wide(end, number));
}

/* Puts whole seconds and the rest separately, since the ticks may need more than 64 bits. */
static char *put_ticks(const XtfTimeScale *scale, Wide ticks, char *end)
{
    uint64_t rest = (uint64_t)(ticks % scale->num);
    char *begin = xtf_time_scale_put(scale, rest, end);
    Wide seconds, whole;

    if (ticks == rest)
        return begin;
    if (scale->digits)
        end -= scale->digits + 1;
    seconds = (Wide)rest * scale->den / scale->num;
    if (__builtin_mul_overflow(ticks / scale->num, (Wide)scale->den, &whole) ||
        __builtin_add_overflow(seconds, whole, &seconds))
        seconds = ~(Wide)0;
    return xtf_put_wide(end, seconds);
}

void xtf_lines_signed_ticks(XtfLines *lines, bool negative, Wide ticks)
{
    char text[CELL_TEXT_MAX], *end = text + sizeof text, *begin = put_ticks(lines->scale, ticks, end);

    if (negative)
        *--begin = '-';
    put(lines, begin, (size_t)(end - begin), false);
}

void xtf_lines_ticks(XtfLines *lines, Wide ticks)
{
    xtf_lines_signed_ticks(lines, false, ticks);
}

size_t xtf_ticks_width(const XtfTimeScale *scale, Wide ticks)
{
    char text[CELL_TEXT_MAX], *end = text + sizeof text;
    return (size_t)(end - put_ticks(scale, ticks, end));
}

void xtf_lines_real(XtfLines *lines, const char *format, double number)
{
    char text[512]; /* "%f" of a time prints up to 309 digits before the point */

    g_ascii_formatd(text, sizeof text, format, isnan(number) ? NAN : number); /* never "-nan" */
    put(lines, text, strlen(text), false);
}

void xtf_lines_seconds(XtfLines *lines, double seconds)
{
    char format[16];

    g_snprintf(format, sizeof format, "%%.%uf", lines->scale->digits);
    xtf_lines_real(lines, format, seconds);
}

void xtf_lines_percent(XtfLines *lines, Wide part, Wide whole)
{
    char text[CELL_TEXT_MAX], *end = text + sizeof text, *begin;
    Wide hundredths;

    if (!whole) {
        xtf_lines_none(lines);
        return;
    }
    if (__builtin_mul_overflow(part, (Wide)20000, &hundredths)) {
        lines->spoilt = true;
        hundredths = 0;
    }
    hundredths = (hundredths / whole + 1) / 2;
    begin = xtf_put_padded(end, (uint64_t)(hundredths % 100), 2);
    end -= 2;
    *--begin = '.';
    begin = xtf_put_digits(begin, (uint64_t)MIN(hundredths / 100, (Wide)UINT64_MAX));
    put(lines, begin, (size_t)(text + sizeof text - begin), false);
}

void xtf_lines_text(XtfLines *lines, const char *text, uint64_t number)
{
    bool last = lines->column + 1 == lines->grid->n;
    size_t width;
    char *cell = begin_cell(lines, &width);

    xtf_text_put(cell, width, text, !last, number);
}

void xtf_lines_repeat_cells(XtfLines *lines, const char *rest, size_t length, uint64_t n)
{
    GString *out = lines->out;
    gsize cells = lines->grid->line - length, begin = out->len - cells;

    g_string_set_size(out, begin + n * lines->grid->line);
    for (uint64_t i = 0; i < n; i++) {
        char *line = out->str + begin + i * lines->grid->line;
        if (i)
            memcpy(line, out->str + begin, cells);
        memcpy(line + cells, rest + i * length, length);
    }
    lines->column = 0;
}

void xtf_lines_name(XtfLines *lines, const char *name, size_t length)
{
    put(lines, name, length, true);
}
