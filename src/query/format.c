/*
 * Rendering: running a program of cells on each row. This is the hot path of everything that shows records.
 */
#include "src/query/format.h"

#include <string.h>

#include "libxtf/error.h"
#include "src/query/digits.h"
#include "src/query/text.h"
#include "src/query/value.h"

typedef struct {
    XtfTrace *trace;
    const XtfRanks *ranks;
    const XtfScale *scale;
    uint64_t proc; /* of the run's location */
} Context;

static bool damaged(const XtfCell *cell, GError **error)
{
    g_set_error(error, XTF_ERROR, XTF_ERROR_DAMAGED,
                "a value of the field \"%s\" is outside the limits that the trace states", cell->field->name);
    return false;
}

static bool put_unsigned(const XtfCell *cell, uint64_t v, char *line, GError **error)
{
    if (G_UNLIKELY(v > cell->max))
        return damaged(cell, error);
    xtf_put_digits(line + cell->to, v);
    return true;
}

static bool put_signed(const XtfCell *cell, int64_t v, char *line, GError **error)
{
    char digits[24], *end = digits + sizeof digits;
    char *begin = xtf_put_digits(end, v < 0 ? -(uint64_t)v : (uint64_t)v);

    if (v < 0)
        *--begin = '-';
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

/* A number that has no name, or no process, is a question, not a lie. */
static void put_unknown(const XtfCell *cell, char *line)
{
    line[cell->kind == XTF_CELL_NAME ? cell->from : cell->to - 1] = '?';
}

static bool put_peer(const Context *context, const XtfCell *cell, const uint8_t *row, char *line, GError **error)
{
    const XtfCommSource *source = &cell->comm;
    uint64_t rank = xtf_field_get(cell->field, row), comm, proc;

    if (!source->field || !context->ranks->comms) /* no communicators: nothing to translate by */
        return put_unsigned(cell, rank, line, error);
    if (!xtf_field_is_none(source->field, row) &&
        xtf_comm_source_map(source, xtf_field_get(source->field, row), &comm) &&
        xtf_ranks_proc(context->ranks, comm, rank, context->proc, &proc))
        return put_unsigned(cell, proc, line, error);
    put_unknown(cell, line);
    return true;
}

bool xtf_cell_string(const XtfCell *cell, const uint8_t *row, uint32_t *string)
{
    if (cell->kind != XTF_CELL_STRING &&
        (cell->kind != XTF_CELL_VALUE || xtf_value_kind(cell->other, row) != XTF_VALUE_STRING))
        return false;
    *string = (uint32_t)xtf_field_get(cell->field, row);
    return true;
}

static bool put_value(const Context *context, const XtfCell *cell, const uint8_t *row, char *line, GError **error)
{
    uint64_t bits = xtf_field_get(cell->field, row);

    switch (xtf_value_kind(cell->other, row)) {
    case XTF_VALUE_STRING:
        return put_string(context, cell, (uint32_t)bits, line, error);
    case XTF_VALUE_SIGNED:
        return put_signed(cell, (int64_t)bits, line, error);
    case XTF_VALUE_REAL:
        put_real(cell, xtf_field_get_f64(cell->field, row), line);
        return true;
    case XTF_VALUE_UNSIGNED:
        break;
    }
    return put_unsigned(cell, bits, line, error);
}

static bool put_cell(const Context *context, const XtfCell *cell, const uint8_t *row, char *line, GError **error)
{
    uint64_t v = 0;

    if (cell->kind == XTF_CELL_TYPE) {
        memcpy(line + cell->from, cell->names->text, cell->names->width);
        return true;
    }
    if (xtf_field_is_none(cell->field, row))
        return true; /* the template has its dash */
    v = xtf_field_get(cell->field, row);
    line[cell->to - 1] = line[cell->from] = ' ';
    switch (cell->kind) {
    case XTF_CELL_UNSIGNED:
        return put_unsigned(cell, v, line, error);
    case XTF_CELL_NAME:
        if (G_LIKELY(v < cell->names->n))
            memcpy(line + cell->from, cell->names->text + v * cell->names->width, cell->names->width);
        else
            put_unknown(cell, line);
        return true;
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
    case XTF_CELL_TYPE:
        break;
    }
    return true;
}

static bool put_time(const Context *context, const uint8_t *row, char *line, GError **error)
{
    const XtfScale *scale = context->scale;
    uint64_t t;

    memcpy(&t, row, sizeof t);
    t = GUINT64_FROM_LE(t);
    if (G_UNLIKELY(t < scale->origin || t > scale->last)) {
        g_set_error(error, XTF_ERROR, XTF_ERROR_DAMAGED, "a record has a time outside those that the trace states");
        return false;
    }
    xtf_scale_put(scale, t - scale->origin, line + scale->width);
    return true;
}

/* How the lines of one schema begin: its template, with the process and thread of a location filled in. */
typedef struct {
    char *template;
    const XtfLocation *location;
} Beginning;

struct XtfRenderer {
    XtfFormats *formats;
    const XtfFormat *format;
    const XtfLocations *locations;
    Beginning *beginnings; /* by schema */
};

XtfRenderer *xtf_renderer_new(XtfFormats *formats, const XtfFormat *format, const XtfLocations *locations)
{
    XtfRenderer *renderer = g_new0(XtfRenderer, 1);
    *renderer = (XtfRenderer){formats, format, locations, g_new0(Beginning, format->n_programs + 1)};
    return renderer;
}

void xtf_renderer_free(XtfRenderer *renderer)
{
    if (!renderer)
        return;
    for (uint32_t i = 0; i < renderer->format->n_programs; i++)
        g_free(renderer->beginnings[i].template);
    g_free(renderer->beginnings);
    g_free(renderer);
}

static void put_column(const XtfFormat *format, unsigned i, uint64_t number, char *line)
{
    const XtfColumn *column = &g_array_index(format->columns, XtfColumn, i);
    memset(line + column->from, ' ', column->width);
    xtf_put_digits(line + column->from + column->width, number);
}

static const char *begin_lines(XtfRenderer *renderer, const XtfProgram *program, uint32_t schema,
                               const XtfLocation *location)
{
    Beginning *beginning = &renderer->beginnings[schema];

    if (!beginning->template)
        beginning->template = g_memdup2(program->template, renderer->format->line);
    if (beginning->location != location && renderer->format->has_prefix) {
        put_column(renderer->format, 1, location->proc, beginning->template);
        put_column(renderer->format, 2, location->thread, beginning->template);
        beginning->location = location;
    }
    return beginning->template;
}

bool xtf_renderer_run(XtfRenderer *renderer, const XtfRun *run, char *out, GError **error)
{
    const XtfFormat *format = renderer->format;
    const XtfSchema *schema = run->span->array.schema;
    const XtfProgram *program = &format->programs[schema->id];
    const XtfLocation *location = &renderer->locations->all[run->span->location];
    XtfGuide *guide = renderer->formats->guide;
    Context context = {guide->trace, renderer->formats->ranks, &guide->scale, location->proc};

    if (!program->template) {
        g_set_error(error, XTF_ERROR, XTF_ERROR_DAMAGED, "the trace has rows of \"%s\", of which it states none",
                    schema->name);
        return false;
    }
    const char *template = begin_lines(renderer, program, schema->id, location);
    const uint8_t *row = run->rows;
    for (uint64_t i = 0; i < run->n_rows; i++, row += schema->row_size, out += format->line) {
        memcpy(out, template, format->line);
        if (format->has_prefix && !put_time(&context, row, out, error))
            return false;
        for (uint32_t j = 0; j < program->n_cells; j++) {
            if (!put_cell(&context, &program->cells[j], row, out, error))
                return false;
        }
    }
    return true;
}
