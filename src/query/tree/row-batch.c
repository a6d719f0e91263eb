#include "src/query/tree/row-batch.h"

#include <string.h>

#include "libxtf/error.h"
#include "src/query/select/parallel.h"

enum { RUNS_AT_ONCE = 512, TURNS = 16 };

typedef struct {
    const XtfSpan *span;
    uint64_t first; /* the number of the first row in its array */
    size_t at;      /* of its rows, in the batch's bytes */
    char *lines;
    uint32_t n_rows;
} Run;

struct XtfRowBatch {
    Run *runs;
    uint32_t n_runs, runs_room;
    uint8_t *bytes;
    size_t used, room;
    XtfSpans *spans; /* NULL: there are no runs */
};

XtfRowBatch *xtf_row_batch_new(void)
{
    return g_new0(XtfRowBatch, 1);
}

static void clear(XtfRowBatch *batch)
{
    batch->n_runs = 0;
    batch->used = 0;
    g_clear_pointer(&batch->spans, xtf_spans_unref);
}

void xtf_row_batch_free(XtfRowBatch *batch)
{
    if (!batch)
        return;
    clear(batch);
    g_free(batch->runs);
    g_free(batch->bytes);
    g_free(batch);
}

/* memcpy() without a call for a row or two: most runs are so short. */
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

static void add_run(XtfRowBatch *batch, const XtfRowRun *run, char *lines)
{
    size_t bytes = (size_t)run->n_rows * run->span->array.schema->row_size;

    if (batch->n_runs == batch->runs_room) {
        batch->runs_room = MAX(2 * batch->runs_room, (uint32_t)RUNS_AT_ONCE);
        batch->runs = g_renew(Run, batch->runs, batch->runs_room);
    }
    if (bytes > batch->room - batch->used) {
        batch->room = 2 * (batch->room + bytes);
        batch->bytes = g_realloc(batch->bytes, batch->room);
    }
    copy_rows(batch->bytes + batch->used, run->rows, bytes);
    batch->runs[batch->n_runs++] = (Run){run->span, run->first, batch->used, lines, (uint32_t)run->n_rows};
    batch->used += bytes;
}

bool xtf_row_batch_gather(XtfRowBatch *batch, XtfRecordReader *reader, XtfSpans *spans, uint64_t n, size_t line,
                          char *lines, GError **error)
{
    if (!batch->spans)
        batch->spans = xtf_spans_ref(spans);
    while (n > 0) {
        XtfRowRun run;
        if (!xtf_record_reader_next(reader, MIN(n, (uint64_t)UINT32_MAX), &run, error))
            return false;
        if (!run.n_rows)
            return xtf_damaged(error, "the trace has fewer records than it states");
        add_run(batch, &run, lines);
        lines += run.n_rows * line;
        n -= run.n_rows;
    }
    return true;
}

/* What threads render; each has a renderer of its own. */
typedef struct {
    const XtfRowBatch *batch;
    XtfFormats *formats;
    const XtfFormat *format;
    const XtfLocations *locations;
} Rendering;

static void *begin(void *data)
{
    const Rendering *rendering = data;

    return xtf_renderer_new(rendering->formats, rendering->format, rendering->locations);
}

static bool render(void *own, void *data, uint32_t first, uint32_t end, GError **error)
{
    const XtfRowBatch *batch = ((const Rendering *)data)->batch;

    for (uint32_t i = first; i < end; i++) {
        const Run *run = &batch->runs[i];
        const XtfRowRun rows = {run->span, batch->bytes + run->at, run->n_rows, run->first};
        if (!xtf_renderer_run(own, &rows, run->lines, error))
            return false;
    }
    return true;
}

static void end(void *own, void *data)
{
    xtf_renderer_free(own);
}

bool xtf_row_batch_render(XtfRowBatch *batch, XtfFormats *formats, const XtfFormat *format,
                          const XtfLocations *locations, bool helped, GError **error)
{
    uint32_t n = batch->n_runs;
    const XtfParallelWork work = {.step = helped ? MAX((uint32_t)RUNS_AT_ONCE, n / TURNS) : MAX(n, 1),
                                  .begin = begin,
                                  .work = render,
                                  .join = end};
    Rendering rendering = {batch, formats, format, locations};
    bool good = xtf_parallel(&work, &rendering, n, error);

    clear(batch);
    return good;
}
