/*
 * Records of a few arrays mostly alternate, with a row or two of each. Rendering is faster for many consecutive rows of
 * one array, because the renderer makes its decisions about a cell once for all of them. So a batch keeps rows in
 * pieces. The rows of a piece are from one array, and their lines may lie apart.
 */
#include "src/tree/records/row-batch.h"

#include <string.h>

#include "libxtf/error.h"
#include "src/trace/select/parallel.h"

enum {
    PIECE_ROWS = 64, /* most rows of a piece whose lines lie apart: with their lines they fit the first cache */
    RUN_ROWS = 512,  /* least rows that a thread takes at once, about */
    RUNS_MAX = 16,   /* most runs of a batch, about */
};

typedef struct {
    const XtfSpan *span;
    uint64_t first;  /* number of the first row in its array */
    size_t at;       /* offset of the rows in the batch's `bytes` */
    char *lines;     /* consecutive lines; NULL: the lines lie apart, at `places` */
    uint32_t places; /* index of the first in the batch's `places` */
    uint32_t n_rows;
} Piece;

struct XtfRowBatch {
    Piece *pieces;
    uint32_t n_pieces, pieces_room;
    char **places; /* addresses of lines that lie apart */
    uint32_t n_places, places_room;
    uint8_t *bytes;
    size_t used, room;
    uint64_t n_rows;
    XtfSpans *spans; /* NULL: there are no rows */
};

XtfRowBatch *xtf_row_batch_new(void)
{
    return g_new0(XtfRowBatch, 1);
}

static void clear_batch(XtfRowBatch *batch)
{
    batch->n_pieces = batch->n_places = 0;
    batch->used = 0;
    batch->n_rows = 0;
    g_clear_pointer(&batch->spans, xtf_spans_unref);
}

void xtf_row_batch_free(XtfRowBatch *batch)
{
    if (!batch)
        return;
    clear_batch(batch);
    g_free(batch->pieces);
    g_free(batch->places);
    g_free(batch->bytes);
    g_free(batch);
}

/* Copies bytes like memcpy(), but without a call for a row or two, the length of most runs. */
static inline void copy_rows(uint8_t *to, const uint8_t *from, size_t bytes)
{
    enum { HALF = 32 };

    if (bytes < HALF || bytes > 2 * (size_t)HALF) {
        memcpy(to, from, bytes);
        return;
    }
    memcpy(to, from, HALF);
    memcpy(to + bytes - HALF, from + bytes - HALF, HALF);
}

/* Adds a piece with copies of a run's rows. */
static Piece *add_piece(XtfRowBatch *batch, const XtfRowRun *run)
{
    size_t bytes = (size_t)run->n_rows * run->span->array.schema->row_size;

    if (batch->n_pieces == batch->pieces_room) {
        batch->pieces_room = MAX(2 * batch->pieces_room, (uint32_t)PIECE_ROWS);
        batch->pieces = g_renew(Piece, batch->pieces, batch->pieces_room);
    }
    if (bytes > batch->room - batch->used) {
        batch->room = 2 * (batch->room + bytes);
        batch->bytes = g_realloc(batch->bytes, batch->room);
    }
    Piece *piece = &batch->pieces[batch->n_pieces++];
    *piece = (Piece){.span = run->span, .first = run->first, .at = batch->used, .n_rows = (uint32_t)run->n_rows};
    copy_rows(batch->bytes + batch->used, run->rows, bytes);
    batch->used += bytes;
    return piece;
}

/* Makes room for the places of n lines. Returns the index of the first. */
static uint32_t add_places(XtfRowBatch *batch, uint32_t n)
{
    uint32_t first = batch->n_places;

    if (batch->places_room - first < n) {
        batch->places_room = 2 * batch->places_room + n;
        batch->places = g_renew(char *, batch->places, batch->places_room);
    }
    batch->n_places += n;
    return first;
}

/* Adds pieces with the rows of a block's parts, roughly in the order of their first rows. Part i has its first row's
 * place in first[i]. */
