/*
 * Rendering: running a program of cells on rows. Everything that shows records spends most of its time here.
 *
 * Rows are rendered a block at a time, and a block cell by cell: all decisions about a cell are made once a block, and
 * its rows are a short loop without calls. Meanwhile the lines of the block stay in the processor's first cache.
 */
#include "src/query/format/format.h"

#include <string.h>

#include "libxtf/error.h"
#include "libxtf/vocabulary.h"
#include "src/query/format/call-cells.h"
#include "src/query/select/call-readers.h"
#include "src/query/text/digits.h"
#include "src/query/text/escape.h"
#include "src/query/text/value-kind.h"

enum {
    BLOCK_ROWS = XTF_CALL_ROWS_MAX,
};

typedef struct {
    XtfTrace *trace;
    const XtfRanks *ranks;
    const XtfTimeScale *scale;
    uint64_t proc;       /* of the run's location */
    XtfCallBlock *calls; /* of the block; NULL: it shows none */
} Context;

/* Some rows and their lines. */
typedef struct {
    const uint8_t *rows;
    char *lines;
    uint32_t n; /* at most BLOCK_ROWS */
    uint32_t row_size, line;
    uint64_t values[BLOCK_ROWS]; /* of the cell's field */
} Block;

static bool damaged(const XtfCell *cell, GError **error)
{
    return xtf_damaged(error, "a value of the field \"%s\" is outside the limits that the trace states",
                       cell->field->name);
}

static bool put_unsigned(const XtfCell *cell, uint64_t v, char *line, GError **error)
{
    if (G_UNLIKELY(v > cell->max))
        return damaged(cell, error);
    xtf_put_right(line + cell->to, v, cell->to - cell->from);
    return true;
}

static bool put_signed(const XtfCell *cell, int64_t v, char *line, GError **error)
{
    char digits[24], *end = digits + sizeof digits, *begin = xtf_put_signed(end, v);

    if (end - begin > (ptrdiff_t)(cell->to - cell->from))
        return damaged(cell, error);
    memcpy(line + cell->to - (end - begin), begin, (size_t)(end - begin));
    return true;
}

static void put_real(const XtfCell *cell, double v, char *line)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    size_t length = MIN(strlen(g_ascii_dtostr(text, sizeof text, v)), (size_t)(cell->to - cell->from));
    memcpy(line + cell->to - length, text, length);
}

static bool put_string(const Context *context, const XtfCell *cell, uint32_t string, char *line, GError **error)
{
    const char *text;
    if (!xtf_trace_string(context->trace, string, &text, error))
        return false;
    xtf_text_put(line + cell->from, cell->to - cell->from, text, !cell->last, string);
    return true;
}

/* A number without a name, or a rank without a process, is shown as "?". */
static void put_unknown(const XtfCell *cell, char *line)
{
    line[cell->kind == XTF_CELL_NAME ? cell->from : cell->to - 1] = '?';
}

static bool put_peer(const Context *context, const XtfCell *cell, const uint8_t *row, char *line, GError **error)
{
    const XtfCommSource *source = &cell->comm;
    uint64_t rank = xtf_field_get(cell->field, row), comm, proc;

    if (!source->field || !context->ranks->comms) /* without communicators a rank is shown as it is */
        return put_unsigned(cell, rank, line, error);
    if (!xtf_field_is_none(source->field, row) &&
        xtf_comm_source_map(source, xtf_field_get(source->field, row), &comm) &&
        xtf_ranks_proc(context->ranks, comm, rank, context->proc, &proc))
        return put_unsigned(cell, proc, line, error);
    put_unknown(cell, line);
    return true;
}

static XtfValueKind kind_of(const XtfCell *cell, const uint8_t *row)
{
    bool grows = g_str_equal(cell->field->role, XTF_ROLE_GROWTH);
    return grows ? xtf_growth_kind(cell->other, row) : xtf_value_kind(cell->other, row);
}

bool xtf_cell_string(const XtfCell *cell, const uint8_t *row, uint32_t *string)
{
    if (cell->kind != XTF_CELL_STRING && (cell->kind != XTF_CELL_VALUE || kind_of(cell, row) != XTF_KIND_STRING))
        return false;
    if (xtf_field_is_none(cell->field, row))
        return false;
    *string = (uint32_t)xtf_field_get(cell->field, row);
    return true;
}

static bool put_value(const Context *context, const XtfCell *cell, const uint8_t *row, char *line, GError **error)
{
    uint64_t bits = xtf_field_get(cell->field, row);

    switch (kind_of(cell, row)) {
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

static bool put_cell(const Context *context, const XtfCell *cell, const uint8_t *row, char *line, GError **error)
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
    default: /* by blocks */
        break;
    }
    return true;
}

static bool put_one_by_one(const Context *context, const XtfCell *cell, const Block *block, GError **error)
{
    const uint8_t *row = block->rows;
    char *line = block->lines;

    for (uint32_t i = 0; i < block->n; i++, row += block->row_size, line += block->line) {
        if (!xtf_field_is_none(cell->field, row) && !put_cell(context, cell, row, line, error))
            return false; /* an absent value: the template has a dash */
    }
    return true;
}

