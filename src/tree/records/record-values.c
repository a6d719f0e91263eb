#include "src/tree/records/record-values.h"

#include <string.h>

#include "libxtf/error.h"
#include "src/trace/text/escape.h"

enum {
    OUTPUT_BYTES = 256 << 10,
};

/* ---- Columns. */

typedef enum {
    PLAIN,  /* numbers: as they are */
    QUOTED, /* times: strings in JSON */
    TEXT,   /* quoted as the format wants it */
} ColumnKind;

typedef struct {
    ColumnKind kind;
    uint32_t from, width; /* in a line */
    GString *before;      /* what is written before the cell */
} Column;

/* A text, ready to be written. */
typedef struct {
    char *text; /* NULL: not made yet */
    size_t length;
} Ready;

/* How the text of a column is found in the rows of a schema. */
typedef struct {
    const XtfCell *cell; /* NULL: the column is no text there, or the line has all of it */
    Ready *names;        /* of the rows of the cell's names; NULL: the cell has none */
} Source;

typedef struct {
    XtfRecords *records;
    const XtfFormat *format;
    XtfRowFormat as;
    XtfWriteBytes write;
    void *data;
    Column *columns;
    unsigned n_columns;
    Source *sources; /* by schema and column */
    GString *out;
    GString *scratch;
} Writer;

static const char *words_of(const Writer *writer, unsigned i, const char *csv, const char *json)
{
    return writer->as == XTF_ROWS_CSV ? (i ? "," : csv) : (i ? "," : json);
}

static void init_columns(Writer *writer)
{
    const XtfFormat *format = writer->format;

    writer->n_columns = format->columns->len;
    writer->columns = g_new0(Column, writer->n_columns);
    for (unsigned i = 0; i < writer->n_columns; i++) {
        const XtfRecordColumn *from = &g_array_index(format->columns, XtfRecordColumn, i);
        Column *column = &writer->columns[i];
        *column = (Column){.kind = from->left ? TEXT : PLAIN, .from = from->from, .width = from->width};
        if (!from->left && (g_str_equal(from->unit, "s") || (i == 0 && format->has_prefix)))
            column->kind = QUOTED;
        column->before = g_string_new(words_of(writer, i, "", "{"));
        if (writer->as == XTF_ROWS_JSON) {
            xtf_json_add(column->before, from->name);
            g_string_append_c(column->before, ':');
        }
    }
}

static bool is_text(const XtfCell *cell)
{
    return cell->kind == XTF_CELL_NAME || cell->kind == XTF_CELL_STRING || cell->kind == XTF_CELL_VALUE;
}

static void init_sources(Writer *writer)
{
    const XtfFormat *format = writer->format;

    writer->sources = g_new0(Source, (size_t)format->n_programs * writer->n_columns + 1);
    for (uint32_t schema = 0; schema < format->n_programs; schema++) {
        const XtfProgram *program = &format->programs[schema];
        for (uint32_t i = 0; i < program->n_cells; i++) {
            const XtfCell *cell = &program->cells[i];
            Source *source = &writer->sources[(size_t)schema * writer->n_columns + cell->column];
            if (is_text(cell))
                *source = (Source){cell, cell->kind == XTF_CELL_NAME ? g_new0(Ready, cell->names->n + 1) : NULL};
        }
    }
}

static void writer_clear(Writer *writer)
{
    for (size_t i = 0; writer->sources && i < (size_t)writer->format->n_programs * writer->n_columns; i++) {
        Ready *names = writer->sources[i].names;
        for (uint64_t k = 0; names && k < writer->sources[i].cell->names->n; k++)
            g_free(names[k].text);
        g_free(names);
    }
    for (unsigned i = 0; i < writer->n_columns; i++)
        g_string_free(writer->columns[i].before, TRUE);
    g_free(writer->columns);
    g_free(writer->sources);
    if (writer->out)
        g_string_free(writer->out, TRUE);
    if (writer->scratch)
        g_string_free(writer->scratch, TRUE);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Writer, writer_clear)

/* ---- Cells. */

static void add_bytes(GString *out, const char *bytes, size_t length)
{
    /* GString's own function is a call for each cell. */
    if (G_UNLIKELY(out->len + length >= out->allocated_len)) {
        g_string_append_len(out, bytes, (gssize)length);
        return;
    }
    memcpy(out->str + out->len, bytes, length);
    out->len += length;
}

static void add_quoted(const Writer *writer, GString *out, const char *text)
{
    if (writer->as == XTF_ROWS_CSV)
        xtf_csv_add(out, text);
    else
        xtf_json_add(out, text);
}

/* A text of the trace, whole. */
static void add_whole(const Writer *writer, GString *out, const char *text)
{
    g_autofree char *shown = xtf_text_shown(text, G_MAXSIZE);
    add_quoted(writer, out, shown);
}

static void add_name(const Writer *writer, const Source *source, uint64_t v)
{
    Ready *ready = &source->names[v];

    if (!ready->text) {
        g_autoptr(GString) text = g_string_new(NULL);
        add_whole(writer, text, source->cell->names->whole[v]);
        ready->length = text->len;
        ready->text = g_string_free(g_steal_pointer(&text), FALSE);
    }
    add_bytes(writer->out, ready->text, ready->length);
}