static void add_pieces(XtfRowBatch *batch, const XtfRecordBlock *block, const uint32_t *first)
{
    bool more = true;

    for (uint64_t done = 0; more; done += PIECE_ROWS) {
        more = false;
        for (uint32_t i = 0; i < block->n_parts; i++) {
            XtfRowRun run = block->parts[i];
            if (run.n_rows <= done)
                continue;
            size_t row_size = run.span->array.schema->row_size;
            run.n_rows = MIN(run.n_rows - done, (uint64_t)PIECE_ROWS);
            run.rows += done * row_size;
            Piece *piece = add_piece(batch, &run);
            piece->places = first[i] + (uint32_t)done;
            more = true;
        }
    }
}

static void add_block(XtfRowBatch *batch, const XtfRecordBlock *block, size_t line, char *lines)
{
    uint32_t first[XTF_RECORD_PARTS_MAX];
    char **next[XTF_RECORD_PARTS_MAX];

    for (uint32_t i = 0; i < block->n_parts; i++)
        first[i] = add_places(batch, (uint32_t)block->parts[i].n_rows);
    for (uint32_t i = 0; i < block->n_parts; i++)
        next[i] = batch->places + first[i];
    for (uint32_t i = 0; i < block->n_rows; i++, lines += line)
        *next[block->order[i]]++ = lines;
    add_pieces(batch, block, first);
}

bool xtf_row_batch_gather(XtfRowBatch *batch, XtfRecordReader *reader, XtfSpans *spans, uint64_t n, size_t line,
                          char *lines, GError **error)
{
    if (!batch->spans)
        batch->spans = xtf_spans_ref(spans);
    while (n > 0) {
        XtfRecordBlock block;
        if (!xtf_record_reader_next_block(reader, n, &block, error))
            return false;
        if (!block.n_rows)
            return xtf_damaged(error, "the trace has fewer records than its index states");
        if (block.order)
            add_block(batch, &block, line, lines);
        else
            add_piece(batch, &block.parts[0])->lines = lines;
        batch->n_rows += block.n_rows;
        lines += block.n_rows * line;
        n -= block.n_rows;
    }
    return true;
}

/* Input of the threads that render. Each thread has its own renderer. */
typedef struct {
    const XtfRowBatch *batch;
    XtfFormats *formats;
    const XtfFormat *format;
    const XtfLocations *locations;
} Rendering;

static void *begin_rendering(void *data)
{
    const Rendering *rendering = data;

    return xtf_renderer_new(rendering->formats, rendering->format, rendering->locations);
}

static bool render_pieces(void *thread_data, void *data, uint32_t first, uint32_t end, GError **error)
{
    const XtfRowBatch *batch = ((const Rendering *)data)->batch;

    for (uint32_t i = first; i < end; i++) {
        const Piece *piece = &batch->pieces[i];
        const XtfRowRun rows = {piece->span, batch->bytes + piece->at, piece->n_rows, piece->first};
        if (!(piece->lines ? xtf_renderer_run(thread_data, &rows, piece->lines, error)
                           : xtf_renderer_run_to(thread_data, &rows, batch->places + piece->places, error)))
            return false;
    }
    return true;
}

static void end_rendering(void *thread_data, void *unused)
{
    xtf_renderer_free(thread_data);
}

bool xtf_row_batch_render(XtfRowBatch *batch, XtfFormats *formats, const XtfFormat *format,
                          const XtfLocations *locations, bool helped, GError **error)
{
    uint32_t n = batch->n_pieces;
    uint64_t step = batch->n_rows ? (uint64_t)n * RUN_ROWS / batch->n_rows + 1 : 1;
    const XtfParallelWork work = {.step = helped ? (uint32_t)MAX(step, n / RUNS_MAX) : MAX(n, 1),
                                  .begin = begin_rendering,
                                  .work = render_pieces,
                                  .join = end_rendering};
    Rendering rendering = {batch, formats, format, locations};
    bool good = xtf_parallel(&work, &rendering, n, error);

    clear_batch(batch);
    return good;
}
