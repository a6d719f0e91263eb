#include "src/tables/format/table.h"

#include <inttypes.h>
#include <string.h>

#include "libxtf/error.h"
#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/trace/text/digits.h"
#include "src/trace/text/escape.h"
#include "src/trace/text/value-kind.h"

enum {
    CELL_TEXT_MAX = 2 * XTF_ROW_MAX + 1, /* bytes of the text of a value that is not a string */
};

/* A column of a field, or the extra one; the first column is the row's number. The last field with text is the last
 * column, where blanks are not escaped. */
typedef struct {
    const XtfField *field;
    bool is_extra;
    const XtfField *type; /* of a field of role VALUE: the field of its type */
    size_t from, width;
    bool is_text; /* the cells are text, aligned left */
} Column;

struct XtfTableView {
    XtfTrace *trace;
    const XtfTable *table; /* NULL: no rows */
    uint64_t n_rows;
    XtfTableExtra extra;
    GArray *columns;
    size_t line;  /* bytes of a line, with its newline */
    char *header; /* the first line */
};

void xtf_table_view_free(XtfTableView *view)
{
    if (!view)
        return;
    g_array_unref(view->columns);
    g_free(view->header);
    g_free(view);
}

static Column *column_at(const XtfTableView *view, unsigned i)
{
    return &g_array_index(view->columns, Column, i);
}

static const char *column_name(const XtfTableView *view, const Column *column)
{
    return column->field ? column->field->name : column->is_extra ? view->extra.name : "row";
}

static bool is_last(const XtfTableView *view, unsigned i)
{
    return i + 1 == view->columns->len;
}

static XtfValueKind value_kind_of(const Column *column, const uint8_t *row)
{
    if (column->type)
        return xtf_value_kind(column->type, row);
    switch (column->field->type) {
    case XTF_TYPE_STRING:
        return XTF_KIND_STRING;
    case XTF_TYPE_F64:
        return XTF_KIND_REAL;
    case XTF_TYPE_I32:
    case XTF_TYPE_I64:
        return XTF_KIND_SIGNED;
    default:
        return XTF_KIND_UNSIGNED;
    }
}

/* Finds the text of a cell: in the trace's own bytes, or printed into `buffer`. */
static bool cell_text(const XtfTableView *view, const Column *column, const uint8_t *row, uint64_t number,
                      char buffer[static CELL_TEXT_MAX], const char **text, GError **error)
{
    const XtfField *field = column->field;
    uint64_t v = field ? xtf_field_get(field, row) : number;

    *text = column->is_extra ? view->extra.words[view->extra.by_row[number]] : buffer;
    if (column->is_extra)
        return true;
    if (field && xtf_field_is_none(field, row)) {
        *text = "-";
        return true;
    }
    if (field && v < field->n_labels) {
        *text = field->labels[v];
        return true;
    }
    if (field && xtf_type_width(field->type) == 0) {
        xtf_put_bytes(buffer, row + field->offset, field->width);
        buffer[2 * field->width] = '\0';
        return true;
    }
    switch (field ? value_kind_of(column, row) : XTF_KIND_UNSIGNED) {
    case XTF_KIND_STRING:
        return xtf_trace_string(view->trace, (uint32_t)v, text, error);
    case XTF_KIND_REAL:
        g_ascii_dtostr(buffer, CELL_TEXT_MAX, xtf_field_get_f64(field, row));
        break;
    case XTF_KIND_SIGNED:
        g_snprintf(buffer, CELL_TEXT_MAX, "%" PRId64, (int64_t)v);
        break;
    case XTF_KIND_UNSIGNED:
        g_snprintf(buffer, CELL_TEXT_MAX, "%" PRIu64, v);
        break;
    }
    return true;
}

static const uint8_t *row_at(const XtfTableView *view, uint64_t number)
{
    return view->table->rows + number * view->table->schema->row_size;
}

static void add_field(XtfTableView *view, const XtfSchema *schema, const XtfField *field)
{
    bool typed = g_str_equal(field->role, XTF_ROLE_VALUE) && field->width == 8;
    Column column = {
        .field = field,
        .type = typed ? xtf_schema_field_by_role(schema, XTF_ROLE_VALUE_TYPE) : NULL,
        .is_text = field->type == XTF_TYPE_STRING || field->n_labels,
        .width = xtf_text_width(field->name, true, XTF_TABLE_TEXT_MAX),
    };
    g_array_append_val(view->columns, column);
}

