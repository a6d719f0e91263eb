#include "src/tables/format/cells.h"

#include <string.h>

#include "libxtf/error.h"
#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/tables/format/site-cells.h"
#include "src/trace/text/digits.h"
#include "src/trace/text/escape.h"
#include "src/trace/text/value-kind.h"

static bool fail_outside_limits(const XtfCell *cell, GError **error)
{
    return xtf_damaged(error, "a value of the field \"%s\" is outside the limits that the trace states",
                       cell->field->name);
}

static bool put_unsigned(const XtfCell *cell, uint64_t v, char *line, GError **error)
{
    if (G_UNLIKELY(v > cell->max))
        return fail_outside_limits(cell, error);
    xtf_put_right(line + cell->to, v, cell->to - cell->from);
    return true;
}

static bool put_signed(const XtfCell *cell, int64_t v, char *line, GError **error)
{
    char digits[24], *end = digits + sizeof digits, *begin = xtf_put_signed(end, v);

    if (end - begin > (ptrdiff_t)(cell->to - cell->from))
        return fail_outside_limits(cell, error);
    memcpy(line + cell->to - (end - begin), begin, (size_t)(end - begin));
    return true;
}

static void put_real(const XtfCell *cell, double v, char *line)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    size_t length = MIN(strlen(g_ascii_dtostr(text, sizeof text, v)), (size_t)(cell->to - cell->from));
    memcpy(line + cell->to - length, text, length);
}

static bool put_string(const XtfCellContext *context, const XtfCell *cell, uint32_t string, char *line, GError **error)
{
    const char *text;
    if (!xtf_trace_string(context->trace, string, &text, error))
        return false;
    xtf_text_put(line + cell->from, cell->to - cell->from, text, !cell->last, string);
    return true;
}

/* Writes "?": the number has no name, or the rank no process. */
static void put_unknown(const XtfCell *cell, char *line)
{
    line[cell->kind == XTF_CELL_NAME ? cell->from : cell->to - 1] = '?';
}

static bool put_peer(const XtfCellContext *context, const XtfCell *cell, const uint8_t *row, char *line, GError **error)
{
    const XtfCommSource *source = &cell->comm;
    uint64_t rank = xtf_field_get(cell->field, row), comm, proc;

    if (!source->field || !context->ranks->comms) /* without communicators the cell shows the rank itself */
        return put_unsigned(cell, rank, line, error);
    if (!xtf_field_is_none(source->field, row) &&
        xtf_comm_source_map(source, xtf_field_get(source->field, row), &comm) &&
        xtf_ranks_proc(context->ranks, comm, rank, context->proc, &proc))
        return put_unsigned(cell, proc, line, error);
    put_unknown(cell, line);
    return true;
}

static XtfValueKind value_kind_of(const XtfCell *cell, const uint8_t *row)
{
    bool grows = g_str_equal(cell->field->role, XTF_ROLE_GROWTH);
    return grows ? xtf_growth_kind(cell->value_type, row) : xtf_value_kind(cell->value_type, row);
}

bool xtf_cell_string(const XtfCell *cell, const uint8_t *row, uint32_t *string)
{
    if (cell->kind != XTF_CELL_STRING && (cell->kind != XTF_CELL_VALUE || value_kind_of(cell, row) != XTF_KIND_STRING))
        return false;
    if (xtf_field_is_none(cell->field, row))
        return false;
    *string = (uint32_t)xtf_field_get(cell->field, row);
    return true;
}

static bool put_value(const XtfCellContext *context, const XtfCell *cell, const uint8_t *row, char *line,
                      GError **error)
{
    uint64_t bits = xtf_field_get(cell->field, row);

    switch (value_kind_of(cell, row)) {
    case XTF_KIND_STRING:
        return put_string(context, cell, (uint32_t)bits, line, error);
    case XTF_KIND_SIGNED:
        return put_signed(cell, (int64_t)bits, line, error);
    case XTF_KIND_REAL:
        put_real(cell, xtf_field_get_f64(cell->field, row), line);
        return true;
    case XTF_KIND_UNSIGNED:
        break;
    }
    return put_unsigned(cell, bits, line, error);
}

