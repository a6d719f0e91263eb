#include "src/tree/records/record-values.h"

#include <string.h>

#include "src/trace/select/parallel.h"

enum {
    BLOCK_ROWS = 4096,      /* most rows of a block */
    BLOCKS_MAX = 16,        /* most blocks of a round */
    FLUSH_BYTES = 64 << 10, /* buffered bytes at which XtfRowValues writes them */
};

typedef struct {
    XtfRecords *records;
    XtfSpans *spans;
    const XtfFormat *format;
    const XtfLocations *locations;
    XtfRowFormat as;
} Writing;

static XtfRecordLines *new_lines(const Writing *writing)
{
    return xtf_record_lines_new(writing->records->formats, writing->format, writing->locations, writing->as);
}

/* ---- Blocks on all cores. One thread reads rows in order and copies them. */

typedef struct {
    XtfRecordBlock block; /* of the copies */
    uint8_t *rows;
    size_t room;
    uint8_t order[BLOCK_ROWS];
    GString *out;
} BlockCopy;

/* Blocks that are read one after another, rendered at the same time, and written one after another. */
typedef struct {
    BlockCopy copies[BLOCKS_MAX];
    uint32_t n;
    GError *failed; /* error of reading the next block */
} Round;

/* Two rounds that alternate: threads render one while one thread reads the next. */
typedef struct {
    const Writing *writing;
    XtfRecordReader *reader;
    Round rounds[2];
    unsigned current; /* the round that is rendered */
    uint32_t most;    /* blocks of the next round */
    GMutex lock;      /* guards: */
    GPtrArray *idle;  /* of XtfRecordLines */
} Rounds;

static void copy_block(BlockCopy *copy, const XtfRecordBlock *block)
{
    size_t bytes = 0;

    for (uint32_t i = 0; i < block->n_parts; i++)
        bytes += block->parts[i].n_rows * block->parts[i].span->array.schema->row_size;
    if (bytes > copy->room) {
        copy->room = 2 * bytes;
        copy->rows = g_realloc(copy->rows, copy->room);
    }
    copy->block.n_rows = block->n_rows;
    copy->block.n_parts = block->n_parts;
    copy->block.order = block->order ? copy->order : NULL;
    if (block->order)
        memcpy(copy->order, block->order, block->n_rows);
    uint8_t *to = copy->rows;
    for (uint32_t i = 0; i < block->n_parts; i++) {
        size_t length = block->parts[i].n_rows * block->parts[i].span->array.schema->row_size;
        copy->block.parts[i] = block->parts[i];
        copy->block.parts[i].rows = memcpy(to, block->parts[i].rows, length);
        to += length;
    }
}

static void *take_idle_lines(void *data)
{
    Rounds *rounds = data;

    g_mutex_lock(&rounds->lock);
    XtfRecordLines *lines = rounds->idle->len ? g_ptr_array_steal_index_fast(rounds->idle, 0) : NULL;
    g_mutex_unlock(&rounds->lock);
    return lines ? lines : new_lines(rounds->writing);
}

static void put_idle_lines(void *thread_data, void *data)
{
    Rounds *rounds = data;

    g_mutex_lock(&rounds->lock);
    g_ptr_array_add(rounds->idle, thread_data);
    g_mutex_unlock(&rounds->lock);
}

/* Reads and copies the blocks of the next round. Stores an error in the round, and then stops reading. The blocks
 * before the error are complete, and are written first. */
static void read_round(Rounds *rounds)
{
    Round *round = &rounds->rounds[!rounds->current];
    uint32_t most = rounds->rounds[rounds->current].failed ? 0 : rounds->most;
    XtfRecordBlock block;

    for (round->n = 0; round->n < most; round->n++) {
        if (!xtf_record_reader_next_block(rounds->reader, BLOCK_ROWS, &block, &round->failed) || !block.n_rows)
            return;
        copy_block(&round->copies[round->n], &block);
    }
}

static bool render_block(XtfRecordLines *lines, BlockCopy *copy, GError **error)
{
    g_string_truncate(copy->out, 0);
    return xtf_record_lines_add(lines, &copy->block, copy->out, error);
}

/* Reads the next round as item 0. Renders block i - 1 of the current round as item i. */
static bool read_or_render(void *thread_data, void *data, uint32_t first, uint32_t end, GError **error)
{
    Rounds *rounds = data;

    for (uint32_t i = first; i < end; i++) {
        if (i == 0)
            read_round(rounds);
        else if (!render_block(thread_data, &rounds->rounds[rounds->current].copies[i - 1], error))
            return false;
    }
    return true;
}

/* Writes all rounds. The first rounds are short, so that a writer of few records, such as a file of at most 1 MiB, does
 * not read many. */
static bool write_rounds(Rounds *rounds, XtfWriteBytes write, void *data, GError **error)
{
    const XtfParallelWork work = {.step = 1, .begin = take_idle_lines, .work = read_or_render, .join = put_idle_lines};

    for (;;) {
        Round *round = &rounds->rounds[rounds->current];
        if (!xtf_parallel(&work, rounds, round->n + 1, error))
            return false;
        for (uint32_t i = 0; i < round->n; i++) {
            if (!write(data, round->copies[i].out->str, round->copies[i].out->len, error))
                return false;
        }
        if (round->failed) {
            g_propagate_error(error, g_steal_pointer(&round->failed));
            return false;
        }
        rounds->current = !rounds->current;
        round = &rounds->rounds[rounds->current];
        if (!round->n && !round->failed)
            return true;
        rounds->most = MIN(2 * rounds->most, BLOCKS_MAX);
    }
}

