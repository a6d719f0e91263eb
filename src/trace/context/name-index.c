#include "src/trace/context/name-index.h"

#include <inttypes.h>
#include <string.h>

#include "libxtf/error.h"
#include "libxtf/trace.h"
#include "src/trace/context/name-pattern.h"
#include "src/trace/text/escape.h"

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
    XtfNamePattern *pattern = xtf_name_pattern_new(name);
    char *text = pattern ? g_strdup(xtf_name_pattern_text(pattern)) : NULL;

    xtf_name_pattern_free(pattern);
    return text;
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
    if (index->long_rows)
        g_hash_table_unref(index->long_rows);
    memset(index, 0, sizeof *index);
}

static bool is_listable(const char *text)
{
    g_autofree char *name = xtf_directory_name_escape(text);
    return name != NULL;
}

/* True if a path may have the text as a name. A row with a longer text is found by its number or by a pattern. Loading
 * does not read long texts to their ends, since many rows may refer to one of them. */
static bool is_short(const char *text)
{
    return strnlen(text, XTF_DIRECTORY_NAME_MAX + 1) <= XTF_DIRECTORY_NAME_MAX;
}

/* Computes a hash with a random multiplier, drawn once per process, so that no file can be made whose names collide. */
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

/* Links the rows of each name, from the last row to the first. So each chain ascends, and the hash tables have its
 * first row. Long names count as equal only if they are the same text of the trace. */
