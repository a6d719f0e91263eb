/*
 * Updates numbers after joining tables: the segment maps, and the limits of fields that hold row numbers.
 */
#include "libxtf/disk/strings.h"
#include "libxtf/merge/merge-private.h"
#include "libxtf/references.h"
#include "libxtf/schema/row-map.h"
#include "libxtf/schema/value-limits.h"

/* True if arrays (not tables) have rows of a schema. */
static bool has_rows(const XtfTrace *trace, const XtfSchema *schema)
{
    return schema->kind != XTF_SCHEMA_TABLE && xtf_trace_n_rows(trace, schema->id) > 0;
}

/* Marks the tables that rows of the part's arrays refer to, by id in the whole. Sets part->has_strings if they hold
 * strings. */
static uint8_t *find_used_tables(const XtfMerge *merge, const XtfTrace *trace, XtfPart *part)
{
    uint8_t *used = g_malloc0(merge->join->schemas->len);

    for (uint32_t i = 0; i < xtf_trace_n_schemas(trace); i++) {
        const XtfSchema *schema = xtf_trace_schema(trace, i);
        g_autoptr(GArray) references = xtf_schema_references(schema);
        for (guint r = 0; has_rows(trace, schema) && r < references->len; r++) {
            const XtfReference *reference = xtf_reference_at(references, r);
            const XtfJoinedTable *table = reference->table ? xtf_join_find_table(merge->join, reference->table) : NULL;
            part->has_strings |= !reference->table;
            if (table)
                used[table->schema->id] = 1;
        }
    }
    return used;
}

/* ---- Segment maps. */

/* Returns the map that a merged part has for a table of one of its segments; NULL: the segment uses the part's numbers.
 */
static const XtfTableMap *own_map(const XtfTrace *trace, uint32_t segment, uint32_t schema)
{
    const XtfSegmentMap *map = trace->catalog.segment_maps ? &trace->catalog.segment_maps[segment] : NULL;

    for (uint32_t i = 0; map && i < map->n_tables; i++)
        if (map->tables[i].schema == schema)
            return &map->tables[i];
    return NULL;
}

/* Returns the part's id of a schema of the whole; UINT32_MAX if it has none. */
static uint32_t own_schema(const XtfPartMap *map, uint32_t whole)
{
    for (uint32_t i = 0; i < map->n_schemas; i++)
        if (map->schemas[i] == whole)
            return i;
    return UINT32_MAX;
}

static bool add_map(XtfTrace *trace, uint32_t number, XtfPartSegment *segment, const XtfPartMap *map, uint32_t table,
                    GError **error)
{
    const XtfTableMap *own = own_map(trace, number, own_schema(map, table));
    const uint32_t *rows = table < map->n_whole ? map->rows[table] : NULL;
    uint32_t n = rows ? map->n_rows[table] : 0;
    XtfNumbersMap added = {.table = table, .n = own ? own->rows.length / (uint32_t)sizeof(XtfLe32) : n};
    g_autoptr(XtfBlock) item = own && own->rows.length > 0 ? xtf_item_get(trace, own->rows, error) : NULL;

    if (own && own->rows.length > 0 && !item)
        return false;
    added.rows = g_new(uint32_t, added.n);
    for (uint32_t i = 0; i < added.n; i++) {
        uint32_t row = own ? xtf_load32(item->data + i * sizeof(XtfLe32)) : i;
        if (row >= n) {
            g_free(added.rows);
            return xtf_damaged(error,
                               "segment map at byte %" PRIu64 " of the file: it refers to a row that does not exist",
                               own->rows.offset);
        }
        added.rows[i] = rows[row];
    }
    g_array_append_val(segment->maps, added);
    return true;
}

