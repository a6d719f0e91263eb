#include "src/query/select/name-index.h"

#include <string.h>

#include "libxtf/error.h"

/* ---- Texts as names of directories. */

static const char hex[] = "0123456789abcdef";

char *xtf_name_escape(const char *text)
{
    g_autoptr(GString) name = g_string_new(NULL);

    for (const char *p = text; *p && name->len <= XTF_DIRECTORY_NAME_MAX; p++) {
        unsigned char c = (unsigned char)*p;
        if (!g_ascii_isgraph(c) || c == '/' || c == '\\' || (p == text && (c == '.' || c == '#'))) {
            char escape[4] = {'\\', 'x', hex[c >> 4], hex[c & 15]};
            g_string_append_len(name, escape, sizeof escape);
        } else {
            g_string_append_c(name, *p);
        }
    }
    if (!name->len || name->len > XTF_DIRECTORY_NAME_MAX)
        return NULL;
    return g_string_free(g_steal_pointer(&name), FALSE);
}

char *xtf_name_unescape(const char *name)
{
    g_autoptr(GString) text = g_string_new(NULL);

    for (const char *p = name; *p; p++) {
        if (*p != '\\') {
            g_string_append_c(text, *p);
            continue;
        }
        if (p[1] != 'x' || !g_ascii_isxdigit(p[2]) || !g_ascii_isxdigit(p[3]))
            return NULL;
        char c = (char)(g_ascii_xdigit_value(p[2]) << 4 | g_ascii_xdigit_value(p[3]));
        if (!c)
            return NULL;
        g_string_append_c(text, c);
        p += 3;
    }
    return g_string_free(g_steal_pointer(&text), FALSE);
}

/* ---- Loading. */

void xtf_name_index_finish(XtfNameIndex *named)
{
    g_free((void *)named->texts);
    g_free(named->next);
    g_free(named->listed);
    if (named->rows)
        g_hash_table_unref(named->rows);
    memset(named, 0, sizeof *named);
}

static bool is_listable(const char *text)
{
    g_autofree char *name = xtf_name_escape(text);
    return name != NULL;
}

/* The rows from the last to the first, so that each chain of namesakes ascends, and the table knows where it begins. */
static void link_namesakes(XtfNameIndex *named)
{
    for (uint64_t row = named->n_rows; row-- > 0;) {
        const char **later = g_hash_table_lookup(named->rows, named->texts[row]);
        named->next[row] = later ? (uint64_t)(later - named->texts) : row;
        g_hash_table_replace(named->rows, (void *)named->texts[row], &named->texts[row]);
    }
}

static void choose_listed(XtfNameIndex *named)
{
    for (uint64_t row = 0; row < named->n_rows; row++) {
        bool first = g_hash_table_lookup(named->rows, named->texts[row]) == &named->texts[row];
        if (!is_listable(named->texts[row]) || first)
            named->listed[named->n_listed++] = row;
    }
}

bool xtf_name_index_load(XtfNameIndex *named, XtfTrace *trace, const char *table_name, const char *what, GError **error)
{
    const XtfTable *table;

    if (!xtf_trace_table(trace, table_name, &table, error))
        return false;
    const XtfField *field = table ? xtf_schema_field(table->schema, "name") : NULL;
    memset(named, 0, sizeof *named);
    named->what = what;
    if (!field || field->type != XTF_TYPE_STRING)
        return true;
    named->texts = g_new(const char *, table->n_rows + 1);
    for (uint64_t row = 0; row < table->n_rows; row++) {
        const uint8_t *bytes = table->rows + row * table->schema->row_size;
        if (!xtf_trace_string(trace, (uint32_t)xtf_field_get(field, bytes), &named->texts[row], error)) {
            xtf_name_index_finish(named);
            return false;
        }
    }
    named->n_rows = table->n_rows;
    named->next = g_new(uint64_t, named->n_rows + 1);
    named->listed = g_new(uint64_t, named->n_rows + 1);
    named->rows = g_hash_table_new(g_str_hash, g_str_equal);
    link_namesakes(named);
    choose_listed(named);
    return true;
}

/* ---- Looking up. */

/* "#ROW" */
static bool parse_row(const char *name, uint64_t *row)
{
    const char *digits = name + 1;
    size_t n = strspn(digits, "0123456789");

    return *name == '#' && n && !digits[n] && g_ascii_string_to_unsigned(digits, 10, 0, UINT64_MAX, row, NULL);
}

static XtfNumberSet *find_row(const XtfNameIndex *named, uint64_t row, GError **error)
{
    if (row < named->n_rows)
        return xtf_number_set_from_numbers(&row, 1);
    g_set_error(error, XTF_ERROR, XTF_ERROR_NOT_FOUND,
                "there is no %s #%" G_GUINT64_FORMAT "; there are %" G_GUINT64_FORMAT, named->what, row, named->n_rows);
    return NULL;
}

XtfNumberSet *xtf_name_index_lookup(const XtfNameIndex *named, const char *name, GError **error)
{
    g_autofree char *text = xtf_name_unescape(name);
    g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    uint64_t row;

    if (parse_row(name, &row))
        return find_row(named, row, error);
    if (!text) {
        g_set_error(error, XTF_ERROR, XTF_ERROR_NOT_FOUND, "a backslash begins \\xNN, and stands for itself as \\x5c");
        return NULL;
    }
    const char **slot = named->rows ? g_hash_table_lookup(named->rows, text) : NULL;
    if (!slot) {
        g_set_error(error, XTF_ERROR, XTF_ERROR_NOT_FOUND, "the trace has no %s of this name", named->what);
        return NULL;
    }
    row = (uint64_t)(slot - named->texts);
    g_array_append_val(rows, row);
    for (; named->next[row] != row; row = named->next[row])
        g_array_append_val(rows, named->next[row]);
    return xtf_number_set_from_numbers((const uint64_t *)(void *)rows->data, rows->len);
}

char *xtf_name_index_print(const XtfNameIndex *named, uint64_t i)
{
    uint64_t row = named->listed[i];
    char *name = xtf_name_escape(named->texts[row]);
    return name ? name : g_strdup_printf("#%" G_GUINT64_FORMAT, row);
}
