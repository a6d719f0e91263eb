/*
 * Resolves definitions: replaces the source's ids by row numbers and strings of the trace.
 */
#include <string.h>

#include "src/import/definitions/definitions.h"
#include "src/model/labels.h"

static bool store_strings(XtfDefinitions *definitions, GError **error)
{
    for (guint i = 0; i < definitions->strings->len; i++) {
        uint32_t number;
        if (!xtf_writer_add_string(definitions->writer, g_ptr_array_index(definitions->strings, i), &number, error))
            return false;
        g_array_append_val(definitions->string_ids, number);
    }
    return true;
}

typedef struct {
    uint32_t name, file, line;
} RegionKey;

static guint region_hash(gconstpointer key)
{
    const RegionKey *k = key;
    return xtf_id_hash((uint64_t[]){(uint64_t)k->name << 32 | k->file, k->line}, 2);
}

static gboolean region_equal(gconstpointer a, gconstpointer b)
{
    return memcmp(a, b, sizeof(RegionKey)) == 0;
}

/*
 * Makes one region of all region definitions with equal name, file and line. Some measurement systems define each
 * region once for every process, with different ids. Lines count from 1: line 0 means that the line is unknown.
 */
static void merge_regions(XtfDefinitions *definitions)
{
    g_autoptr(GHashTable) seen = g_hash_table_new_full(region_hash, region_equal, g_free, NULL);
    XtfDefinitionTable *regions = &definitions->tables[XTF_MODEL_REGIONS];
    uint64_t n = xtf_definitions_n_rows(definitions, XTF_MODEL_REGION_DEFINITIONS);

    for (uint64_t i = 0; i < n; i++) {
        const XtfRegionDefinitionRow *from = xtf_definitions_at(definitions, XTF_MODEL_REGION_DEFINITIONS, i);
        RegionKey key = {
            .name = xtf_definitions_string(definitions, from->name),
            .file = xtf_definitions_string(definitions, from->file),
            .line = from->line == 0 ? XTF_NONE32 : from->line,
        };
        gpointer row;
        uint32_t earlier;
        if (!g_hash_table_lookup_extended(seen, &key, NULL, &row)) {
            XtfRegionRow region = {
                .line = key.line,
                .role = from->role,
                .paradigm = from->paradigm,
                .flags = from->flags,
                .end_line = from->end_line == 0 ? XTF_NONE32 : from->end_line,
                .canonical = xtf_definitions_string(definitions, from->canonical),
                .description = xtf_definitions_string(definitions, from->description),
                .file = key.file,
                .name = key.name,
            };
            row = GUINT_TO_POINTER(xtf_definitions_n_rows(definitions, XTF_MODEL_REGIONS));
            g_byte_array_append(regions->rows, (const guint8 *)&region, sizeof region);
            g_hash_table_insert(seen, g_memdup2(&key, sizeof key), row);
        }
        if (!xtf_id_map_find(&regions->rows_by_id, from->id, &earlier))
            xtf_id_map_insert(&regions->rows_by_id, from->id, GPOINTER_TO_UINT(row));
    }
}

/* Returns the tag of the table to which a field refers; 0 if it refers to none. */
static unsigned referred_table(const XtfDefinitions *definitions, const XtfField *field)
{
    if (field->refers_to[0] == '\0' || field->flags & XTF_FIELD_LIST) /* lists have row numbers already */
        return 0;
    for (unsigned tag = XTF_N_ARRAY_TYPES; tag < XTF_N_MODEL_SCHEMAS; tag++)
        if (strcmp(definitions->tables[tag].schema->name, field->refers_to) == 0)
            return tag;
    return 0;
}

static bool resolve_field(XtfDefinitions *definitions, unsigned tag, const XtfField *field, GError **error)
{
    unsigned referred = referred_table(definitions, field);
    /* The field `region` of a region definition is not from the source. */
    bool added = tag == XTF_MODEL_REGION_DEFINITIONS && referred != 0;

    if (referred == 0 && field->type != XTF_TYPE_STRING)
        return true;
    for (uint64_t i = 0; i < xtf_definitions_n_rows(definitions, tag); i++) {
        uint32_t id = xtf_field_get(field, xtf_definitions_at(definitions, tag, i));
        uint32_t value =
            referred != 0 ? xtf_definitions_row(definitions, referred, id) : xtf_definitions_string(definitions, id);
        xtf_field_set(field, xtf_definitions_at(definitions, tag, i), value);
        if (!added && !xtf_source_order_note(definitions, tag, (uint32_t)i, field->name, referred, value, id, error))
            return false;
    }
    return true;
}