/* ---- Rare cells, row by row. */

static bool put_cell(const XtfCellContext *context, const XtfCell *cell, const uint8_t *row, char *line, GError **error)
{
    uint64_t v = xtf_field_get(cell->field, row);

    line[cell->to - 1] = line[cell->from] = ' ';
    switch (cell->kind) {
    case XTF_CELL_PEER:
        return put_peer(context, cell, row, line, error);
    case XTF_CELL_SIGNED:
        return put_signed(cell, (int64_t)v, line, error);
    case XTF_CELL_REAL:
        put_real(cell, xtf_field_get_f64(cell->field, row), line);
        return true;
    case XTF_CELL_STRING:
        return put_string(context, cell, (uint32_t)v, line, error);
    case XTF_CELL_VALUE:
        return put_value(context, cell, row, line, error);
    case XTF_CELL_BYTES:
        xtf_put_bytes(line + cell->to - 2 * cell->field->width, row + cell->field->offset, cell->field->width);
        return true;
    default: /* other kinds of cells are written for a whole block at once */
        break;
    }
    return true;
}

static bool put_one_by_one(const XtfCellContext *context, const XtfCell *cell, const XtfCellBlock *block,
                           GError **error)
{
    const uint8_t *row = block->rows;

    for (uint32_t i = 0; i < block->n; i++, row += block->row_size) {
        if (!xtf_field_is_none(cell->field, row) && !put_cell(context, cell, row, block->lines[i], error))
            return false; /* absent values keep the dash of the template */
    }
    return true;
}

/* ---- Cells of unsigned numbers, block by block. */

void xtf_cell_block_load(XtfCellBlock *block, const XtfField *field)
{
    const uint8_t *p = block->rows + field->offset;

#define LOAD(Type, FROM_LE)                                         \
    for (uint32_t i = 0; i < block->n; i++, p += block->row_size) { \
        Type v;                                                     \
        memcpy(&v, p, sizeof v);                                    \
        block->values[i] = FROM_LE(v);                              \
    }
    switch (field->width) {
    case 1:
        LOAD(uint8_t, (uint8_t))
        break;
    case 2:
        LOAD(uint16_t, GUINT16_FROM_LE)
        break;
    case 4:
        LOAD(uint32_t, GUINT32_FROM_LE)
        break;
    default:
        LOAD(uint64_t, GUINT64_FROM_LE)
        break;
    }
#undef LOAD
}

/* The value that means absent, if the field is optional. Absent values keep the dash of the template. */
typedef struct {
    bool optional;
    uint64_t value;
} AbsentValue;

static AbsentValue absent_value_of(const XtfField *field)
{
    return (AbsentValue){field->flags & XTF_FIELD_OPTIONAL, UINT64_MAX >> (64 - 8 * field->width)};
}

/* Returns the size of two overlapping copies that cover a text, a power of two; 0 if the text is too long. */
static inline size_t half_of(size_t length)
{
    return length > 32 || length == 0 ? 0 : length >= 16 ? 16 : length >= 8 ? 8 : length >= 4 ? 4 : length >= 2 ? 2 : 1;
}

/* Copies without a call of memcpy(): if `half` is constant, by two moves. */
__attribute__((always_inline)) static inline void copy_text(char *to, const char *from, size_t length, size_t half)
{
    if (half == 0) {
        memcpy(to, from, length);
        return;
    }
    memcpy(to, from, half);
    memcpy(to + length - half, from + length - half, half);
}

/* Calls FUNCTION with a constant for `half`, which half_of() returned. */
#define WITH_HALF(half, FUNCTION, ...)         \
    ((half) == 16  ? FUNCTION(__VA_ARGS__, 16) \
     : (half) == 8 ? FUNCTION(__VA_ARGS__, 8)  \
     : (half) == 4 ? FUNCTION(__VA_ARGS__, 4)  \
                   : FUNCTION(__VA_ARGS__, half))