static Rounds *rounds_new(const Writing *writing, XtfRecordReader *reader)
{
    Rounds *rounds = g_new0(Rounds, 1);

    rounds->writing = writing;
    rounds->reader = reader;
    rounds->most = 1;
    rounds->idle = g_ptr_array_new_with_free_func((GDestroyNotify)xtf_record_lines_free);
    g_mutex_init(&rounds->lock);
    for (unsigned i = 0; i < 2 * BLOCKS_MAX; i++)
        rounds->rounds[i / BLOCKS_MAX].copies[i % BLOCKS_MAX].out = g_string_new(NULL);
    return rounds;
}

static void rounds_free(Rounds *rounds)
{
    for (unsigned i = 0; i < 2; i++) {
        Round *round = &rounds->rounds[i];
        for (unsigned k = 0; k < BLOCKS_MAX; k++) {
            g_string_free(round->copies[k].out, TRUE);
            g_free(round->copies[k].rows);
        }
        g_clear_error(&round->failed);
    }
    g_ptr_array_unref(rounds->idle);
    g_mutex_clear(&rounds->lock);
    g_free(rounds);
}

static bool write_by_rounds(const Writing *writing, XtfWriteBytes write, void *data, GError **error)
{
    g_autoptr(XtfRecordReader) reader = xtf_record_reader_new(writing->spans, 0, error);

    if (!reader)
        return false;
    Rounds *rounds = rounds_new(writing, reader);
    bool good = write_rounds(rounds, write, data, error);
    rounds_free(rounds);
    return good;
}

/* ---- One block after another, for calls: a renderer keeps the readers that find their cells. */

static bool write_in_order(const Writing *writing, XtfWriteBytes write, void *data, GError **error)
{
    g_autoptr(XtfRecordLines) lines = new_lines(writing);
    g_autoptr(XtfRecordReader) reader = xtf_record_reader_new(writing->spans, 0, error);
    g_autoptr(GString) out = g_string_new(NULL);
    XtfRecordBlock block;

    do {
        if (!reader || !xtf_record_reader_next_block(reader, BLOCK_ROWS, &block, error) ||
            (block.n_rows && !xtf_record_lines_add(lines, &block, out, error)) ||
            !write(data, out->str, out->len, error))
            return false;
        g_string_truncate(out, 0);
    } while (block.n_rows > 0);
    return true;
}

/* Makes the line of column names for CSV. The line is empty for JSON. */
static GString *make_heading(const XtfFormat *format, XtfRowFormat as)
{
    GString *text = g_string_new(NULL);

    for (unsigned i = 0; as == XTF_ROWS_CSV && i < format->columns->len; i++) {
        g_string_append(text, i ? "," : "");
        xtf_csv_add(text, g_array_index(format->columns, XtfRecordColumn, i).name);
    }
    if (as == XTF_ROWS_CSV)
        g_string_append_c(text, '\n');
    return text;
}

static bool write_heading(const Writing *writing, XtfWriteBytes write, void *data, GError **error)
{
    g_autoptr(GString) text = make_heading(writing->format, writing->as);

    return !text->len || write(data, text->str, text->len, error);
}

bool xtf_records_write(XtfRecords *records, XtfSelection *selection, XtfRowFormat format, XtfWriteBytes write,
                       void *data, GError **error)
{
    const XtfFormat *lines = xtf_formats_of(records->formats, selection, error);
    const XtfLocations *locations = lines ? xtf_trace_context_locations(records->formats->context, error) : NULL;
    g_autoptr(XtfSpans) spans = locations ? xtf_resolver_spans(records->resolver, selection, error) : NULL;
    const Writing writing = {records, spans, lines, locations, format};

    return spans && write_heading(&writing, write, data, error) &&
           (xtf_format_shows_calls(lines) ? write_in_order : write_by_rounds)(&writing, write, data, error);
}

/* ---- Rows one by one. */

bool xtf_row_values_init(XtfRowValues *values, XtfFormats *formats, const XtfFormat *format, XtfRowFormat as,
                         XtfWriteBytes write, void *data, GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(formats->context, error);

    if (!locations)
        return false;
    *values = (XtfRowValues){.lines = xtf_record_lines_new(formats, format, locations, as),
                             .text = make_heading(format, as),
                             .write = write,
                             .data = data};
    values->block.n_rows = values->block.n_parts = 1;
    return true;
}

void xtf_row_values_finish(XtfRowValues *values)
{
    g_clear_pointer(&values->lines, xtf_record_lines_free);
    if (values->text)
        g_string_free(g_steal_pointer(&values->text), TRUE);
}

bool xtf_row_values_take(void *data, const XtfRowRun *row, GError **error)
{
    XtfRowValues *values = data;

    values->block.parts[0] = *row;
    return xtf_record_lines_add(values->lines, &values->block, values->text, error) &&
           (values->text->len < FLUSH_BYTES || xtf_row_values_flush(values, error));
}

bool xtf_row_values_flush(XtfRowValues *values, GError **error)
{
    bool good = !values->text->len || values->write(values->data, values->text->str, values->text->len, error);

    g_string_truncate(values->text, 0);
    return good;
}
