#include "src/query/select/name-index.h"

#include <inttypes.h>
#include <string.h>

#include "libxtf/error.h"
#include "src/query/text/escape.h"

/* ---- Texts as names of directories. */

char *xtf_directory_name_escape(const char *text)
{
    g_autoptr(GString) name = g_string_new(NULL);

    for (const char *p = text; *p && name->len <= XTF_DIRECTORY_NAME_MAX; p++) {
        unsigned char c = (unsigned char)*p;
        if (!g_ascii_isgraph(c) || c == '/' || c == '\\' || (p == text && (c == '.' || c == '#'))) {
            g_string_append_printf(name, "\\x%02x", c);
        } else {
            g_string_append_c(name, *p);
        }
    }
    if (!name->len || name->len > XTF_DIRECTORY_NAME_MAX)
        return NULL;
    return g_string_free(g_steal_pointer(&name), FALSE);
}

char *xtf_directory_name_unescape(const char *name)
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

bool xtf_directory_name_is_usable(const char *name)
{
    if (!*name || strlen(name) > 200 || strchr(name, '/') || !xtf_text_is_plain(name))
        return false;
    return !g_str_equal(name, ".") && !g_str_equal(name, "..");
}

/* ---- Loading. */

void xtf_name_index_finish(XtfNameIndex *index)
{
    g_free((void *)index->texts);
    g_free(index->next);
    g_free(index->listed);
    if (index->rows)
        g_hash_table_unref(index->rows);
    memset(index, 0, sizeof *index);
}

static bool is_listable(const char *text)
{
    g_autofree char *name = xtf_directory_name_escape(text);
    return name != NULL;
}

/* No path has a longer name. So a row with one is found by its number alone, and nothing reads the name to its end:
 * many rows may refer to one long text. */
static bool is_short(const char *text)
{
    return strnlen(text, XTF_DIRECTORY_NAME_MAX + 1) <= XTF_DIRECTORY_NAME_MAX;
}

/* The multiplier is random, once a process, so that nobody can make a file whose names collide. */
static guint hash_name(gconstpointer name)
{
    static gsize multiplier;
    uint64_t hash = 0;

    if (g_once_init_enter(&multiplier))
        g_once_init_leave(&multiplier, (gsize)g_random_int() << 32 | g_random_int() | 1);
    for (const unsigned char *p = name; *p; p++)
        hash = (hash + *p + 1) * multiplier;
    return (guint)(hash >> 32);
}

/* Goes from the last row to the first, so that each chain of namesakes ascends and the table has its first row. */
static void link_namesakes(XtfNameIndex *index)
{
    for (uint64_t row = index->n_rows; row-- > 0;) {
        index->next[row] = row;
        if (!is_short(index->texts[row]))
            continue;
        const char **later = g_hash_table_lookup(index->rows, index->texts[row]);
        if (later)
            index->next[row] = (uint64_t)(later - index->texts);
        g_hash_table_replace(index->rows, (void *)index->texts[row], &index->texts[row]);
    }
}

static void choose_listed(XtfNameIndex *index)
{
    for (uint64_t row = 0; row < index->n_rows; row++) {
        const char *text = index->texts[row];
        if (!is_listable(text) || g_hash_table_lookup(index->rows, text) == &index->texts[row])
            index->listed[index->n_listed++] = row;
    }
}

bool xtf_table_names(XtfTrace *trace, const char *table_name, const char ***texts, uint64_t *n_rows, GError **error)
{
    const XtfTable *table;

    if (!xtf_trace_table(trace, table_name, &table, error))
        return false;
    const XtfField *field = table ? xtf_schema_field(table->schema, "name") : NULL;
    *texts = NULL;
    if (!field || field->type != XTF_TYPE_STRING)
        return true;
    if (table->n_rows > XTF_NAMES_MAX)
        return xtf_fail(error, XTF_ERROR_TOO_LARGE, "the table \"%s\" has %" PRIu64 " rows, more than %d", table_name,
                        table->n_rows, XTF_NAMES_MAX);
    g_autofree const char **loaded = g_new(const char *, table->n_rows + 1);
    for (uint64_t i = 0; i < table->n_rows; i++) {
        const uint8_t *row = table->rows + i * table->schema->row_size;
        if (!xtf_trace_string(trace, (uint32_t)xtf_field_get(field, row), &loaded[i], error))
            return false;
    }
    *texts = g_steal_pointer(&loaded);
    *n_rows = table->n_rows;
    return true;
}

bool xtf_name_index_load(XtfNameIndex *index, XtfTrace *trace, const char *table, const char *what, GError **error)
{
    *index = (XtfNameIndex){.what = what};
    if (!xtf_table_names(trace, table, &index->texts, &index->n_rows, error))
        return false;
    if (!index->texts)
        return true;
    index->next = g_new(uint64_t, index->n_rows + 1);
    index->listed = g_new(uint64_t, index->n_rows + 1);
    index->rows = g_hash_table_new(hash_name, g_str_equal);
    link_namesakes(index);
    choose_listed(index);
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

static XtfNumberSet *find_row(const XtfNameIndex *index, uint64_t row, GError **error)
{
    if (row < index->n_rows)
        return xtf_number_set_from_numbers(&row, 1);
    xtf_fail(error, XTF_ERROR_NOT_FOUND, "there is no %s #%" PRIu64 "; there are %" PRIu64, index->what, row,
             index->n_rows);
    return NULL;
}

XtfNumberSet *xtf_name_index_lookup(const XtfNameIndex *index, const char *name, GError **error)
{
    g_autofree char *text = xtf_directory_name_unescape(name);
    g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    uint64_t row;

    if (parse_row(name, &row))
        return find_row(index, row, error);
    if (!text) {
        xtf_fail(error, XTF_ERROR_NOT_FOUND, "a backslash begins \\xNN, and stands for itself as \\x5c");
        return NULL;
    }
    const char **slot = index->rows ? g_hash_table_lookup(index->rows, text) : NULL;
    if (!slot) {
        xtf_fail(error, XTF_ERROR_NOT_FOUND, "the trace has no %s of this name", index->what);
        return NULL;
    }
    row = (uint64_t)(slot - index->texts);
    g_array_append_val(rows, row);
    for (; index->next[row] != row; row = index->next[row])
        g_array_append_val(rows, index->next[row]);
    return xtf_number_set_from_numbers((const uint64_t *)(void *)rows->data, rows->len);
}

char *xtf_name_index_print(const XtfNameIndex *index, uint64_t i)
{
    uint64_t row = index->listed[i];
    char *name = xtf_directory_name_escape(index->texts[row]);
    return name ? name : g_strdup_printf("#%" PRIu64, row);
}