static bool add_maps(const XtfMerge *merge, XtfTrace *trace, XtfPart *part, const XtfPartMap *map, GError **error)
{
    g_autofree uint8_t *used = find_used_tables(merge, trace, part);

    if (merge->shared && !merge->shared[merge->parts->len].own_strings)
        part->has_strings = false; /* they have the same ids in the whole */
    for (guint i = 0; i < part->segments->len; i++) {
        XtfPartSegment *segment = &g_array_index(part->segments, XtfPartSegment, i);
        const XtfSegmentMap *own = trace->catalog.segment_maps ? &trace->catalog.segment_maps[i] : NULL;
        bool shifted = own && own->strings > 0;
        segment->strings = shifted ? own->strings : 0;
        segment->strings_length = shifted ? own->strings_length : trace->catalog.strings.bytes;
        segment->maps = g_array_new(FALSE, FALSE, sizeof(XtfNumbersMap));
        for (uint32_t table = 0; table < merge->join->schemas->len; table++)
            if (used[table] && !add_map(trace, i, segment, map, table, error))
                return false;
    }
    return true;
}

/* ---- Limits. */

/* Maps the limits of a reference's row numbers to the whole. Numbers without a row are mapped at the end, when the
 * number of rows of the whole is known. */
static XtfLimits map_rows(XtfMerge *merge, uint32_t schema, const XtfReference *reference, const XtfJoinedTable *table,
                          const XtfPartMap *map, const XtfLimits *limits)
{
    uint32_t id = table->schema->id;
    uint64_t n = id < map->n_whole && map->rows[id] ? map->n_rows[id] : 0;
    XtfLimits mapped = xtf_limits_empty();

    mapped.has_none = limits->has_none;
    for (uint64_t row = limits->min; row < n && row <= limits->max; row++) {
        const XtfLimits one = {.min = map->rows[id][row], .max = map->rows[id][row]};
        mapped = xtf_limits_join(XTF_TYPE_U64, &mapped, &one);
    }
    if (limits->max >= n) {
        XtfDeferredLimits deferred = {schema, reference->field, id, n, {MAX(limits->min, n), limits->max, false}};
        g_array_append_val(merge->deferred_limits, deferred);
    }
    return mapped;
}

/* Returns the limits of a reference's numbers in the whole. */
static XtfLimits map_limits(XtfMerge *merge, const XtfSchema *schema, const XtfReference *reference,
                            const XtfPartMap *map, const XtfLimits *limits)
{
    const XtfJoinedTable *table = reference->table ? xtf_join_find_table(merge->join, reference->table) : NULL;
    XtfType type = schema->fields[reference->field].type;

    if (xtf_limits_are_empty(limits) || (reference->table && !table))
        return *limits;
    if (reference->chooser < 0 && type != XTF_TYPE_I32 && type != XTF_TYPE_I64)
        return map_rows(merge, map->schemas[schema->id], reference, table, map, limits);
    /* Another field selects the meaning of the numbers, so the limits are widened to all row numbers. */
    const XtfLimits any = {.min = 0, .max = UINT32_MAX};
    return xtf_limits_join(type, limits, &any);
}

/* Widens the limits of references to a sorted table to all its rows. */
static void widen_for_order(const XtfMerge *merge)
{
    for (guint id = 0; id < merge->join->schemas->len; id++) {
        const XtfSchema *schema = merge->join->schemas->pdata[id];
        g_autoptr(GArray) references = xtf_schema_references(schema);
        XtfLimits *limits = merge->limits->pdata[id];
        for (guint i = 0; schema->kind != XTF_SCHEMA_TABLE && i < references->len; i++) {
            const XtfReference *reference = xtf_reference_at(references, i);
            const XtfJoinedTable *table = reference->table ? xtf_join_find_table(merge->join, reference->table) : NULL;
            XtfLimits *known = &limits[reference->field];
            if (!table || !table->order || xtf_limits_are_empty(known))
                continue;
            const XtfLimits rows = {.min = 0, .max = table->n_rows > 0 ? table->n_rows - 1 : 0};
            *known = xtf_limits_join(schema->fields[reference->field].type, known, &rows);
        }
    }
}

/* Returns the limits of the string lengths in a table's field. */
static XtfLimits compute_string_limits(const XtfMerge *merge, const XtfJoinedTable *table, const XtfField *field)
{
    const GByteArray *heap = merge->join->strings;
    XtfLimits limits = xtf_limits_empty();

    for (uint32_t row = 0; row < table->n_rows; row++) {
        const uint8_t *at = table->rows->data + (size_t)row * table->schema->row_size;
        const char *text, *fault;
        uint32_t length = 0;
        if (xtf_field_is_none(field, at))
            limits.has_none = true;
        else if (xtf_strings_get(heap->data, heap->len, xtf_field_get(field, at), &text, &length, &fault))
            limits = xtf_limits_join(XTF_TYPE_U64, &limits, &(XtfLimits){.min = length, .max = length});
    }
    return limits;
}

