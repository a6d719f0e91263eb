/*
 * The late rows of all ranks: how they travel, and how they become rows of the whole.
 */
#include <string.h>

#include "libxtf/references.h"
#include "src/import/share/share.h"

#define ROWS_TYPE "a(uuuayas)" /* location, table, number in the part, bytes, texts of its strings by field */

/* ---- In a rank. */

static bool add_texts(XtfTrace *part, const XtfSchema *schema, const uint8_t *row, GVariantBuilder *texts,
                      GError **error)
{
    g_autoptr(GArray) references = xtf_schema_references(schema);
    const char *text;

    for (guint i = 0; i < references->len; i++) {
        const XtfReference *reference = xtf_reference_at(references, i);
        if (reference->table || !xtf_reference_holds(reference, schema, row))
            continue;
        uint32_t id = (uint32_t)xtf_field_get(&schema->fields[reference->field], row);
        if (!xtf_trace_string(part, id, &text, error))
            return false;
        g_variant_builder_add(texts, "s", text);
    }
    return true;
}

static bool pack_row(const XtfDefinitions *definitions, XtfTrace *part, const XtfLateRow *added, GVariantBuilder *rows,
                     GError **error)
{
    const XtfSchema *schema = definitions->tables[added->table].schema;
    GVariantBuilder texts;
    const XtfTable *table;

    if (!xtf_trace_table(part, schema->name, &table, error))
        return false;
    if (!table || added->row >= table->n_rows)
        return xtf_fail(error, XTF_ERROR_IO, "the part has no row %u of table \"%s\"", added->row, schema->name);
    const uint8_t *row = table->rows + (size_t)added->row * schema->row_size;
    g_variant_builder_init(&texts, G_VARIANT_TYPE("as"));
    if (!add_texts(part, schema, row, &texts, error)) {
        g_variant_builder_clear(&texts);
        return false;
    }
    GVariant *bytes = g_variant_new_fixed_array(G_VARIANT_TYPE_BYTE, row, schema->row_size, 1);
    g_variant_builder_add(rows, "(uuu@ayas)", added->location, added->table, added->row, bytes, &texts);
    return true;
}

bool xtf_share_pack_rows(const XtfShare *share, const XtfDefinitions *definitions, XtfTrace *part,
                         GVariantBuilder *result, GError **error)
{
    GVariantBuilder rows;

    g_variant_builder_init(&rows, G_VARIANT_TYPE(ROWS_TYPE));
    for (guint i = 0; i < definitions->late_rows->len; i++) {
        if (!pack_row(definitions, part, &g_array_index(definitions->late_rows, XtfLateRow, i), &rows, error)) {
            g_variant_builder_clear(&rows);
            return false;
        }
    }
    g_variant_builder_add(result, "{sv}", "rows", g_variant_builder_end(&rows));
    return true;
}

/* ---- Combining. */

/* A late row of a rank. */
typedef struct {
    uint32_t location, order; /* rows of one location are in the order in which they were added */
    uint32_t rank, table, row;
    GVariant *bytes, *texts;
    uint32_t whole; /* row of the whole; XTF_NONE32: not known yet */
} Late;

typedef struct {
    const XtfShare *share;
    XtfDefinitions *definitions;
    GArray *rows;        /* Late, by rank, then in the order in which they were added */
    guint *firsts;       /* by rank, and behind the last: index of its first row */
    GHashTable *numbers; /* set of the Late in `rows`, by rank, table and row */
    GHashTable *known;   /* table and bytes of a row of the whole -> its number plus 1 */
} Combination;

static void clear_late_row(gpointer data)
{
    Late *row = data;

    g_variant_unref(row->bytes);
    g_variant_unref(row->texts);
}

static guint hash_late_row(gconstpointer key)
{
    const Late *row = key;
    return xtf_id_hash((uint64_t[]){(uint64_t)row->rank << 32 | row->table, row->row}, 2);
}

static gboolean equal_late_rows(gconstpointer a, gconstpointer b)
{
    const Late *x = a, *y = b;
    return x->rank == y->rank && x->table == y->table && x->row == y->row;
}

