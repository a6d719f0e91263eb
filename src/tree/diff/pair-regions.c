#include "src/tree/diff/pair-regions.h"

#include <inttypes.h>
#include <string.h>

#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"

static bool read_text(XtfTrace *trace, const XtfField *field, const uint8_t *row, const char **text, GError **error)
{
    *text = "";
    return !field || field->type != XTF_TYPE_STRING ||
           xtf_trace_string(trace, (uint32_t)xtf_field_get(field, row), text, error);
}

bool xtf_region_texts_load(XtfRegionTexts *texts, XtfTrace *trace, GError **error)
{
    const XtfTable *table;

    *texts = (XtfRegionTexts){0};
    if (!xtf_trace_table(trace, XTF_TABLE_REGIONS, &table, error))
        return false;
    const XtfField *name = table ? xtf_schema_field(table->schema, "name") : NULL;
    if (!name)
        return true;
    const XtfField *file = xtf_schema_field(table->schema, "file"), *line = xtf_schema_field(table->schema, "line");
    texts->n = table->n_rows;
    texts->rows = g_malloc0_n(texts->n, sizeof *texts->rows);
    for (uint64_t i = 0; i < texts->n; i++) {
        const uint8_t *row = table->rows + i * table->schema->row_size;
        if (!read_text(trace, name, row, &texts->rows[i].name, error) ||
            !read_text(trace, file, row, &texts->rows[i].file, error))
            return false;
        texts->rows[i].line = xtf_field_get_or(line, row, 0);
    }
    return true;
}

void xtf_region_texts_finish(XtfRegionTexts *texts)
{
    g_clear_pointer(&texts->rows, g_free);
}

/* Fields that a region's key has: its name; its name and file; its name, file and line. */
typedef enum { BY_NAME, BY_FILE, BY_LINE } KeyFields;

/* Makes a region's key. Regions are the same if their keys are equal. The length keeps name and file apart. */
static char *make_key(const XtfRegionTexts *texts, uint64_t row, KeyFields fields)
{
    const char *name = texts->rows[row].name, *file = fields == BY_NAME ? "" : texts->rows[row].file;
    uint64_t line = fields == BY_LINE ? texts->rows[row].line : 0;

    return g_strdup_printf("%d:%zu:%" PRIu64 ":%s%s", fields, strlen(name), line, name, file);
}

static char *make_label(const XtfRegionTexts *texts, uint64_t row, KeyFields fields)
{
    const char *name = texts->rows[row].name, *file = texts->rows[row].file;

    if (fields == BY_NAME || !*file)
        return g_strdup(name);
    if (fields == BY_FILE)
        return g_strdup_printf("%s (%s)", name, file);
    return g_strdup_printf("%s (%s:%" PRIu64 ")", name, file, texts->rows[row].line);
}

/* Returns the set of keys that several regions of one trace share. The caller unrefs it. */
static GHashTable *find_ambiguous_keys(const XtfRegionTexts *texts, unsigned n, KeyFields fields)
{
    GHashTable *ambiguous = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

    for (unsigned side = 0; side < n; side++) {
        g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
        for (uint64_t row = 0; row < texts[side].n; row++) {
            char *key = make_key(&texts[side], row, fields);
            if (g_hash_table_contains(seen, key))
                g_hash_table_add(ambiguous, key);
            else
                g_hash_table_add(seen, key);
        }
    }
    return ambiguous;
}

void xtf_region_pairs_init(XtfRegionPairs *pairs, const XtfRegionTexts *texts, unsigned n)
{
    g_autoptr(GHashTable) names = find_ambiguous_keys(texts, n, BY_NAME);
    g_autoptr(GHashTable) files = find_ambiguous_keys(texts, n, BY_FILE);
    g_autoptr(GHashTable) numbers = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL); /* plus 1, by key */

    *pairs = (XtfRegionPairs){
        .labels = g_ptr_array_new_with_free_func(g_free), .n_traces = n, .numbers = g_new0(uint64_t *, n)};
    for (unsigned side = 0; side < n; side++) {
        pairs->numbers[side] = g_new(uint64_t, texts[side].n + 1);
        for (uint64_t row = 0; row < texts[side].n; row++) {
            KeyFields fields = BY_NAME;
            char *key = make_key(&texts[side], row, fields);
            while (fields < BY_LINE && g_hash_table_contains(fields == BY_NAME ? names : files, key)) {
                g_free(key);
                key = make_key(&texts[side], row, ++fields);
            }
            guint number = GPOINTER_TO_UINT(g_hash_table_lookup(numbers, key));
            if (!number) {
                g_ptr_array_add(pairs->labels, make_label(&texts[side], row, fields));
                number = pairs->labels->len;
            }
            pairs->numbers[side][row] = number - 1;
            g_hash_table_replace(numbers, key, GUINT_TO_POINTER(number));
        }
    }
}

void xtf_region_pairs_finish(XtfRegionPairs *pairs)
{
    g_clear_pointer(&pairs->labels, g_ptr_array_unref);
    for (unsigned side = 0; side < pairs->n_traces; side++)
        g_free(pairs->numbers[side]);
    g_clear_pointer(&pairs->numbers, g_free);
}
