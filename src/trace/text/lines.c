#include "src/trace/text/lines.h"

#include <math.h>
#include <string.h>

#include "libxtf/error.h"
#include "src/trace/text/digits.h"
#include "src/trace/text/escape.h"

typedef unsigned __int128 Wide;

enum {
    CELL_TEXT_MAX = 128, /* bytes: enough for any number, and for the longest time at the finest resolution */
};

/* ---- Grids. */

void xtf_grid_init(XtfGrid *grid, const XtfTableDeclaration *table)
{
    *grid = (XtfGrid){.table = table};
}

void xtf_grid_add_column(XtfGrid *grid, const XtfColumn *column, size_t width)
{
    unsigned i = grid->n++;

    g_assert(i < XTF_GRID_COLUMNS_MAX);
    grid->columns[i].column = column;
    grid->columns[i].width = MAX(width, strlen(column->name) + (i == 0 ? strlen("# ") : 0));
    grid->line += grid->columns[i].width + 1;
}

void xtf_grid_add(XtfGrid *grid, const char *name, size_t width)
{
    const XtfTableDeclaration *table = grid->table;

    /* Callers mostly add columns in the order of their declarations. */
    for (unsigned i = 0; i < table->n_columns; i++) {
        const XtfColumn *column = &table->columns[(grid->n + i) % table->n_columns];
        if (strcmp(column->name, name) == 0) {
            xtf_grid_add_column(grid, column, width);
            return;
        }
    }
    g_error("the table %s does not declare a column \"%s\"", table->name, name);
}

/* ---- Cells. */

void xtf_lines_init(XtfLines *lines, const XtfGrid *grid, const XtfTimeScale *scale, GString *out)
{
    *lines = (XtfLines){.grid = grid, .scale = scale, .out = out};
}

void xtf_lines_init_rows(XtfLines *lines, const XtfGrid *grid, const XtfTimeScale *scale, XtfRows *rows)
{
    *lines = (XtfLines){.grid = grid, .scale = scale, .rows = rows};
}

uint64_t xtf_lines_n(const XtfLines *lines)
{
    return lines->rows ? xtf_rows_n(lines->rows) : lines->out->len / lines->grid->line;
}

bool xtf_lines_finish(const XtfLines *lines, GError **error)
{
    if (!lines->spoilt)
        return true;
    return xtf_damaged(error,
                       "a value does not fit its column, whose width follows from the limits that the trace states");
}

/* Appends uninitialized bytes to a text, which mostly has room for them. */
static inline void extend_text(GString *text, size_t bytes)
{
    if (text->allocated_len - text->len <= bytes) {
        g_string_set_size(text, text->len + bytes);
        return;
    }
    text->len += bytes;
    text->str[text->len] = '\0';
}

/* Appends room for the next cell and its blank or newline. Returns the cell, of *width bytes. */
static char *begin_cell(XtfLines *lines, size_t *width)
{
    unsigned column = lines->column++;
    gsize at = lines->out->len;

    *width = lines->grid->columns[column].width;
    extend_text(lines->out, *width + 1);
    lines->out->str[at + *width] = ' ';
    if (lines->column == lines->grid->n) {
        lines->out->str[at + *width] = '\n';
        lines->column = 0;
    }
    return lines->out->str + at;
}

static void put_aligned(XtfLines *lines, const char *text, size_t length)
{
    bool align_left = xtf_column_is_left(lines->grid->columns[lines->column].column);
    size_t width;
    char *cell = begin_cell(lines, &width);

    if (length > width) {
        lines->spoilt = true;
        length = 0;
    }
    memset(align_left ? cell + length : cell, ' ', width - length);
    memcpy(align_left ? cell : cell + width - length, text, length);
}

/* Adds a cell to the text or to the rows. */
static inline void add_cell(XtfLines *lines, XtfRowCell cell, const char *text, size_t length)
{
    if (!lines->rows) {
        put_aligned(lines, text, length);
        return;
    }
    xtf_rows_add(lines->rows, cell, text, length);
    lines->column = (lines->column + 1) % lines->grid->n;
}