/* Adds the cell that is in the line. */
static void add_shown(const Writer *writer, const Column *column, const char *line)
{
    const char *begin = line + column->from, *end = begin + column->width;
    GString *out = writer->out;

    while (begin < end && *begin == ' ')
        begin++;
    while (end > begin && end[-1] == ' ')
        end--;
    bool is_json = writer->as == XTF_ROWS_JSON, has_digits = end > begin && g_ascii_isdigit(end[-1]);
    if (end - begin == 1 && *begin == '-') {
        if (is_json)
            add_bytes(out, "null", strlen("null"));
    } else if (column->kind == PLAIN && has_digits && (g_ascii_isdigit(*begin) || *begin == '-')) {
        add_bytes(out, begin, (size_t)(end - begin));
    } else if (column->kind == QUOTED && has_digits) {
        if (is_json)
            add_bytes(out, "\"", 1);
        add_bytes(out, begin, (size_t)(end - begin));
        if (is_json)
            add_bytes(out, "\"", 1);
    } else {
        g_string_truncate(writer->scratch, 0);
        g_string_append_len(writer->scratch, begin, end - begin);
        add_quoted(writer, out, writer->scratch->str);
    }
}

static bool add_cell(const Writer *writer, const Column *column, const Source *source, const char *line,
                     const uint8_t *row, GError **error)
{
    const XtfCell *cell = source->cell;
    const char *text;
    uint32_t string;

    if (cell && source->names && !xtf_field_is_none(cell->field, row)) {
        uint64_t v = xtf_field_get(cell->field, row);
        if (v < cell->names->n) {
            add_name(writer, source, v);
            return true;
        }
    } else if (cell && !source->names && xtf_cell_string(cell, row, &string)) {
        if (!xtf_trace_string(writer->records->formats->context->trace, string, &text, error))
            return false;
        add_whole(writer, writer->out, text);
        return true;
    }
    add_shown(writer, column, line);
    return true;
}

/* ---- Lines. */

static bool flush(Writer *writer, GError **error)
{
    bool good = writer->write(writer->data, writer->out->str, writer->out->len, error);

    g_string_truncate(writer->out, 0);
    return good;
}

static bool add_line(Writer *writer, uint32_t schema, const char *line, const uint8_t *row, GError **error)
{
    const Source *sources = &writer->sources[(size_t)schema * writer->n_columns];

    for (unsigned i = 0; i < writer->n_columns; i++) {
        const Column *column = &writer->columns[i];
        add_bytes(writer->out, column->before->str, column->before->len);
        if (!add_cell(writer, column, &sources[i], line, row, error))
            return false;
    }
    if (writer->as == XTF_ROWS_JSON)
        add_bytes(writer->out, "}\n", 2);
    else
        add_bytes(writer->out, "\n", 1);
    return writer->out->len < OUTPUT_BYTES || flush(writer, error);
}

/* Lines of a block: rendered part by part, and written in the order of the records. */
static bool add_block(Writer *writer, XtfRenderer *renderer, const XtfRecordBlock *block, GString *lines,
                      GError **error)
{
    size_t length = writer->format->line;
    const char *next[XTF_RECORD_PARTS_MAX]; /* of each part: its next line, and its next row */
    const uint8_t *rows[XTF_RECORD_PARTS_MAX];
    uint64_t n = 0;

    g_string_set_size(lines, block->n_rows * length);
    for (uint32_t i = 0; i < block->n_parts; i++) {
        char *begin = lines->str + n * length;
        if (!xtf_renderer_run(renderer, &block->parts[i], begin, error))
            return false;
        next[i] = begin;
        rows[i] = block->parts[i].rows;
        n += block->parts[i].n_rows;
    }
    for (uint32_t i = 0; i < block->n_rows; i++) {
        unsigned part = block->order ? block->order[i] : 0;
        const XtfSchema *schema = block->parts[part].span->array.schema;
        if (!add_line(writer, schema->id, next[part], rows[part], error))
            return false;
        next[part] += length;
        rows[part] += schema->row_size;
    }
    return true;
}

static bool add_all(Writer *writer, XtfSpans *spans, GError **error)
{
    enum { ROWS_AT_ONCE = 4096 };
    const XtfLocations *locations = xtf_trace_context_locations(writer->records->formats->context, error);
    g_autoptr(XtfRecordReader) reader = locations ? xtf_record_reader_new(spans, 0, error) : NULL;
    g_autoptr(GString) lines = g_string_new(NULL);
    XtfRecordBlock block;

    if (!reader)
        return false;
    g_autoptr(XtfRenderer) renderer = xtf_renderer_new(writer->records->formats, writer->format, locations);
    do {
        if (!xtf_record_reader_next_block(reader, ROWS_AT_ONCE, &block, error) ||
            !add_block(writer, renderer, &block, lines, error))
            return false;
    } while (block.n_rows > 0);
    return true;
}

static void add_heading(Writer *writer)
{
    if (writer->as != XTF_ROWS_CSV)
        return;
    for (unsigned i = 0; i < writer->n_columns; i++) {
        if (i)
            g_string_append_c(writer->out, ',');
        xtf_csv_add(writer->out, g_array_index(writer->format->columns, XtfRecordColumn, i).name);
    }
    g_string_append_c(writer->out, '\n');
}

bool xtf_records_write(XtfRecords *records, XtfSelection *selection, XtfRowFormat format, XtfWriteBytes write,
                       void *data, GError **error)
{
    const XtfFormat *lines = xtf_formats_of(records->formats, selection, error);
    g_autoptr(XtfSpans) spans = lines ? xtf_resolver_spans(records->resolver, selection, error) : NULL;

    if (!spans)
        return false;
    g_auto(Writer) writer = {.records = records,
                             .format = lines,
                             .as = format,
                             .write = write,
                             .data = data,
                             .out = g_string_sized_new(2 * OUTPUT_BYTES),
                             .scratch = g_string_new(NULL)};
    init_columns(&writer);
    init_sources(&writer);
    add_heading(&writer);
    return add_all(&writer, spans, error) && flush(&writer, error);
}