static XtfLimits compute_field_limits(const XtfMerge *merge, const XtfJoinedTable *table, const XtfField *field)
{
    if (field->type == XTF_TYPE_STRING)
        return compute_string_limits(merge, table, field);
    return xtf_limits_of_rows(field, table->rows->data, table->schema->row_size, table->n_rows);
}

void xtf_merge_finish_limits(XtfMerge *merge)
{
    for (guint i = 0; i < merge->deferred_limits->len; i++) {
        const XtfDeferredLimits *deferred = &g_array_index(merge->deferred_limits, XtfDeferredLimits, i);
        const XtfSchema *schema = merge->join->schemas->pdata[deferred->schema];
        const XtfJoinedTable *table = merge->join->tables->pdata[deferred->table];
        XtfLimits *whole = (XtfLimits *)merge->limits->pdata[deferred->schema] + deferred->field;
        XtfLimits mapped = deferred->limits;
        if (deferred->limits.min < table->n_rows) { /* these numbers move behind the rows of the whole */
            mapped.min = table->n_rows;
            mapped.max =
                MAX(mapped.max, MIN(deferred->limits.max, table->n_rows - UINT64_C(1)) - deferred->n + table->n_rows);
        }
        *whole = xtf_limits_join(schema->fields[deferred->field].type, whole, &mapped);
    }
    for (guint id = 0; id < merge->join->tables->len; id++) {
        const XtfJoinedTable *table = merge->join->tables->pdata[id];
        XtfLimits *limits = merge->limits->pdata[id];
        for (uint32_t f = 0; table && f < table->schema->n_fields; f++)
            limits[f] = compute_field_limits(merge, table, &table->schema->fields[f]);
    }
    widen_for_order(merge);
}

static void grow_limits(XtfMerge *merge)
{
    while (merge->limits->len < merge->join->schemas->len) {
        const XtfSchema *schema = merge->join->schemas->pdata[merge->limits->len];
        XtfLimits *limits = g_new(XtfLimits, schema->n_fields);
        uint64_t none = 0;
        for (uint32_t f = 0; f < schema->n_fields; f++)
            limits[f] = xtf_limits_empty();
        g_ptr_array_add(merge->limits, limits);
        g_array_append_val(merge->n_rows, none);
    }
}

static void join_limits(XtfMerge *merge, const XtfTrace *trace, const XtfSchema *schema, const XtfPartMap *map)
{
    g_autoptr(GArray) references = xtf_schema_references(schema);
    XtfLimits *whole = merge->limits->pdata[map->schemas[schema->id]];

    for (uint32_t f = 0; f < schema->n_fields; f++) {
        const XtfField *field = &schema->fields[f];
        XtfLimits limits = trace->catalog.limits[schema->id][f]; /* times are local, in the clock of each location */
        for (guint i = 0; i < references->len; i++) {
            const XtfReference *reference = xtf_reference_at(references, i);
            if (reference->field != f || field->type == XTF_TYPE_STRING) /* limits of strings are lengths */
                continue;
            limits = map_limits(merge, schema, reference, map, &limits);
        }
        whole[f] = xtf_limits_join(field->type, &whole[f], &limits);
    }
}

bool xtf_merge_add_numbers(XtfMerge *merge, XtfTrace *trace, XtfPart *part, const XtfPartMap *map, GError **error)
{
    grow_limits(merge);
    for (uint32_t i = 0; i < map->n_schemas; i++) {
        const XtfSchema *schema = xtf_trace_schema(trace, i);
        if (schema->kind == XTF_SCHEMA_TABLE)
            continue; /* computed from the joined rows later */
        g_array_index(merge->n_rows, uint64_t, map->schemas[i]) += xtf_trace_n_rows(trace, i);
        if (has_rows(trace, schema))
            join_limits(merge, trace, schema, map);
    }
    return add_maps(merge, trace, part, map, error);
}