/* Resolves a typed value of row i of a table. */
static bool resolve_value(XtfDefinitions *definitions, unsigned tag, uint64_t i, uint8_t type, uint64_t *value,
                          GError **error)
{
    unsigned referred;
    uint32_t id = (uint32_t)*value;

    *value = xtf_definitions_value(definitions, type, *value);
    return !xtf_definitions_is_reference(type, &referred) ||
           xtf_source_order_note(definitions, tag, (uint32_t)i, "value", referred, (uint32_t)*value, id, error);
}

static bool resolve_values(XtfDefinitions *definitions, GError **error)
{
    /* Tables of owners, by xtf_property_owners; 0: no table (locations and paradigms). */
    static const unsigned owners[] = {XTF_MODEL_SYSTEM_TREE,      XTF_MODEL_PROCESSES, 0,
                                      XTF_MODEL_CALLING_CONTEXTS, XTF_MODEL_IO_FILES,  0,
                                      XTF_MODEL_IO_PARADIGMS};

    for (uint64_t i = 0; i < xtf_definitions_n_rows(definitions, XTF_MODEL_DEFINITION_PROPERTIES); i++) {
        XtfDefinitionPropertyRow *row = xtf_definitions_at(definitions, XTF_MODEL_DEFINITION_PROPERTIES, i);
        uint64_t value = row->value;
        if (!resolve_value(definitions, XTF_MODEL_DEFINITION_PROPERTIES, i, row->type, &value, error))
            return false;
        row->value = value;
        if (owners[row->of] == 0)
            continue;
        uint32_t id = (uint32_t)row->owner, owner = xtf_definitions_row(definitions, owners[row->of], id);
        row->owner = owner == XTF_NONE32 ? XTF_NONE64 : owner;
        if (!xtf_source_order_note(definitions, XTF_MODEL_DEFINITION_PROPERTIES, (uint32_t)i, "owner", owners[row->of],
                                   owner, id, error))
            return false;
    }
    for (uint64_t i = 0; i < xtf_definitions_n_rows(definitions, XTF_MODEL_CALLPATH_PARAMETERS); i++) {
        XtfCallpathParameterRow *row = xtf_definitions_at(definitions, XTF_MODEL_CALLPATH_PARAMETERS, i);
        uint64_t value = row->value;
        if (!resolve_value(definitions, XTF_MODEL_CALLPATH_PARAMETERS, i, row->type, &value, error))
            return false;
        row->value = value;
    }
    return true;
}

/* Removes the group of each self communicator (MPI_COMM_SELF): in the trace it has no group. */
static bool drop_self_groups(XtfDefinitions *definitions, GError **error)
{
    uint64_t n_groups = xtf_definitions_n_rows(definitions, XTF_MODEL_GROUPS);

    for (uint64_t i = 0; i < xtf_definitions_n_rows(definitions, XTF_MODEL_COMMUNICATORS); i++) {
        XtfCommunicatorRow *comm = xtf_definitions_at(definitions, XTF_MODEL_COMMUNICATORS, i);
        if (comm->group >= n_groups)
            continue;
        const XtfGroupRow *group = xtf_definitions_at(definitions, XTF_MODEL_GROUPS, comm->group);
        if (group->type != XTF_GROUP_TYPE_COMM_SELF)
            continue;
        comm->group = XTF_NONE32;
        if (!xtf_source_order_note(definitions, XTF_MODEL_COMMUNICATORS, (uint32_t)i, "group", XTF_MODEL_GROUPS,
                                   XTF_NONE32, group->id, error))
            return false;
    }
    return true;
}

bool xtf_definitions_resolve(XtfDefinitions *definitions, XtfWriter *writer, GError **error)
{
    definitions->writer = writer;
    if (!store_strings(definitions, error))
        return false;
    merge_regions(definitions);
    xtf_source_order_begin(definitions);
    for (unsigned tag = XTF_N_ARRAY_TYPES; tag < XTF_N_MODEL_SCHEMAS; tag++) {
        XtfDefinitionTable *table = &definitions->tables[tag];
        if (tag == XTF_MODEL_REGIONS)
            continue; /* merge_regions() resolved its fields */
        for (uint32_t i = 0; i < table->schema->n_fields; i++)
            if (!resolve_field(definitions, tag, &table->schema->fields[i], error))
                return false;
    }
    if (!resolve_values(definitions, error) || !drop_self_groups(definitions, error))
        return false;
    xtf_source_order_end(definitions);
    return true;
}
