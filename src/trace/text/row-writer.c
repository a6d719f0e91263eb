#include "src/trace/text/row-writer.h"

#include <math.h>
#include <string.h>

enum {
    BUFFER_BYTES = 256 << 10,
};

/* ---- Text. */

void xtf_csv_add(GString *out, const char *text)
{
    if (!text[strcspn(text, ",\"\n\r")]) {
        g_string_append(out, text);
        return;
    }
    g_string_append_c(out, '"');
    for (; *text; text++) {
        if (*text == '"')
            g_string_append_c(out, '"');
        g_string_append_c(out, *text);
    }
    g_string_append_c(out, '"');
}

void xtf_json_add(GString *out, const char *text)
{
    g_string_append_c(out, '"');
    for (size_t plain; *text; text += plain) {
        plain = strcspn(text, "\"\\");
        g_string_append_len(out, text, (gssize)plain);
        if (!text[plain])
            break;
        g_string_append_c(out, '\\');
        g_string_append_c(out, text[plain++]);
    }
    g_string_append_c(out, '"');
}

/* ---- The writer. */

void xtf_row_writer_init(XtfRowWriter *writer, XtfRowFormat format, XtfWriteBytes write, void *data)
{
    *writer = (XtfRowWriter){.format = format,
                             .write = write,
                             .data = data,
                             .buffer = g_string_sized_new(BUFFER_BYTES),
                             .prefixes = g_ptr_array_new_with_free_func(g_free)};
}

void xtf_row_writer_finish(XtfRowWriter *writer)
{
    if (writer->buffer)
        g_string_free(g_steal_pointer(&writer->buffer), TRUE);
    g_clear_pointer(&writer->prefixes, g_ptr_array_unref);
}

bool xtf_row_writer_flush(XtfRowWriter *writer, GError **error)
{
    bool good = !writer->buffer->len || writer->write(writer->data, writer->buffer->str, writer->buffer->len, error);

    g_string_truncate(writer->buffer, 0);
    return good;
}

/* Returns the name of column i. Joined tables may have several columns of one name: the second becomes NAME_2, and so
 * on.
 */
static char *name_of(const XtfColumn *const *columns, unsigned i)
{
    unsigned number = 1;

    for (unsigned k = 0; k < i; k++)
        number += strcmp(columns[k]->name, columns[i]->name) == 0;
    return number == 1 ? g_strdup(columns[i]->name) : g_strdup_printf("%s_%u", columns[i]->name, number);
}

/* Writes the heading of CSV; for JSON, prepares the names that each line repeats. */
static bool write_heading(void *data, const XtfColumn *const *columns, unsigned n, GError **error)
{
    XtfRowWriter *writer = data;

    g_ptr_array_set_size(writer->prefixes, 0);
    for (unsigned i = 0; i < n; i++) {
        g_autofree char *column = name_of(columns, i);
        g_autoptr(GString) name = g_string_new(i ? "," : writer->format == XTF_ROWS_CSV ? "" : "{");
        if (writer->format == XTF_ROWS_CSV) {
            xtf_csv_add(name, column);
            g_string_append(writer->buffer, name->str);
        } else {
            xtf_json_add(name, column);
            g_string_append_c(name, ':');
            g_ptr_array_add(writer->prefixes, g_string_free(g_steal_pointer(&name), FALSE));
        }
    }
    if (writer->format == XTF_ROWS_CSV)
        g_string_append_c(writer->buffer, '\n');
    return true;
}

/* True if JSON gets a cell as a number: not times with decimals, which may have more digits than a double, and not
 * infinity. */
static bool is_json_number(const XtfRowCell *cell)
{
    return cell->type == XTF_ROW_NUMBER || cell->type == XTF_ROW_PERCENT ||
           (cell->type == XTF_ROW_TIME && !strchr(cell->text, '.')) ||
           (cell->type == XTF_ROW_REAL && isfinite(cell->real));
}

static void append_json(const XtfRowWriter *writer, const XtfRowCell *cells, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        g_string_append(writer->buffer, writer->prefixes->pdata[i]);
        if (cells[i].type == XTF_ROW_NOTHING)
            g_string_append(writer->buffer, "null");
        else if (is_json_number(&cells[i]))
            g_string_append(writer->buffer, cells[i].text);
        else
            xtf_json_add(writer->buffer, cells[i].text);
    }
    g_string_append(writer->buffer, "}\n");
}

static void append_csv(const XtfRowWriter *writer, const XtfRowCell *cells, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        if (i)
            g_string_append_c(writer->buffer, ',');
        if (cells[i].type == XTF_ROW_TEXT)
            xtf_csv_add(writer->buffer, cells[i].text);
        else
            g_string_append(writer->buffer, cells[i].text);
    }
    g_string_append_c(writer->buffer, '\n');
}

/* True if a line of a table is blank in the text: tables of fixed length end with such lines. */
static bool is_blank(const XtfRowCell *cells, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (cells[i].type != XTF_ROW_NOTHING)
            return false;
    return true;
}

static bool write_rows(void *data, const XtfRows *rows, uint64_t first, uint64_t n, GError **error)
{
    XtfRowWriter *writer = data;

    for (uint64_t i = first; i < first + n; i++) {
        const XtfRowCell *cells = xtf_rows_get(rows, i);
        if (is_blank(cells, rows->n_columns))
            continue;
        (writer->format == XTF_ROWS_CSV ? append_csv : append_json)(writer, cells, rows->n_columns);
        if (writer->buffer->len >= BUFFER_BYTES && !xtf_row_writer_flush(writer, error))
            return false;
    }
    return true;
}

XtfRowSink xtf_row_writer_sink(XtfRowWriter *writer)
{
    return (XtfRowSink){.set_columns = write_heading, .add_rows = write_rows, .data = writer};
}
