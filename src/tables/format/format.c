/*
 * Rendering: runs a program of cells on rows. Programs that show records spend most of their time here.
 *
 * Rows are rendered a block at a time, and a block cell by cell (cells.h).
 */
#include "src/tables/format/format.h"

#include <string.h>

#include "libxtf/error.h"
#include "libxtf/vocabulary.h"
#include "src/tables/format/call-sites.h"
#include "src/tables/format/cells.h"
#include "src/trace/calls/call-readers.h"
#include "src/trace/text/digits.h"

/* The template of a schema, in which a location's process and thread and the second of a time are filled in. */
typedef struct {
    char *template;
    const XtfLocation *location;
    XtfSecond second;
} Beginning;

/* Cached beginnings of each schema: lines of a few locations may alternate. */
enum { BEGINNINGS = 16 };

struct XtfRenderer {
    XtfFormats *formats;
    const XtfFormat *format;
    const XtfLocations *locations;
    Beginning *beginnings; /* by schema and the low bits of the location's index */
    XtfCallReaders *calls; /* NULL until a run needs them */
    XtfCallBlock *block;
    XtfSiteReader *sites; /* NULL until a run needs it */
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
    xtf_site_reader_free(renderer->sites);
    g_free(renderer);
}

size_t xtf_renderer_bytes(const XtfRenderer *renderer)
{
    return sizeof *renderer + xtf_call_readers_bytes(renderer->calls) + xtf_site_reader_bytes(renderer->sites);
}

static void put_number(const XtfFormat *format, unsigned i, uint64_t number, char *line)
{
    const XtfRecordColumn *column = &g_array_index(format->columns, XtfRecordColumn, i);
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

/* Copies the template into the line of each row, without calls of functions. */
static void repeat_template(const char *template, size_t line, const XtfCellBlock *block)
{
    enum { WORD = 16 };

    for (uint32_t i = 0; i < block->n; i++) {
        char *to = block->lines[i];
        size_t at = 0;
        if (line < WORD) {
            memcpy(to, template, line);
            continue;
        }
        for (; at < line - WORD; at += WORD)
            memcpy(to + at, template + at, WORD);
        memcpy(to + line - WORD, template + line - WORD, WORD);
    }
}

/* Loads the times of a block's rows into block->values, as ticks since the origin. */
static bool load_times(const XtfTimeScale *scale, XtfCellBlock *block, const XtfSchema *schema, GError **error)
{
    bool outside = false;

    xtf_cell_block_load(block, &schema->fields[0]);
    for (uint32_t i = 0; i < block->n; i++) {
        outside |= block->values[i] < scale->origin || block->values[i] > scale->last;
        block->values[i] -= scale->origin;
    }
    return !outside || xtf_damaged(error, "a record has a time outside the range that the trace states");
}

static bool begin_block(const XtfRenderer *renderer, Beginning *beginning, const XtfSchema *schema, XtfCellBlock *block,
                        GError **error)
{
    const XtfTimeScale *scale = &renderer->formats->context->scale;

    if (!renderer->format->has_prefix) {
        repeat_template(beginning->template, renderer->format->line, block);
        return true;
    }
    if (!load_times(scale, block, schema, error))
        return false;
    if (!xtf_time_scale_same_second(scale, beginning->second, block->values[0]))
        xtf_time_scale_put_second(scale, block->values[0], beginning->template + scale->width, &beginning->second);
    repeat_template(beginning->template, renderer->format->line, block);
    xtf_time_scale_put_column(scale, beginning->second, block->values, block->n, block->lines, scale->width);
    return true;
}

/* Prepares renderer->block for the calls of a run. */
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

/* Loads the calls of a block, whose first row has the number `first`. */
static bool load_calls(const XtfRenderer *renderer, const XtfCellBlock *block, uint64_t first, GError **error)
{
    XtfCallBlock *calls = renderer->block;

    calls->first = first;
    calls->n = block->n;
    return !renderer->format->of_calls || xtf_call_block_load(calls, error);
}

static bool render_block(XtfRenderer *renderer, const XtfCellContext *context, const XtfSchema *schema,
                         Beginning *beginning, XtfCellBlock *block, GError **error)
{
    const XtfProgram *program = &renderer->format->programs[schema->id];

    if (!begin_block(renderer, beginning, schema, block, error))
        return false;
    for (uint32_t i = 0; i < program->n_cells; i++) {
        if (!xtf_cell_put_column(context, &program->cells[i], block, error))
            return false;
    }
    return true;
}

/* Fills in what cells need besides the rows of a run. */
static bool begin_run(XtfRenderer *renderer, const XtfRowRun *run, XtfCellContext *cells, GError **error)
{
    const XtfProgram *program = &renderer->format->programs[run->span->array.schema->id];
    XtfTraceContext *context = renderer->formats->context;

    if (program->shows_calls && !begin_calls(renderer, run, error))
        return false;
    if (program->shows_sites && !renderer->sites)
        renderer->sites = xtf_site_reader_new(context, renderer->locations);
    *cells = (XtfCellContext){.trace = context->trace,
                              .ranks = renderer->formats->ranks,
                              .scale = &context->scale,
                              .proc = renderer->locations->all[run->span->tag].proc,
                              .calls = renderer->block,
                              .sites = renderer->sites,
                              .location = run->span->tag,
                              .schema = run->span->array.schema};
    return true;
}

/* Renders a run: row i at places[i], or, if `places` is NULL, one line after another from `out` on. */
static bool render_run(XtfRenderer *renderer, const XtfRowRun *run, char *out, char *const *places, GError **error)
{
    const XtfFormat *format = renderer->format;
    const XtfSchema *schema = run->span->array.schema;
    const XtfProgram *program = &format->programs[schema->id];
    const XtfLocation *location = &renderer->locations->all[run->span->tag];
    XtfCellContext row_context;

    if (!program->template)
        return xtf_damaged(error, "the trace has rows of \"%s\", but states that it has none", schema->name);
    if (!begin_run(renderer, run, &row_context, error))
        return false;
    Beginning *beginning = begin_lines(renderer, program, schema->id, location);
    XtfCellBlock block; /* not initialized: to clear its many values costs too much for a run of one row */
    block.rows = run->rows;
    block.row_size = schema->row_size;
    for (uint64_t done = 0; done < run->n_rows; done += block.n) {
        block.n = (uint32_t)MIN(run->n_rows - done, XTF_BLOCK_ROWS);
        for (uint32_t i = 0; i < block.n; i++)
            block.lines[i] = places ? places[done + i] : out + (done + i) * format->line;
        if ((program->shows_calls && !load_calls(renderer, &block, run->first + done, error)) ||
            !render_block(renderer, &row_context, schema, beginning, &block, error))
            return false;
        block.rows += (size_t)block.n * block.row_size;
    }
    if (program->shows_sites)
        xtf_site_reader_rest(renderer->sites);
    return true;
}

bool xtf_renderer_run(XtfRenderer *renderer, const XtfRowRun *run, char *out, GError **error)
{
    return render_run(renderer, run, out, NULL, error);
}

bool xtf_renderer_run_to(XtfRenderer *renderer, const XtfRowRun *run, char *const *places, GError **error)
{
    return render_run(renderer, run, NULL, places, error);
}