static int compare_order(gconstpointer a, gconstpointer b)
{
    const Late *x = *(Late *const *)a, *y = *(Late *const *)b;

    if (x->location != y->location)
        return x->location < y->location ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

static bool adopt_row(Combination *combination, Late *rank_row, unsigned depth, GError **error);

/* Sets a reference to the row of the whole. Rows that all ranks have keep their numbers. */
static bool map_number(Combination *combination, const Late *rank_row, const XtfReference *reference, uint8_t *row,
                       unsigned depth, GError **error)
{
    const XtfDefinitionTable *tables = combination->definitions->tables;
    const XtfField *field = &tables[rank_row->table].schema->fields[reference->field];
    const uint64_t number = xtf_field_get(field, row);

    for (unsigned tag = XTF_N_ARRAY_TYPES; tag < XTF_N_MODEL_SCHEMAS; tag++) {
        if (!g_str_equal(tables[tag].schema->name, reference->table) || number < combination->share->known[tag])
            continue;
        const Late key = {.rank = rank_row->rank, .table = tag, .row = (uint32_t)number};
        Late *target = g_hash_table_lookup(combination->numbers, &key);
        if (!target)
            continue; /* no rank has the row */
        if (!adopt_row(combination, target, depth + 1, error))
            return false;
        xtf_field_set(field, row, target->whole);
    }
    return true;
}

/* Replaces the references and strings of a rank's row by numbers and strings of the whole. */
static bool map_row(Combination *combination, const Late *rank_row, uint8_t *row, unsigned depth, GError **error)
{
    const XtfSchema *schema = combination->definitions->tables[rank_row->table].schema;
    g_autoptr(GArray) references = xtf_schema_references(schema);
    gsize n_texts = g_variant_n_children(rank_row->texts), used = 0;

    for (guint i = 0; i < references->len; i++) {
        const XtfReference *reference = xtf_reference_at(references, i);
        if (!xtf_reference_holds(reference, schema, row))
            continue;
        if (reference->table) {
            if (!map_number(combination, rank_row, reference, row, depth, error))
                return false;
            continue;
        }
        const char *text;
        if (used == n_texts)
            return xtf_fail(error, XTF_ERROR_IO, "rank %u sent a row without its strings", rank_row->rank);
        g_variant_get_child(rank_row->texts, used++, "&s", &text);
        xtf_field_set(&schema->fields[reference->field], row,
                      xtf_definitions_late_string(combination->definitions, text));
    }
    return true;
}

/* Finds the row of the whole that a rank's row is; adds it if it is the first. */
static bool adopt_row(Combination *combination, Late *rank_row, unsigned depth, GError **error)
{
    enum { DEPTH_MAX = 1000 }; /* greater than that of any chain of rows that an importer adds */
    const XtfSchema *schema = combination->definitions->tables[rank_row->table].schema;
    uint8_t row[XTF_ROW_MAX + sizeof rank_row->table];
    gsize length;

    if (rank_row->whole != XTF_NONE32)
        return true;
    const void *bytes = g_variant_get_fixed_array(rank_row->bytes, &length, 1);
    if (length != schema->row_size || depth > DEPTH_MAX)
        return xtf_fail(error, XTF_ERROR_IO, "rank %u sent a wrong row of table \"%s\"", rank_row->rank, schema->name);
    memcpy(row, bytes, length);
    if (!map_row(combination, rank_row, row, depth, error))
        return false;
    memcpy(row + length, &rank_row->table, sizeof rank_row->table);
    g_autoptr(GBytes) key = g_bytes_new(row, length + sizeof rank_row->table);
    gpointer known = g_hash_table_lookup(combination->known, key);
    if (known) {
        rank_row->whole = GPOINTER_TO_UINT(known) - 1;
        return true;
    }
    rank_row->whole = xtf_definitions_adopt(combination->definitions, rank_row->table, row);
    g_hash_table_insert(combination->known, g_steal_pointer(&key), GUINT_TO_POINTER(rank_row->whole + 1));
    return true;
}

/* Adds the rows of a rank's result. */
static bool unpack_rows(Combination *combination, uint32_t rank, GError **error)
{
    g_autoptr(GVariant) rows =
        g_variant_lookup_value(combination->share->results->pdata[rank], "rows", G_VARIANT_TYPE(ROWS_TYPE));
    gsize n = rows ? g_variant_n_children(rows) : 0;

    for (gsize i = 0; i < n; i++) {
        Late rank_row = {.rank = rank, .order = (uint32_t)i, .whole = XTF_NONE32};
        g_variant_get_child(rows, i, "(uuu@ay@as)", &rank_row.location, &rank_row.table, &rank_row.row, &rank_row.bytes,
                            &rank_row.texts);
        g_array_append_val(combination->rows, rank_row);
        if (rank_row.table < XTF_N_ARRAY_TYPES || rank_row.table >= XTF_N_MODEL_SCHEMAS)
            return xtf_fail(error, XTF_ERROR_IO, "rank %u sent a row of an unknown table", rank);
    }
    return rows || xtf_fail(error, XTF_ERROR_IO, "rank %u sent no rows", rank);
}

/* Finds or adds the rows of the whole for all late rows: first by location, as one process reads them. */
static bool adopt_rows(Combination *combination, GError **error)
{
    g_autoptr(GPtrArray) order = g_ptr_array_new();

    for (guint i = 0; i < combination->rows->len; i++) {
        Late *rank_row = &g_array_index(combination->rows, Late, i);
        g_hash_table_insert(combination->numbers, rank_row, rank_row);
        g_ptr_array_add(order, rank_row);
    }
    g_ptr_array_sort(order, compare_order);
    for (guint i = 0; i < order->len; i++)
        if (!adopt_row(combination, order->pdata[i], 0, error))
            return false;
    return true;
}

/* Returns the map of a rank's table; NULL if it has the rows that all ranks have, and no others. */
static GVariant *map_table(const Combination *combination, uint32_t rank, unsigned tag)
{
    uint32_t known = combination->share->known[tag];
    g_autoptr(GArray) map = g_array_new(FALSE, FALSE, sizeof(uint32_t));

    for (guint i = combination->firsts[rank]; i < combination->firsts[rank + 1]; i++) {
        const Late *rank_row = &g_array_index(combination->rows, Late, i);
        if (rank_row->table != tag)
            continue;
        for (uint32_t row = map->len; row < known; row++)
            g_array_append_val(map, row);
        if (rank_row->row >= map->len)
            g_array_set_size(map, rank_row->row + 1);
        g_array_index(map, uint32_t, rank_row->row) = rank_row->whole;
    }
    return map->len == 0 ? NULL
                         : g_variant_new_fixed_array(G_VARIANT_TYPE_UINT32, map->data, map->len, sizeof(uint32_t));
}

static GVariant *describe_parts(const Combination *combination)
{
    GVariantBuilder parts;

    g_variant_builder_init(&parts, XTF_SHARE_PARTS_TYPE);
    for (uint32_t rank = 0; rank < combination->share->results->len; rank++) {
        g_autoptr(GVariant) strings =
            g_variant_lookup_value(combination->share->results->pdata[rank], "strings", G_VARIANT_TYPE("au"));
        bool own_strings = strings && g_variant_n_children(strings) > 0;
        g_variant_builder_open(&parts, G_VARIANT_TYPE("(ba(sau))"));
        g_variant_builder_add(&parts, "b", own_strings);
        g_variant_builder_open(&parts, G_VARIANT_TYPE("a(sau)"));
        for (unsigned tag = XTF_N_ARRAY_TYPES; tag < XTF_N_MODEL_SCHEMAS; tag++) {
            GVariant *map = map_table(combination, rank, tag);
            if (map)
                g_variant_builder_add(&parts, "(s@au)", xtf_model_schema(tag)->name, map);
        }
        g_variant_builder_close(&parts);
        g_variant_builder_close(&parts);
    }
    return g_variant_ref_sink(g_variant_builder_end(&parts));
}

GVariant *xtf_share_combine_rows(const XtfShare *share, XtfDefinitions *definitions, GError **error)
{
    Combination combination = {
        .share = share,
        .definitions = definitions,
        .rows = g_array_new(FALSE, FALSE, sizeof(Late)),
        .firsts = g_new0(guint, share->results->len + 1),
        .numbers = g_hash_table_new(hash_late_row, equal_late_rows),
        .known = g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL),
    };
    bool good = true;

    g_array_set_clear_func(combination.rows, clear_late_row);
    for (uint32_t rank = 0; rank < share->results->len && good; rank++) {
        good = unpack_rows(&combination, rank, error);
        combination.firsts[rank + 1] = combination.rows->len;
    }
    GVariant *parts = good && adopt_rows(&combination, error) ? describe_parts(&combination) : NULL;
    g_hash_table_unref(combination.numbers);
    g_hash_table_unref(combination.known);
    g_array_unref(combination.rows);
    g_free(combination.firsts);
    return parts;
}