void xtf_lines_header(XtfLines *lines)
{
    const XtfGrid *grid = lines->grid;
    size_t width;

    if (lines->rows)
        return;
    g_autofree char *first = g_strconcat("# ", grid->columns[0].column->name, NULL);
    char *cell = begin_cell(lines, &width);
    memset(cell, ' ', width);
    memcpy(cell, first, strlen(first));
    for (unsigned i = 1; i < grid->n; i++)
        put_aligned(lines, grid->columns[i].column->name, strlen(grid->columns[i].column->name));
}

void xtf_lines_word(XtfLines *lines, const char *word)
{
    add_cell(lines, (XtfRowCell){.type = XTF_ROW_TEXT}, word, strlen(word));
}

void xtf_lines_none(XtfLines *lines)
{
    add_cell(lines, (XtfRowCell){.type = XTF_ROW_NOTHING}, "-", 1);
}

static void add_signed_number(XtfLines *lines, bool negative, Wide number)
{
    char digits[CELL_TEXT_MAX], *end = digits + sizeof digits, *begin = xtf_put_wide(end, number);

    if (negative)
        *--begin = '-';
    add_cell(lines, (XtfRowCell){.type = XTF_ROW_NUMBER, .negative = negative, .number = number}, begin,
             (size_t)(end - begin));
}

/* True if a number has at most `width` digits, at least 1. */
static bool has_digits(uint64_t number, size_t width)
{
    static const uint64_t powers[] = {1,    10,   100,  1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000,
                                      1e10, 1e11, 1e12, 1e13, 1e14,  1e15,   1e16,    1e17,     1e18,      1e19};

    return width >= G_N_ELEMENTS(powers) || number < powers[width];
}

void xtf_lines_number(XtfLines *lines, uint64_t number)
{
    size_t width = lines->grid->columns[lines->column].width;

    if (lines->rows || xtf_column_is_left(lines->grid->columns[lines->column].column) || !has_digits(number, width)) {
        add_signed_number(lines, false, number);
        return;
    }
    char *cell = begin_cell(lines, &width);
    xtf_put_right(cell + width, number, (unsigned)width);
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
    add_signed_number(lines, number < 0, number < 0 ? -(uint64_t)number : (uint64_t)number);
}

void xtf_lines_signed_wide(XtfLines *lines, bool negative, Wide number)
{
    add_signed_number(lines, negative, number);
}

size_t xtf_wide_width(Wide number)
{
    char digits[CELL_TEXT_MAX], *end = digits + sizeof digits;
    return (size_t)(end - xtf_put_wide(end, number));
}

/* Writes ticks as seconds. If they need more than 64 bits, writes whole seconds and their fraction separately. */
static char *put_ticks(const XtfTimeScale *scale, Wide ticks, char *end)
{
    if (G_LIKELY(ticks <= UINT64_MAX))
        return xtf_time_scale_put(scale, (uint64_t)ticks, end);
    uint64_t remainder = (uint64_t)(ticks % scale->num);
    char *begin = xtf_time_scale_put(scale, remainder, end);
    Wide seconds, whole;

    if (ticks == remainder)
        return begin;
    if (scale->digits)
        end -= scale->digits + 1;
    seconds = (Wide)remainder * scale->den / scale->num;
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
    add_cell(lines, (XtfRowCell){.type = XTF_ROW_TIME, .negative = negative, .number = ticks}, begin,
             (size_t)(end - begin));
}

void xtf_lines_ticks(XtfLines *lines, Wide ticks)
{
    xtf_lines_signed_ticks(lines, false, ticks);
}

void xtf_lines_ticks_if(XtfLines *lines, bool known, unsigned __int128 ticks)
{
    if (known)
        xtf_lines_ticks(lines, ticks);
    else
        xtf_lines_none(lines);
}

