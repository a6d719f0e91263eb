#include "libxtf/tree/row-maps.h"

#include "libxtf/references.h"

/* A table's map as an item stores it. Segments may share it. */
typedef struct {
    uint32_t *rows;
    uint32_t n, greatest, checksum;
    bool compared, repeats; /* `repeats`: a row number occurs twice; valid if `compared` */
} LoadedMap;

struct XtfRowMaps {
    GHashTable *loaded; /* offset of an item -> LoadedMap */
    GHashTable *made;   /* segment << 32 | schema -> XtfRowMap */
};

static void free_loaded(gpointer data)
{
    LoadedMap *map = data;
    g_free(map->rows);
    g_free(map);
}

void xtf_row_maps_free(XtfRowMaps *maps)
{
    if (!maps)
        return;
    g_hash_table_unref(maps->loaded);
    g_hash_table_unref(maps->made);
    g_free(maps);
}

static XtfRowMaps *new_maps(void)
{
    XtfRowMaps *maps = g_new0(XtfRowMaps, 1);

    maps->loaded = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, free_loaded);
    maps->made = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    return maps;
}

/* True if no two numbers are equal. All are at most `greatest`. */
static bool all_different(const uint32_t *numbers, uint32_t n, uint32_t greatest)
{
    g_autofree uint8_t *seen = g_malloc0((size_t)greatest / 8 + 1);

    for (uint32_t i = 0; i < n; i++) {
        uint8_t bit = (uint8_t)(1u << numbers[i] % 8);
        if (seen[numbers[i] / 8] & bit)
            return false;
        seen[numbers[i] / 8] |= bit;
    }
    return true;
}

static LoadedMap *read_map(XtfTrace *trace, XtfRef ref, GError **error)
{
    g_autoptr(XtfBlock) item = ref.length > 0 ? xtf_item_get(trace, ref, error) : NULL;

    if (!item && ref.length > 0)
        return NULL;
    LoadedMap *map = g_new0(LoadedMap, 1);
    map->checksum = ref.checksum;
    map->n = ref.length / (uint32_t)sizeof(XtfLe32);
    map->rows = g_new(uint32_t, map->n);
    for (uint32_t i = 0; i < map->n; i++) {
        map->rows[i] = xtf_load32(item->data + i * sizeof(XtfLe32));
        map->greatest = MAX(map->greatest, map->rows[i]);
    }
    return map;
}

/* Returns what is wrong with a map to the rows of a table with n_all rows; NULL if nothing is. The same map may fit one
 * table and exceed another. */
static const char *map_fault(LoadedMap *map, uint64_t n_all)
{
    if (map->n > 0 && map->greatest >= n_all)
        return "it refers to a row that does not exist";
    if (!map->compared)
        map->repeats = !all_different(map->rows, map->n, map->greatest);
    map->compared = true;
    return map->repeats ? "it refers to a row twice" : NULL;
}

/* Loads the map in an item, for a table with n_all rows. */
static const LoadedMap *load_map(XtfTrace *trace, XtfRef ref, uint64_t n_all, GError **error)
{
    LoadedMap *map = g_hash_table_lookup(trace->row_maps->loaded, &ref.offset);

    if (!map) {
        map = read_map(trace, ref, error);
        if (!map)
            return NULL;
        g_hash_table_insert(trace->row_maps->loaded, g_memdup2(&ref.offset, sizeof ref.offset), map);
    }
    const char *fault = map->n != ref.length / sizeof(XtfLe32) || map->checksum != ref.checksum
                            ? "a map of a different length or checksum has the same offset"
                            : map_fault(map, n_all);
    if (!fault)
        return map;
    xtf_damaged(error, "segment map (byte %" PRIu64 "): %s", ref.offset, fault);
    return NULL;
}

static uint64_t rows_of_table(const XtfCatalog *catalog, uint32_t schema)
{
    for (uint32_t i = 0; i < catalog->n_tables; i++)
        if (catalog->tables[i].schema == schema)
            return catalog->tables[i].n_rows;
    return 0;
}

static bool is_schema(const XtfCatalog *catalog, uint32_t schema, const char *name)
{
    return schema < catalog->n_schemas && g_str_equal(catalog->schemas[schema]->name, name);
}

/* Finds the map of the row numbers or string ids that a reference holds. *changes is false if they are the same in
 * segment and file. */
static bool map_reference(XtfTrace *trace, const XtfSegmentMap *segment, const XtfReference *reference,
                          XtfNumberMap *numbers, bool *changes, GError **error)
{
    *numbers = (XtfNumberMap){.strings = true, .base = segment->strings, .n = segment->strings_length};
    *changes = segment->strings > 0;
    if (!reference->table)
        return true;
    *changes = false;
    for (uint32_t t = 0; t < segment->n_tables; t++) {
        uint32_t schema = segment->tables[t].schema;
        if (!is_schema(&trace->catalog, schema, reference->table))
            continue;
        uint64_t n_all = rows_of_table(&trace->catalog, schema);
        const LoadedMap *map = load_map(trace, segment->tables[t].rows, n_all, error);
        if (!map)
            return false;
        *numbers = (XtfNumberMap){.rows = map->rows, .n = map->n, .n_all = n_all};
        *changes = true;
    }
    return true;
}

static XtfRowMap *make_map(const XtfArray *array, GError **error)
{
    XtfTrace *trace = array->trace;
    const XtfSegmentMap *segment = &trace->catalog.segment_maps[array->segment];
    g_autoptr(GArray) references = xtf_schema_references(array->schema);
    g_autofree XtfRowMap *map = g_malloc0(sizeof *map + references->len * sizeof map->fields[0]);

    map->schema = array->schema;
    for (guint i = 0; i < references->len; i++) {
        const XtfReference *reference = xtf_reference_at(references, i);
        XtfFieldMap *field = &map->fields[map->n];
        bool changes;
        *field = (XtfFieldMap){reference->field, reference->chooser, reference->choice, {0}};
        if (!map_reference(trace, segment, reference, &field->numbers, &changes, error))
            return NULL;
        map->n += changes;
    }
    return g_steal_pointer(&map);
}

bool xtf_row_maps_find(const XtfArray *array, const XtfRowMap **map, GError **error)
{
    XtfTrace *trace = array->trace;
    uint64_t key = (uint64_t)array->segment << 32 | array->schema->id;
    g_autoptr(GMutexLocker) locked G_GNUC_UNUSED = g_mutex_locker_new(&trace->lock);

    if (!trace->row_maps)
        trace->row_maps = new_maps();
    XtfRowMap *found = g_hash_table_lookup(trace->row_maps->made, &key);
    if (!found) {
        found = make_map(array, error);
        if (!found)
            return false;
        g_hash_table_insert(trace->row_maps->made, g_memdup2(&key, sizeof key), found);
    }
    *map = found->n > 0 ? found : NULL;
    return true;
}

bool xtf_row_maps_check(XtfTrace *trace, const XtfTableMap *map, GError **error)
{
    g_autoptr(GMutexLocker) locked G_GNUC_UNUSED = g_mutex_locker_new(&trace->lock);

    if (!trace->row_maps)
        trace->row_maps = new_maps();
    return load_map(trace, map->rows, rows_of_table(&trace->catalog, map->schema), error);
}
