#include "src/model/properties.h"

#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"

static bool add_rows(GHashTable *properties, XtfTrace *trace, const XtfTable *table, GError **error)
{
    const XtfField *names = xtf_schema_field(table->schema, "name");
    const XtfField *values = xtf_schema_field(table->schema, "value");

    for (uint64_t i = 0; names && values && i < table->n_rows; i++) {
        const uint8_t *row = table->rows + i * table->schema->row_size;
        const char *name, *value;
        if (!xtf_trace_string(trace, (uint32_t)xtf_field_get(names, row), &name, error) ||
            !xtf_trace_string(trace, (uint32_t)xtf_field_get(values, row), &value, error))
            return false;
        if (!g_hash_table_contains(properties, name))
            g_hash_table_insert(properties, (char *)name, (char *)value);
    }
    return true;
}

GHashTable *xtf_trace_read_properties(XtfTrace *trace, GError **error)
{
    g_autoptr(GHashTable) properties = g_hash_table_new(g_str_hash, g_str_equal);
    const XtfTable *table;

    if (!xtf_trace_table(trace, XTF_TABLE_PROPERTIES, &table, error))
        return NULL;
    return !table || add_rows(properties, trace, table, error) ? g_steal_pointer(&properties) : NULL;
}

bool xtf_properties_count_bytes(GHashTable *properties, const XtfClock *clock)
{
    const char *counted = xtf_property(properties, XTF_PROPERTY_CLOCK);

    return counted && g_str_equal(counted, XTF_CLOCK_BYTES) && clock->resolution_num == 1 && clock->resolution_den == 1;
}

bool xtf_trace_counts_bytes(XtfTrace *trace, bool *bytes, GError **error)
{
    g_autoptr(GHashTable) properties = xtf_trace_read_properties(trace, error);

    *bytes = properties && xtf_properties_count_bytes(properties, xtf_trace_clock(trace));
    return properties;
}