void xtf_lines_time_if(XtfLines *lines, bool known, uint64_t t)
{
    xtf_lines_ticks_if(lines, known, t - MIN(t, lines->scale->origin));
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
    xtf_lines_real_text(lines, number, text);
}

void xtf_lines_real_text(XtfLines *lines, double number, const char *text)
{
    add_cell(lines, (XtfRowCell){.type = XTF_ROW_REAL, .real = number}, text, strlen(text));
}

void xtf_lines_seconds(XtfLines *lines, double seconds)
{
    char format[16];

    g_snprintf(format, sizeof format, "%%.%uf", lines->scale->digits);
    xtf_lines_real(lines, format, seconds);
}

uint64_t xtf_hundredths(Wide part, Wide whole)
{
    enum { TWICE_ALL = 2 * 100 * 100 };
    Wide twice;

    if (__builtin_mul_overflow(part, (Wide)TWICE_ALL, &twice))
        return UINT64_MAX;
    return (uint64_t)MIN((twice / whole + 1) / 2, (Wide)UINT64_MAX);
}

void xtf_lines_percent(XtfLines *lines, Wide part, Wide whole)
{
    char text[CELL_TEXT_MAX], *end = text + sizeof text, *begin;

    if (!whole) {
        xtf_lines_none(lines);
        return;
    }
    uint64_t hundredths = xtf_hundredths(part, whole);
    lines->spoilt |= hundredths == UINT64_MAX;
    begin = xtf_put_padded(end, hundredths % 100, 2);
    end -= 2;
    *--begin = '.';
    begin = xtf_put_digits(begin, hundredths / 100);
    add_cell(lines, (XtfRowCell){.type = XTF_ROW_PERCENT, .number = hundredths}, begin,
             (size_t)(text + sizeof text - begin));
}

/* Adds a text of the trace, uncut, to the rows. */
static void add_whole(XtfLines *lines, const char *whole)
{
    g_autofree char *shown = xtf_text_shown(whole, G_MAXSIZE);
    add_cell(lines, (XtfRowCell){.type = XTF_ROW_TEXT}, shown, strlen(shown));
}

void xtf_lines_text(XtfLines *lines, const char *text, uint64_t number)
{
    bool last = lines->column + 1 == lines->grid->n;
    size_t width;

    if (lines->rows) {
        add_whole(lines, text);
        return;
    }
    char *cell = begin_cell(lines, &width);
    xtf_text_put(cell, width, text, !last, number);
}

void xtf_lines_shown_text(XtfLines *lines, const char *shown, size_t length, const char *whole)
{
    if (lines->rows)
        add_whole(lines, whole);
    else
        put_aligned(lines, shown, length);
}

/* ---- Tables side by side. */

void xtf_lines_join_text(XtfLines *lines, const char *right_cells, size_t length, uint64_t n)
{
    GString *out = lines->out;
    gsize cells = lines->grid->line - length, begin = out->len - cells;

    g_string_set_size(out, begin + n * lines->grid->line);
    for (uint64_t i = 0; i < n; i++) {
        char *line = out->str + begin + i * lines->grid->line;
        if (i)
            memcpy(line, out->str + begin, cells);
        memcpy(line + cells, right_cells + i * length, length);
    }
    lines->column = 0;
}

/* Adds a copy of a cell of another row. */
static void add_copy(XtfLines *lines, const XtfRowCell *cell)
{
    add_cell(lines, *cell, cell->text, strlen(cell->text));
}

void xtf_lines_join_rows(XtfLines *lines, const XtfRows *right_rows, uint64_t first, uint64_t n)
{
    unsigned n_first = lines->column;
    guint begin = lines->rows->cells->len - n_first;

    for (uint64_t i = 0; i < n; i++) {
        for (unsigned j = 0; i && j < n_first; j++) {
            XtfRowCell cell = g_array_index(lines->rows->cells, XtfRowCell, begin + j);
            add_copy(lines, &cell);
        }
        for (unsigned j = 0; j < right_rows->n_columns; j++)
            add_copy(lines, &xtf_rows_get(right_rows, first + i)[j]);
    }
}
