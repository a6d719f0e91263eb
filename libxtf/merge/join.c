#include "libxtf/merge/join-private.h"

#include "libxtf/base/string-hash.h"
#include "libxtf/disk/strings.h"
#include "libxtf/trace.h"

static void free_schema(gpointer schema)
{
    xtf_schema_free(schema);
}

static void free_table(gpointer data)
{
    XtfJoinedTable *table = data;

    if (!table)
        return;
    g_array_unref(table->references);
    g_byte_array_unref(table->rows);
    g_clear_pointer(&table->numbers, g_hash_table_unref);
    g_array_unref(table->last_part);
    g_free(table->order);
    g_free(table);
}

XtfJoin *xtf_join_new(void)
{
    XtfJoin *join = g_new0(XtfJoin, 1);

    join->schemas = g_ptr_array_new_with_free_func(free_schema);
    join->tables = g_ptr_array_new_with_free_func(free_table);
    join->paths = g_ptr_array_new();
    join->strings = g_byte_array_new();
    xtf_strings_encode(join->strings);
    join->string_ids = g_hash_table_new_full(xtf_string_hash, g_str_equal, g_free, NULL);
    join->beyond = g_array_new(FALSE, FALSE, sizeof(XtfBeyond));
    return join;
}

void xtf_join_free(XtfJoin *join)
{
    if (!join)
        return;
    g_ptr_array_unref(join->tables);
    g_ptr_array_unref(join->schemas);
    g_ptr_array_unref(join->paths);
    g_byte_array_unref(join->strings);
    g_hash_table_unref(join->string_ids);
    g_array_unref(join->beyond);
    g_free(join);
}

void xtf_part_map_finish(XtfPartMap *map)
{
    for (uint32_t i = 0; map->rows && i < map->n_whole; i++)
        g_free(map->rows[i]);
    g_free(map->rows);
    g_free(map->n_rows);
    g_free(map->schemas);
    *map = (XtfPartMap){0};
}

static XtfSchema *find_schema(const XtfJoin *join, const char *name)
{
    for (guint i = 0; i < join->schemas->len; i++) {
        XtfSchema *schema = join->schemas->pdata[i];
        if (g_str_equal(schema->name, name))
            return schema;
    }
    return NULL;
}

XtfJoinedTable *xtf_join_find_table(const XtfJoin *join, const char *name)
{
    const XtfSchema *schema = find_schema(join, name);
    return schema ? join->tables->pdata[schema->id] : NULL;
}

static bool has_flag(const XtfSchema *schema, uint16_t flag)
{
    for (uint32_t f = 0; f < schema->n_fields; f++)
        if (schema->fields[f].flags & flag)
            return true;
    return false;
}

static gboolean equal_identities(gconstpointer a, gconstpointer b)
{
    return g_bytes_equal(a, b);
}

static void free_identity(gpointer identity)
{
    g_bytes_unref(identity);
}

static XtfJoinedTable *new_table(const XtfJoin *join, const XtfSchema *schema)
{
    bool separate = join->separate && g_strv_contains(join->separate, schema->name);
    XtfJoinedTable *table = g_new0(XtfJoinedTable, 1);

    table->schema = schema;
    table->references = xtf_schema_references(schema);
    table->rows = g_byte_array_new();
    table->last_part = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    if (!separate && has_flag(schema, XTF_FIELD_IDENTIFIES))
        table->numbers = g_hash_table_new_full(g_bytes_hash, equal_identities, free_identity, NULL);
    return table;
}

/* Marks the tables that list fields refer to. */
static void mark_lists(XtfJoin *join)
{
    for (guint i = 0; i < join->schemas->len; i++) {
        const XtfSchema *schema = join->schemas->pdata[i];
        for (uint32_t f = 0; f < schema->n_fields; f++) {
            XtfJoinedTable *members = xtf_join_list(join, schema, f);
            if (members)
                members->is_list = true;
        }
    }
}

XtfJoinedTable *xtf_join_list(const XtfJoin *join, const XtfSchema *schema, uint32_t f)
{
    const XtfField *field = &schema->fields[f];

    if (schema->kind != XTF_SCHEMA_TABLE || !(field->flags & XTF_FIELD_LIST) || f + 1 == schema->n_fields)
        return NULL;
    XtfJoinedTable *members = xtf_join_find_table(join, field->refers_to);
    return members && members->schema != schema && !has_flag(members->schema, XTF_FIELD_LIST) ? members : NULL;
}

static XtfSchema *add_schema(XtfJoin *join, const XtfSchema *from, const char *path)
{
    XtfSchema *schema = xtf_schema_copy(from);

    schema->id = join->schemas->len;
    g_ptr_array_add(join->schemas, schema);
    g_ptr_array_add(join->paths, (gpointer)path);
    g_ptr_array_add(join->tables, schema->kind == XTF_SCHEMA_TABLE ? new_table(join, schema) : NULL);
    return schema;
}

bool xtf_join_schemas(XtfJoin *join, const XtfTrace *trace, const char *path, XtfPartMap *map, GError **error)
{
    uint32_t n = xtf_trace_n_schemas(trace);
    g_autofree uint32_t *schemas = g_new(uint32_t, n);

    for (uint32_t i = 0; i < n; i++) {
        const XtfSchema *from = xtf_trace_schema(trace, i);
        XtfSchema *schema = find_schema(join, from->name);
        if (schema && !xtf_schema_equal(schema, from))
            return xtf_fail(error, XTF_ERROR_INVALID, "%s and %s have different schemas named \"%s\"",
                            (const char *)join->paths->pdata[schema->id], path, from->name);
        if (!schema && join->schemas->len == XTF_SCHEMAS_MAX)
            return xtf_fail(error, XTF_ERROR_TOO_LARGE, "%s: the parts up to this one have more than %d schemas", path,
                            XTF_SCHEMAS_MAX);
        if (!schema)
            schema = add_schema(join, from, path);
        schemas[i] = schema->id;
    }
    mark_lists(join);
    map->n_schemas = n;
    map->schemas = g_steal_pointer(&schemas);
    map->n_whole = join->schemas->len;
    map->rows = g_new0(uint32_t *, map->n_whole);
    map->n_rows = g_new0(uint32_t, map->n_whole);
    return true;
}

static bool join_string(XtfJoin *join, const char *text, uint32_t *id, GError **error)
{
    gpointer known;

    if (*text == '\0') {
        *id = 0;
        return true;
    }
    if (g_hash_table_lookup_extended(join->string_ids, text, NULL, &known)) {
        *id = GPOINTER_TO_UINT(known);
        return true;
    }
    if (!xtf_strings_add(join->strings, text, id))
        return xtf_fail(error, XTF_ERROR_TOO_LARGE, "the strings of all parts exceed the limit of a file");
    g_hash_table_insert(join->string_ids, g_strdup(text), GUINT_TO_POINTER(*id));
    return true;
}

bool xtf_part_join_string(const XtfPartJoin *part, uint64_t id, uint32_t *whole, GError **error)
{
    const char *text;

    if (id > UINT32_MAX)
        return xtf_damaged(error, "string %" PRIu64 ": the id is outside of the string heap", id);
    return xtf_trace_string(part->trace, (uint32_t)id, &text, error) && join_string(part->join, text, whole, error);
}