static void add_schema_columns(XtfTableView *view, const XtfSchema *schema)
{
    const XtfField *last = NULL;
    Column number = {.width = strlen("row")}, extra = {.is_extra = true, .is_text = true};

    g_array_append_val(view->columns, number);
    for (uint32_t i = 0; i < schema->n_fields; i++) {
        if (schema->fields[i].type == XTF_TYPE_STRING)
            last = &schema->fields[i];
    }
    for (uint32_t i = 0; i < schema->n_fields; i++) {
        if (&schema->fields[i] != last)
            add_field(view, schema, &schema->fields[i]);
    }
    if (view->extra.name) {
        extra.width = strlen(view->extra.name);
        g_array_append_val(view->columns, extra);
    }
    if (last)
        add_field(view, schema, last);
}

static bool measure_columns(XtfTableView *view, GError **error)
{
    char buffer[CELL_TEXT_MAX];
    const char *text;

    for (uint64_t n = 0; n < view->n_rows; n++) {
        for (unsigned i = 0; i < view->columns->len; i++) {
            Column *column = column_at(view, i);
            if (!cell_text(view, column, row_at(view, n), n, buffer, &text, error))
                return false;
            column->width = MAX(column->width, xtf_text_width(text, !is_last(view, i), XTF_TABLE_TEXT_MAX));
        }
    }
    return true;
}

/* Writes a cell into a line. `number` is the number of the row; in the header, of the column. */
static void put_cell(char *line, const Column *column, const char *text, bool last, uint64_t number)
{
    size_t pad = column->is_text ? 0 : column->width - xtf_text_width(text, !last, column->width);
    xtf_text_put(line + column->from + pad, column->width - pad, text, !last, number);
}

/* Positions the columns and makes the header. The header begins with "# ", all other lines with two blanks. */
static void make_header(XtfTableView *view)
{
    size_t at = strlen("# ");

    for (unsigned i = 0; i < view->columns->len; i++) {
        column_at(view, i)->from = at;
        at += column_at(view, i)->width + 1;
    }
    view->line = at;
    view->header = g_malloc(at);
    memset(view->header, ' ', at);
    view->header[0] = '#';
    view->header[at - 1] = '\n';
    for (unsigned i = 0; i < view->columns->len; i++) {
        const Column *column = column_at(view, i);
        put_cell(view->header, column, column_name(view, column), is_last(view, i), i);
    }
}

XtfTableView *xtf_table_view_new(XtfTrace *trace, const XtfSchema *schema, const XtfTableExtra *extra, GError **error)
{
    g_autoptr(XtfTableView) view = g_new0(XtfTableView, 1);
    uint64_t bytes;

    view->trace = trace;
    if (extra)
        view->extra = *extra;
    view->columns = g_array_new(FALSE, FALSE, sizeof(Column));
    if (!xtf_trace_table(trace, schema->name, &view->table, error))
        return NULL;
    view->n_rows = view->table ? view->table->n_rows : 0;
    add_schema_columns(view, schema);
    if (!measure_columns(view, error))
        return NULL;
    make_header(view);
    if (__builtin_mul_overflow(view->n_rows + 1, (uint64_t)view->line, &bytes) || bytes > INT64_MAX) {
        xtf_fail(error, XTF_ERROR_UNSUPPORTED, "the table \"%s\" is too large for a file", schema->name);
        return NULL;
    }
    return g_steal_pointer(&view);
}

uint64_t xtf_table_view_size(const XtfTableView *view)
{
    return (view->n_rows + 1) * view->line;
}

static bool render_row(const XtfTableView *view, uint64_t number, char *line, GError **error)
{
    char buffer[CELL_TEXT_MAX];
    const char *text;

    memset(line, ' ', view->line);
    line[view->line - 1] = '\n';
    for (unsigned i = 0; i < view->columns->len; i++) {
        if (!cell_text(view, column_at(view, i), row_at(view, number), number, buffer, &text, error))
            return false;
        put_cell(line, column_at(view, i), text, is_last(view, i), number);
    }
    return true;
}

void xtf_copy_part(const char *text, size_t size, uint64_t at, uint64_t offset, char *buffer, size_t length)
{
    uint64_t from = MAX(at, offset), to = MIN(at + size, offset + length);
    if (from < to)
        memcpy(buffer + (from - offset), text + (from - at), (size_t)(to - from));
}

bool xtf_table_view_read(const XtfTableView *view, uint64_t offset, char *buffer, size_t length, GError **error)
{
    g_autofree char *line = g_malloc(view->line);

    for (uint64_t n = offset / view->line; n <= view->n_rows && n * view->line < offset + length; n++) {
        if (n > 0 && !render_row(view, n - 1, line, error))
            return false;
        xtf_copy_part(n ? line : view->header, view->line, n * view->line, offset, buffer, length);
    }
    return true;
}

/* ---- Rows. */