/* ---- Cells of unsigned numbers, block by block. */

static void load_values(Block *block, const XtfField *field)
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

/* The value that stands for an absent one, if the field is optional. It is left out: the template has a dash. */
typedef struct {
    bool optional;
    uint64_t value;
} None;

static None none_of(const XtfField *field)
{
    return (None){field->flags & XTF_FIELD_OPTIONAL, UINT64_MAX >> (64 - 8 * field->width)};
}

static bool put_numbers(const XtfCell *cell, const Block *block, GError **error)
{
    const None none = none_of(cell->field);
    const unsigned width = cell->to - cell->from;
    char *end = block->lines + cell->to;

    for (uint32_t i = 0; i < block->n; i++, end += block->line) {
        uint64_t v = block->values[i];
        if (none.optional && v == none.value)
            continue;
        if (G_UNLIKELY(v > cell->max))
            return damaged(cell, error);
        xtf_put_right(end, v, width);
    }
    return true;
}

/* memcpy() without a call for short names: two halves that overlap. */
static inline void copy_name(char *to, const char *from, uint32_t width)
{
#define HALVES(N)                                    \
    do {                                             \
        memcpy(to, from, N);                         \
        memcpy(to + width - N, from + width - N, N); \
    } while (0)
    if (width > 32)
        memcpy(to, from, width);
    else if (width >= 16)
        HALVES(16);
    else if (width >= 8)
        HALVES(8);
    else if (width >= 4)
        HALVES(4);
    else
        memcpy(to, from, width);
#undef HALVES
}

static void put_names(const XtfCell *cell, const Block *block)
{
    const None none = none_of(cell->field);
    const XtfPaddedNames *names = cell->names;
    char *line = block->lines;

    for (uint32_t i = 0; i < block->n; i++, line += block->line) {
        uint64_t v = block->values[i];
        if (none.optional && v == none.value)
            continue;
        if (G_LIKELY(v < names->n))
            copy_name(line + cell->from, names->text + v * names->width, names->width);
        else
            put_unknown(cell, line);
    }
}

static bool put_column(const Context *context, const XtfCell *cell, Block *block, GError **error)
{
    if (cell->kind >= XTF_CELL_CALL_END)
        return xtf_call_cell_put(cell, context->calls, error);
    switch (cell->kind) {
    case XTF_CELL_TYPE:
        return true; /* the template has it */
    case XTF_CELL_UNSIGNED:
        load_values(block, cell->field);
        return put_numbers(cell, block, error);
    case XTF_CELL_NAME:
        load_values(block, cell->field);
        put_names(cell, block);
        return true;
    default:
        return put_one_by_one(context, cell, block, error);
    }
}

/* ---- Lines. */

/* The template of a schema with a location's process and thread, and the second of a time, filled in. */
typedef struct {
    char *template;
    const XtfLocation *location;
    XtfSecond second;
} Beginning;

/* Of each schema, so that lines of a few locations by turns find their beginnings there. */
enum { BEGINNINGS = 16 };

struct XtfRenderer {
    XtfFormats *formats;
    const XtfFormat *format;
    const XtfLocations *locations;
    Beginning *beginnings; /* by schema and the low bits of the location's index */
    XtfCallReaders *calls; /* NULL: not needed so far */
    XtfCallBlock *block;
};

XtfRenderer *xtf_renderer_new(XtfFormats *formats, const XtfFormat *format, const XtfLocations *locations)
{
    XtfRenderer *renderer = g_new0(XtfRenderer, 1);
    *renderer = (XtfRenderer){.formats = formats,
                              .format = format,
                              .locations = locations,
                              .beginnings = g_new0(Beginning, (format->n_programs + 1) * BEGINNINGS)};
    return renderer;
}

void xtf_renderer_free(XtfRenderer *renderer)
{
    if (!renderer)
        return;
    for (uint32_t i = 0; i < renderer->format->n_programs * BEGINNINGS; i++)
        g_free(renderer->beginnings[i].template);
    g_free(renderer->beginnings);
    xtf_call_readers_free(renderer->calls);
    g_free(renderer->block);
    g_free(renderer);
}

size_t xtf_renderer_bytes(const XtfRenderer *renderer)
{
    return sizeof *renderer + xtf_call_readers_bytes(renderer->calls);
}

static void put_number(const XtfFormat *format, unsigned i, uint64_t number, char *line)
{
    const XtfColumn *column = &g_array_index(format->columns, XtfColumn, i);
    xtf_put_right(line + column->from + column->width, number, column->width);
}