static void link_namesakes(XtfNameIndex *index)
{
    for (uint64_t row = index->n_rows; row-- > 0;) {
        GHashTable *table = is_short(index->texts[row]) ? index->rows : index->long_rows;
        const char **later = g_hash_table_lookup(table, index->texts[row]);
        index->next[row] = later ? (uint64_t)(later - index->texts) : row;
        g_hash_table_replace(table, (void *)index->texts[row], &index->texts[row]);
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

void xtf_name_index_init(XtfNameIndex *index, const char *noun, const char **texts, uint64_t n_rows)
{
    *index = (XtfNameIndex){.noun = noun, .texts = texts, .n_rows = n_rows, .n_numbered = n_rows};
    if (!index->texts)
        return;
    index->next = g_new(uint64_t, n_rows + 1);
    index->listed = g_new(uint64_t, n_rows + 1);
    index->rows = g_hash_table_new(hash_name, g_str_equal);
    index->long_rows = g_hash_table_new(g_direct_hash, g_direct_equal);
    link_namesakes(index);
    choose_listed(index);
}

void xtf_name_index_number(XtfNameIndex *index, uint64_t n)
{
    uint64_t kept = 0;

    index->n_numbered = n;
    for (uint64_t i = 0; i < index->n_listed; i++) {
        if (index->listed[i] < n || is_listable(index->texts[index->listed[i]]))
            index->listed[kept++] = index->listed[i];
    }
    index->n_listed = kept;
}

bool xtf_name_index_load(XtfNameIndex *index, XtfTrace *trace, const char *table, const char *noun, GError **error)
{
    const char **texts;
    uint64_t n_rows = 0;

    if (!xtf_table_names(trace, table, &texts, &n_rows, error))
        return false;
    xtf_name_index_init(index, noun, texts, n_rows);
    return true;
}

/* ---- Looking up. */

/* Parses "#ROW"; false if the name is not of this form. */
static bool parse_row(const char *name, uint64_t *row)
{
    size_t n = *name == '#' ? strspn(name + 1, "0123456789") : 0;

    return n && !name[1 + n] && g_ascii_string_to_unsigned(name + 1, 10, 0, UINT64_MAX, row, NULL);
}

typedef struct {
    const XtfNameIndex *index;
    bool *chosen; /* by row: true if the part of the list read so far names it */
} List;

/* Adds all rows of a chain of namesakes, from its first row. */
static void add_namesakes(List *list, const char **slot)
{
    const XtfNameIndex *index = list->index;
    uint64_t row = (uint64_t)(slot - index->texts);

    for (list->chosen[row] = true; index->next[row] != row; list->chosen[row] = true)
        row = index->next[row];
}

/* Adds the rows of a name; false if there is none. */
static bool add_name_rows(List *list, const char *text)
{
    const char **slot = list->index->rows ? g_hash_table_lookup(list->index->rows, text) : NULL;

    if (slot)
        add_namesakes(list, slot);
    return slot;
}

/* Adds the rows of all names of a table that match a pattern; false if no name does. A row without a name does not. */
static bool add_matching_names(List *list, GHashTable *table, const XtfNamePattern *pattern)
{
    GHashTableIter names;
    void *name, *slot;
    bool any = false;

    if (!table)
        return false;
    g_hash_table_iter_init(&names, table);
    while (g_hash_table_iter_next(&names, &name, &slot)) {
        if (!*(const char *)name || !xtf_name_pattern_fits(pattern, name))
            continue;
        add_namesakes(list, slot);
        any = true;
    }
    return any;
}

/* Adds the rows of all names, short and long, that match a pattern; false if no name does. */
static bool add_matching_rows(List *list, const XtfNamePattern *pattern)
{
    bool any_short = add_matching_names(list, list->index->rows, pattern);
    return add_matching_names(list, list->index->long_rows, pattern) || any_short;
}

static bool add_numbered_row(List *list, uint64_t row, GError **error)
{
    const XtfNameIndex *index = list->index;

    if (row >= index->n_numbered)
        return xtf_fail(error, XTF_ERROR_NOT_FOUND,
                        "there is no %s #%" PRIu64 ": the table has %" PRIu64 " rows, numbered from 0", index->noun,
                        row, index->n_numbered);
    list->chosen[row] = true;
    return true;
}

/* Adds the rows of a part of the list that is a pattern; fails if it matches no name. */
static bool add_pattern_rows(List *list, const char *part, GError **error)
{
    const char *noun = list->index->noun;
    XtfNamePattern *pattern = xtf_name_pattern_new(part);
    bool good;

    if (!*part)
        good = xtf_fail(error, XTF_ERROR_NOT_FOUND, "the list has an empty name; write a comma in a name as \\x2c");
    else if (!pattern)
        good = xtf_fail(error, XTF_ERROR_NOT_FOUND, "a backslash must begin \\xNN; write \\x5c for a backslash itself");
    else if (!xtf_name_pattern_is_open(pattern))
        good = xtf_fail(error, XTF_ERROR_NOT_FOUND, "the trace has no %s \"%s\"", noun, part);
    else
        good = add_matching_rows(list, pattern) ||
               xtf_fail(error, XTF_ERROR_NOT_FOUND, "no %s of the trace matches \"%s\"", noun, part);
    xtf_name_pattern_free(pattern);
    return good;
}

/* Adds the rows of the longest existing name at the beginning of a list, up to a comma or to the list's end. Returns
 * the name's end; NULL if no name fits. */
static const char *add_longest_name(List *list, const char *text)
{
    for (size_t length = strlen(text); length > 0; length--) {
        if (text[length] && text[length] != ',')
            continue;
        g_autofree char *part = g_strndup(text, length);
        g_autofree char *name = xtf_directory_name_unescape(part);
        if (name && add_name_rows(list, name))
            return text + length;
    }
    return NULL;
}

static bool add_list(List *list, const char *text, GError **error)
{
    for (;; text++) {
        const char *comma = strchrnul(text, ',');
        g_autofree char *part = g_strndup(text, (size_t)(comma - text));
        uint64_t row;
        if (parse_row(part, &row)) {
            if (!add_numbered_row(list, row, error))
                return false;
            text = comma;
        } else {
            const char *end = add_longest_name(list, text);
            if (!end && !add_pattern_rows(list, part, error))
                return false;
            text = end ? end : comma;
        }
        if (!*text)
            return true;
    }
}

XtfNumberSet *xtf_name_index_lookup(const XtfNameIndex *index, const char *name, GError **error)
{
    g_autofree bool *chosen = g_new0(bool, index->n_rows + 1);
    List list = {index, chosen};

    return add_list(&list, name, error) ? xtf_number_set_from_flags(chosen, index->n_rows) : NULL;
}

char *xtf_name_index_print(const XtfNameIndex *index, uint64_t i)
{
    uint64_t row = index->listed[i];
    char *name = xtf_directory_name_escape(index->texts[row]);
    return name ? name : g_strdup_printf("#%" PRIu64, row);
}
