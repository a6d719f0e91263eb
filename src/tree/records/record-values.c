#include "src/tree/records/record-values.h"

#include <string.h>

#include "src/trace/select/parallel.h"
#include "src/tree/records/record-lines.h"

enum {
    ROWS_AT_ONCE = 4096, /* of a block */
    BLOCKS = 16,         /* that are rendered at the same time */
};

/* What is to be written. */
typedef struct {
    XtfRecords *records;
    XtfSpans *spans;
    const XtfFormat *format;
    const XtfLocations *locations;
    XtfRowFormat as;
} Question;

static XtfRecordLines *lines_of(const Question *question)
{
    return xtf_record_lines_new(question->records->formats, question->format, question->locations, question->as);
}

/* ---- Blocks, by all cores: rows are read in order, by one thread, and copied. */

typedef struct {
    XtfRecordBlock block; /* of the copies */
    uint8_t *rows;
    size_t room;
    uint8_t order[ROWS_AT_ONCE];
    GString *out;
} Copy;

/* Blocks that are rendered at the same time, and written one after the other. */
typedef struct {
    const Question *question;
    Copy *copies;
    uint32_t n;
    GMutex lock;        /* guards: */
    GPtrArray *writers; /* idle ones */
} Round;

static void copy_block(Copy *copy, const XtfRecordBlock *block)
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

static void *take_writer(void *data)
{
    Round *round = data;

    g_mutex_lock(&round->lock);
    XtfRecordLines *writer = round->writers->len ? g_ptr_array_steal_index_fast(round->writers, 0) : NULL;
    g_mutex_unlock(&round->lock);
    return writer ? writer : lines_of(round->question);
}

static void put_writer(void *own, void *data)
{
    Round *round = data;

    g_mutex_lock(&round->lock);
    g_ptr_array_add(round->writers, own);
    g_mutex_unlock(&round->lock);
}

static bool render_blocks(void *own, void *data, uint32_t first, uint32_t end, GError **error)
{
    Round *round = data;

    for (uint32_t i = first; i < end; i++) {
        Copy *copy = &round->copies[i];
        g_string_truncate(copy->out, 0);
        if (!xtf_record_lines_add(own, &copy->block, copy->out, error))
            return false;
    }
    return true;
}

/* Reads and copies the next blocks, at most `most` of them. */
static bool read_blocks(Round *round, XtfRecordReader *reader, uint32_t most, GError **error)
{
    XtfRecordBlock block;

    for (round->n = 0; round->n < most; round->n++) {
        if (!xtf_record_reader_next_block(reader, ROWS_AT_ONCE, &block, error))
            return false;
        if (!block.n_rows)
            break;
        copy_block(&round->copies[round->n], &block);
    }
    return true;
}

/* Who takes a few records only, such as a file of at most 1 MiB, is not to wait for many: the first round is short. */
static bool write_rounds(Round *round, XtfWriteBytes write, void *data, GError **error)
{
    const XtfParallelWork work = {.step = 1, .begin = take_writer, .work = render_blocks, .join = put_writer};
    g_autoptr(XtfRecordReader) reader = xtf_record_reader_new(round->question->spans, 0, error);
    uint32_t most = 1;

    if (!reader)
        return false;
    do {
        if (!read_blocks(round, reader, most, error) || !xtf_parallel(&work, round, round->n, error))
            return false;
        for (uint32_t i = 0; i < round->n; i++) {
            if (!write(data, round->copies[i].out->str, round->copies[i].out->len, error))
                return false;
        }
        most = BLOCKS;
    } while (round->n > 0);
    return true;
}

static bool write_by_rounds(const Question *question, XtfWriteBytes write, void *data, GError **error)
{
    Round round = {.question = question,
                   .copies = g_new0(Copy, BLOCKS),
                   .writers = g_ptr_array_new_with_free_func((GDestroyNotify)xtf_record_lines_free)};

    g_mutex_init(&round.lock);
    for (unsigned i = 0; i < BLOCKS; i++)
        round.copies[i].out = g_string_new(NULL);
    bool good = write_rounds(&round, write, data, error);
    for (unsigned i = 0; i < BLOCKS; i++) {
        g_string_free(round.copies[i].out, TRUE);
        g_free(round.copies[i].rows);
    }
    g_free(round.copies);
    g_ptr_array_unref(round.writers);
    g_mutex_clear(&round.lock);
    return good;
}

/* ---- One block after the other. The cells of calls are found by readers that a renderer keeps. */

static bool write_in_order(const Question *question, XtfWriteBytes write, void *data, GError **error)
{
    g_autoptr(XtfRecordLines) lines = lines_of(question);
    g_autoptr(XtfRecordReader) reader = xtf_record_reader_new(question->spans, 0, error);
    g_autoptr(GString) out = g_string_new(NULL);
    XtfRecordBlock block;

    do {
        if (!reader || !xtf_record_reader_next_block(reader, ROWS_AT_ONCE, &block, error) ||
            (block.n_rows && !xtf_record_lines_add(lines, &block, out, error)) ||
            !write(data, out->str, out->len, error))
            return false;
        g_string_truncate(out, 0);
    } while (block.n_rows > 0);
    return true;
}

static bool write_heading(const Question *question, XtfWriteBytes write, void *data, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);

    for (unsigned i = 0; i < question->format->columns->len; i++) {
        g_string_append(text, i ? "," : "");
        xtf_csv_add(text, g_array_index(question->format->columns, XtfRecordColumn, i).name);
    }
    g_string_append_c(text, '\n');
    return question->as != XTF_ROWS_CSV || write(data, text->str, text->len, error);
}

bool xtf_records_write(XtfRecords *records, XtfSelection *selection, XtfRowFormat format, XtfWriteBytes write,
                       void *data, GError **error)
{
    const XtfFormat *lines = xtf_formats_of(records->formats, selection, error);
    const XtfLocations *locations = lines ? xtf_trace_context_locations(records->formats->context, error) : NULL;
    g_autoptr(XtfSpans) spans = locations ? xtf_resolver_spans(records->resolver, selection, error) : NULL;
    const Question question = {records, spans, lines, locations, format};

    return spans && write_heading(&question, write, data, error) &&
           (xtf_format_shows_calls(lines) ? write_in_order : write_by_rounds)(&question, write, data, error);
}