static Beginning *begin_lines(XtfRenderer *renderer, const XtfProgram *program, uint32_t schema,
                              const XtfLocation *location)
{
    size_t index = (size_t)(location - renderer->locations->all) % BEGINNINGS;
    Beginning *beginning = &renderer->beginnings[schema * BEGINNINGS + index];
    const XtfTimeScale *scale = &renderer->formats->context->scale;

    if (!beginning->template) {
        beginning->template = g_memdup2(program->template, renderer->format->line);
        if (renderer->format->has_prefix)
            xtf_time_scale_put_second(scale, 0, beginning->template + scale->width, &beginning->second);
    }
    if (beginning->location != location && renderer->format->has_prefix) {
        put_number(renderer->format, 1, location->proc, beginning->template);
        put_number(renderer->format, 2, location->thread, beginning->template);
        beginning->location = location;
    }
    return beginning;
}

/* The template once for each row. */
static void repeat_template(const char *template, const Block *block)
{
    size_t done = block->line, all = (size_t)block->line * block->n;

    memcpy(block->lines, template, done);
    for (size_t more; done < all; done += more) {
        more = MIN(done, all - done);
        memcpy(block->lines + done, block->lines, more);
    }
}

/* The times of a block's rows as ticks since the origin, into its values. */
static bool load_times(const XtfTimeScale *scale, Block *block, const XtfSchema *schema, GError **error)
{
    bool outside = false;

    load_values(block, &schema->fields[0]);
    for (uint32_t i = 0; i < block->n; i++) {
        outside |= block->values[i] < scale->origin || block->values[i] > scale->last;
        block->values[i] -= scale->origin;
    }
    return !outside || xtf_damaged(error, "a record has a time outside those that the trace states");
}

static bool begin_block(const XtfRenderer *renderer, Beginning *beginning, const XtfSchema *schema, Block *block,
                        GError **error)
{
    const XtfTimeScale *scale = &renderer->formats->context->scale;

    if (!renderer->format->has_prefix) {
        repeat_template(beginning->template, block);
        return true;
    }
    if (!load_times(scale, block, schema, error))
        return false;
    if (!xtf_time_scale_same_second(scale, beginning->second, block->values[0]))
        xtf_time_scale_put_second(scale, block->values[0], beginning->template + scale->width, &beginning->second);
    repeat_template(beginning->template, block);
    xtf_time_scale_put_column(scale, beginning->second, block->values, block->n, block->lines + scale->width,
                              block->line);
    return true;
}

/* Readies the block of calls for a run. */
static bool begin_calls(XtfRenderer *renderer, const XtfRowRun *run, GError **error)
{
    const XtfTraceContext *context = renderer->formats->context;

    if (!renderer->calls) {
        renderer->calls = xtf_call_readers_new(context, renderer->locations);
        renderer->block = g_new0(XtfCallBlock, 1);
    }
    renderer->block->scale = &context->scale;
    renderer->block->clock = run->span->array.clock;
    renderer->block->reader = xtf_call_readers_get(renderer->calls, run->span, error);
    return renderer->block->reader;
}

/* The calls of a block; row `first` is its first. */
static bool load_calls(const XtfRenderer *renderer, const Block *block, uint64_t first, GError **error)
{
    XtfCallBlock *calls = renderer->block;

    calls->first = first;
    calls->n = block->n;
    calls->line = block->line;
    calls->lines = block->lines;
    return !renderer->format->of_calls || xtf_call_block_load(calls, error);
}

static bool render_block(XtfRenderer *renderer, const Context *context, const XtfSchema *schema, Beginning *beginning,
                         Block *block, GError **error)
{
    const XtfProgram *program = &renderer->format->programs[schema->id];

    if (!begin_block(renderer, beginning, schema, block, error))
        return false;
    for (uint32_t i = 0; i < program->n_cells; i++) {
        if (!put_column(context, &program->cells[i], block, error))
            return false;
    }
    return true;
}

bool xtf_renderer_run(XtfRenderer *renderer, const XtfRowRun *run, char *out, GError **error)
{
    const XtfFormat *format = renderer->format;
    const XtfSchema *schema = run->span->array.schema;
    const XtfProgram *program = &format->programs[schema->id];
    const XtfLocation *location = &renderer->locations->all[run->span->tag];
    XtfTraceContext *context = renderer->formats->context;

    if (!program->template)
        return xtf_damaged(error, "the trace has rows of \"%s\", though it states that there are none", schema->name);
    if (program->shows_calls && !begin_calls(renderer, run, error))
        return false;
    const Context row_context = {context->trace, renderer->formats->ranks, &context->scale, location->proc,
                                 renderer->block};
    Beginning *beginning = begin_lines(renderer, program, schema->id, location);
    Block block; /* not cleared: its values are large for a run of one row */
    block.rows = run->rows;
    block.lines = out;
    block.row_size = schema->row_size;
    block.line = format->line;
    for (uint64_t done = 0; done < run->n_rows; done += block.n) {
        block.n = (uint32_t)MIN(run->n_rows - done, BLOCK_ROWS);
        if ((program->shows_calls && !load_calls(renderer, &block, run->first + done, error)) ||
            !render_block(renderer, &row_context, schema, beginning, &block, error))
            return false;
        block.rows += (size_t)block.n * block.row_size;
        block.lines += (size_t)block.n * block.line;
    }
    return true;
}