/* Returns a cell with its type and number; cell_text() has its text. */
static XtfRowCell typed_cell(const Column *column, const uint8_t *row, uint64_t number)
{
    const XtfField *field = column->field;
    uint64_t v = field ? xtf_field_get(field, row) : number;

    if (column->is_extra || (field && (v < field->n_labels || xtf_type_width(field->type) == 0)))
        return (XtfRowCell){.type = XTF_ROW_TEXT};
    switch (field ? value_kind_of(column, row) : XTF_KIND_UNSIGNED) {
    case XTF_KIND_REAL:
        return (XtfRowCell){.type = XTF_ROW_REAL, .real = xtf_field_get_f64(field, row)};
    case XTF_KIND_SIGNED:
        return (XtfRowCell){.type = XTF_ROW_NUMBER, .negative = (int64_t)v < 0, .number = (int64_t)v < 0 ? -v : v};
    case XTF_KIND_UNSIGNED:
        return (XtfRowCell){.type = XTF_ROW_NUMBER, .number = v};
    case XTF_KIND_STRING:
        break;
    }
    return (XtfRowCell){.type = XTF_ROW_TEXT};
}

static bool add_table_row(const XtfTableView *view, uint64_t number, XtfRows *rows, GError **error)
{
    const uint8_t *row = row_at(view, number);
    char buffer[CELL_TEXT_MAX];
    const char *text;

    for (unsigned i = 0; i < view->columns->len; i++) {
        const Column *column = column_at(view, i);
        if (column->field && xtf_field_is_none(column->field, row)) {
            xtf_rows_add(rows, (XtfRowCell){.type = XTF_ROW_NOTHING}, "", 0);
            continue;
        }
        if (!cell_text(view, column, row, number, buffer, &text, error))
            return false;
        g_autofree char *shown = xtf_text_shown(text, G_MAXSIZE);
        xtf_rows_add(rows, typed_cell(column, row, number), shown, strlen(shown));
    }
    return true;
}

static bool begin_rows(const XtfTableView *view, const XtfRowSink *sink, GError **error)
{
    unsigned n = view->columns->len;
    g_autofree XtfColumn *columns = g_new0(XtfColumn, n);
    g_autofree const XtfColumn **pointers = g_new(const XtfColumn *, n);

    for (unsigned i = 0; i < n; i++) {
        columns[i] = (XtfColumn){.name = column_name(view, column_at(view, i)), .type = XTF_COLUMN_ANY};
        pointers[i] = &columns[i];
    }
    return sink->set_columns(sink->data, pointers, n, error);
}

bool xtf_table_view_rows(const XtfTableView *view, const XtfRowSink *sink, GError **error)
{
    enum { ROWS_AT_ONCE = 4096 };

    if (!begin_rows(view, sink, error))
        return false;
    for (uint64_t first = 0; first < view->n_rows; first += ROWS_AT_ONCE) {
        uint64_t n = MIN(view->n_rows - first, (uint64_t)ROWS_AT_ONCE);
        g_auto(XtfRows) rows = {0};
        xtf_rows_init(&rows, view->columns->len);
        for (uint64_t i = 0; i < n; i++) {
            if (!add_table_row(view, first + i, &rows, error))
                return false;
        }
        if (!sink->add_rows(sink->data, &rows, 0, n, error))
            return false;
    }
    return true;
}

uint64_t xtf_table_view_n_rows(const XtfTableView *view)
{
    return view->n_rows;
}

static void append_padded(GString *out, const char *text, size_t width, bool blanks, uint64_t number)
{
    gsize at = out->len;

    g_string_set_size(out, at + width);
    xtf_text_put(out->str + at, width, text, blanks, number);
}

GString *xtf_table_view_row_text(const XtfTableView *view, uint64_t number, GError **error)
{
    g_autoptr(GString) out = g_string_new(NULL);
    char buffer[CELL_TEXT_MAX];
    size_t widest = 0;
    const char *text;

    for (unsigned i = 0; i < view->columns->len; i++)
        widest = MAX(widest, xtf_text_width(column_name(view, column_at(view, i)), true, XTF_TABLE_TEXT_MAX));
    for (unsigned i = 0; i < view->columns->len; i++) {
        const Column *column = column_at(view, i);
        if (!cell_text(view, column, row_at(view, number), number, buffer, &text, error))
            return NULL;
        size_t room = XTF_WHOLE_TEXT_MAX - MIN(out->len, (gsize)XTF_WHOLE_TEXT_MAX);
        append_padded(out, column_name(view, column), widest, true, i);
        g_string_append_c(out, ' ');
        append_padded(out, text, xtf_text_width(text, false, MAX(room, XTF_TABLE_TEXT_MAX)), false, number);
        g_string_append_c(out, '\n');
    }
    return g_steal_pointer(&out);
}