/* Writes the numbers of a column wider than 3 bytes. All characters but the last three are mostly the same as in the
 * line before, so `kept` caches them; `half` is half_of() their number. Constant values are copied to local variables,
 * since the compiler must assume that `cell` and `block` overlap the lines. */
__attribute__((always_inline)) static inline bool put_long_numbers(const XtfCell *cell, const XtfCellBlock *block,
                                                                   GError **error, size_t half)
{
    enum { KEPT = 24, THREE = 3 };
    const AbsentValue absent = absent_value_of(cell->field);
    const unsigned width = cell->to - cell->from, before = width - THREE;
    const uint64_t max = cell->max;
    const uint32_t n = block->n, to = cell->to;
    uint64_t thousands = UINT64_MAX;
    char kept[KEPT];

    for (uint32_t i = 0; i < n; i++) {
        char *end = block->lines[i] + to;
        uint64_t v = block->values[i];
        if (absent.optional && v == absent.value)
            continue;
        if (G_UNLIKELY(v > max))
            return fail_outside_limits(cell, error);
        if (v < 1000) {
            xtf_put_right(end, v, width);
            continue;
        }
        if (v / 1000 != thousands) {
            thousands = v / 1000;
            xtf_put_right(kept + before, thousands, before);
        }
        memcpy(end - 4, xtf_triples[v - 1000 * thousands], 4); /* written first: its first byte is a filler */
        copy_text(end - width, kept, before, half);
    }
    return true;
}

static bool put_short_numbers(const XtfCell *cell, const XtfCellBlock *block, GError **error)
{
    const AbsentValue absent = absent_value_of(cell->field);

    for (uint32_t i = 0; i < block->n; i++) {
        uint64_t v = block->values[i];
        if (absent.optional && v == absent.value)
            continue;
        if (G_UNLIKELY(v > cell->max))
            return fail_outside_limits(cell, error);
        xtf_put_right(block->lines[i] + cell->to, v, cell->to - cell->from);
    }
    return true;
}

static bool put_numbers(const XtfCell *cell, const XtfCellBlock *block, GError **error)
{
    enum { SHORT = 3, LONG = 24 };
    const unsigned width = cell->to - cell->from;
    size_t half = half_of(width - SHORT);

    if (width <= SHORT || width > LONG)
        return put_short_numbers(cell, block, error);
    return WITH_HALF(half, put_long_numbers, cell, block, error);
}

__attribute__((always_inline)) static inline void put_names_of(const XtfCell *cell, const XtfCellBlock *block,
                                                               size_t half)
{
    const AbsentValue absent = absent_value_of(cell->field);
    const XtfPaddedNames names = *cell->names;
    const uint32_t n = block->n, from = cell->from;

    for (uint32_t i = 0; i < n; i++) {
        uint64_t v = block->values[i];
        if (absent.optional && v == absent.value)
            continue;
        if (G_LIKELY(v < names.n))
            copy_text(block->lines[i] + from, names.text + v * names.width, names.width, half);
        else
            put_unknown(cell, block->lines[i]);
    }
}

static void put_names(const XtfCell *cell, const XtfCellBlock *block)
{
    size_t half = half_of(cell->names->width);
    WITH_HALF(half, put_names_of, cell, block);
}

bool xtf_cell_put_column(const XtfCellContext *context, const XtfCell *cell, XtfCellBlock *block, GError **error)
{
    if (cell->kind >= XTF_CELL_CALL_END)
        return xtf_call_cell_put(cell, context->calls, block->lines, error);
    switch (cell->kind) {
    case XTF_CELL_TYPE:
        return true; /* the template has the name of the type */
    case XTF_CELL_UNSIGNED:
        xtf_cell_block_load(block, cell->field);
        return put_numbers(cell, block, error);
    case XTF_CELL_NAME:
        xtf_cell_block_load(block, cell->field);
        put_names(cell, block);
        return true;
    case XTF_CELL_SITE:
    case XTF_CELL_CULPRIT_SITE:
        return xtf_site_cell_put(cell, context->sites, context->location, context->schema, block, error);
    default:
        return put_one_by_one(context, cell, block, error);
    }
}
