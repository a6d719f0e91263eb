#include "src/cli/play/value-table.h"

#include <string.h>

#include "libxtf/error.h"
#include "src/trace/text/row-writer.h"

char *xtf_read_file(XtfTree *tree, const char *path, GError **error)
{
    g_autoptr(XtfNode) node = xtf_tree_resolve(tree, path, error);

    if (!node)
        return NULL;
    if (xtf_node_kind(node) != XTF_NODE_FILE) {
        xtf_fail(error, XTF_ERROR_NOT_FOUND, "%s: is not a file", path);
        return NULL;
    }
    uint64_t size = xtf_node_size(node);
    g_autofree char *text = g_malloc(size + 1);
    for (size_t at = 0, length = 0; at < size; at += length) {
        if (!xtf_node_read(node, at, text + at, size - at, &length, error))
            return NULL;
    }
    text[size] = '\0';
    return g_steal_pointer(&text);
}

/* ---- The sink that keeps all rows. */

static bool begin_rows(void *data, const XtfColumn *const *columns, unsigned n, GError **error)
{
    XtfValueTable *table = data;

    for (unsigned i = 0; i < n; i++)
        g_ptr_array_add(table->columns, (char *)columns[i]->name);
    xtf_rows_init(&table->rows, n);
    return true;
}

static bool keep_rows(void *data, const XtfRows *rows, uint64_t first, uint64_t n, GError **error)
{
    XtfValueTable *table = data;

    for (uint64_t i = first; i < first + n; i++) {
        const XtfRowCell *cells = xtf_rows_get(rows, i);
        for (unsigned k = 0; k < rows->n_columns; k++)
            xtf_rows_add(&table->rows, cells[k], cells[k].text, strlen(cells[k].text));
    }
    return true;
}

/* ---- The table. */

static XtfValueTable *read_path(XtfTree *tree, const char *path, GError **error)
{
    g_autoptr(XtfNode) node = xtf_tree_resolve(tree, path, error);
    if (!node)
        return NULL;
    g_autoptr(XtfValueTable) table = g_new0(XtfValueTable, 1);
    const XtfRowSink sink = {.set_columns = begin_rows, .add_rows = keep_rows, .data = table};
    table->scale = xtf_tree_scale(tree);
    table->columns = g_ptr_array_new();
    return xtf_node_rows(node, &sink, error) ? g_steal_pointer(&table) : NULL;
}

XtfValueTable *xtf_value_table_read(XtfTree *tree, GError **error, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    g_autofree char *path = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    return read_path(tree, path, error);
}

bool xtf_value_table_read_optional(XtfTree *tree, XtfValueTable **table, GError **error, const char *format, ...)
{
    g_autoptr(GError) fault = NULL;
    va_list arguments;

    va_start(arguments, format);
    g_autofree char *path = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    *table = read_path(tree, path, &fault);
    if (*table || g_error_matches(fault, XTF_ERROR, XTF_ERROR_NOT_FOUND))
        return true;
    g_propagate_error(error, g_steal_pointer(&fault));
    return false;
}

void xtf_value_table_free(XtfValueTable *table)
{
    if (!table)
        return;
    xtf_rows_finish(&table->rows);
    g_ptr_array_unref(table->columns);
    g_free(table);
}

guint xtf_value_table_n(const XtfValueTable *table)
{
    return (guint)xtf_rows_n(&table->rows);
}

/* Finds a cell; NULL: there is none. */
static const XtfRowCell *find_cell(const XtfValueTable *table, guint line, const char *column)
{
    for (guint i = 0; line < xtf_value_table_n(table) && i < table->columns->len; i++) {
        if (g_str_equal(table->columns->pdata[i], column))
            return &xtf_rows_get(&table->rows, line)[i];
    }
    return NULL;
}

bool xtf_value_table_has(const XtfValueTable *table, const char *column)
{
    for (guint i = 0; i < table->columns->len; i++) {
        if (g_str_equal(table->columns->pdata[i], column))
            return true;
    }
    return false;
}

const char *xtf_value_table_text(const XtfValueTable *table, guint line, const char *column)
{
    const XtfRowCell *cell = find_cell(table, line, column);
    return cell ? xtf_row_shown(cell) : "-";
}

double xtf_value_table_number(const XtfValueTable *table, guint line, const char *column)
{
    const XtfRowCell *cell = find_cell(table, line, column);

    if (!cell)
        return 0;
    if (cell->type != XTF_ROW_TIME)
        return xtf_row_real(cell);
    double seconds = xtf_seconds_of(table->scale, cell->number);
    return cell->negative ? -seconds : seconds;
}

guint xtf_value_table_find(const XtfValueTable *table, const char *column, const char *text)
{
    guint n = xtf_value_table_n(table);

    for (guint i = 0; i < n; i++) {
        if (g_str_equal(xtf_value_table_text(table, i, column), text))
            return i;
    }
    return G_MAXUINT;
}

void xtf_value_table_json_cells(const XtfValueTable *table, guint line, GString *out)
{
    const XtfRowCell *cells = xtf_rows_get(&table->rows, line);

    for (guint i = 0; i < table->columns->len; i++) {
        if (i)
            g_string_append_c(out, ',');
        xtf_json_add(out, table->columns->pdata[i]);
        g_string_append_c(out, ':');
        if (cells[i].type == XTF_ROW_NOTHING)
            g_string_append(out, "null");
        else if (cells[i].type == XTF_ROW_NUMBER)
            g_string_append(out, cells[i].text);
        else
            xtf_json_add(out, cells[i].text);
    }
}
