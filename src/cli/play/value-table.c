#include "src/cli/play/table.h"

#include <string.h>

#include "libxtf/error.h"

char *xtf_read_file(XtfTree *tree, const char *path, GError **error)
{
    g_autoptr(XtfNode) node = xtf_tree_resolve(tree, path, error);

    if (!node)
        return NULL;
    if (xtf_node_kind(node) != XTF_NODE_FILE) {
        xtf_fail(error, XTF_ERROR_NOT_FOUND, "%s: is no file", path);
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

/* Cuts a line at its blanks, into `most` cells at most: the last one has the rest of the line. */
static void cut(char *line, guint most, GPtrArray *cells)
{
    guint n = 0;

    g_strchomp(line);
    for (char *rest = line + strspn(line, " "); *rest && n < most; rest += strspn(rest, " ")) {
        g_ptr_array_add(cells, rest);
        if (++n == most)
            break;
        rest += strcspn(rest, " ");
        if (*rest)
            *rest++ = '\0';
    }
    while (most != G_MAXUINT && n++ < most)
        g_ptr_array_add(cells, (char *)"-");
}

XtfTextTable *xtf_text_table_read(XtfTree *tree, GError **error, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    g_autofree char *path = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    char *text = xtf_read_file(tree, path, error);
    if (!text)
        return NULL;
    XtfTextTable *table = g_new0(XtfTextTable, 1);
    *table = (XtfTextTable){.text = text, .columns = g_ptr_array_new(), .cells = g_ptr_array_new()};
    for (char *line = text, *next; line && *line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        if (line == text && *line == '#')
            cut(line + 1, G_MAXUINT, table->columns);
        else
            cut(line, table->columns->len ? table->columns->len : 2, table->cells);
    }
    return table;
}

void xtf_text_table_free(XtfTextTable *table)
{
    if (!table)
        return;
    g_free(table->text);
    g_ptr_array_unref(table->columns);
    g_ptr_array_unref(table->cells);
    g_free(table);
}

guint xtf_text_table_n(const XtfTextTable *table)
{
    return table->cells->len / (table->columns->len ? table->columns->len : 2);
}

const char *xtf_text_table_text(const XtfTextTable *table, guint line, const char *column)
{
    for (guint i = 0; i < table->columns->len; i++) {
        if (g_str_equal(table->columns->pdata[i], column))
            return table->cells->pdata[line * table->columns->len + i];
    }
    return "-";
}

double xtf_text_table_number(const XtfTextTable *table, guint line, const char *column)
{
    return g_ascii_strtod(xtf_text_table_text(table, line, column), NULL);
}

const char *xtf_text_table_value(const XtfTextTable *table, const char *name)
{
    for (guint i = 0; !table->columns->len && i + 1 < table->cells->len; i += 2) {
        if (g_str_equal(table->cells->pdata[i], name))
            return table->cells->pdata[i + 1];
    }
    return NULL;
}
