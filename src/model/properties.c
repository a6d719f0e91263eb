#include "src/model/properties.h"

#include "libxtf/vocabulary.h"

char *xtf_trace_property(XtfTrace *trace, const char *name)
{
    const XtfTable *table;
    const char *key, *value;

    if (!xtf_trace_table(trace, XTF_TABLE_PROPERTIES, &table, NULL) || !table)
        return NULL;
    const XtfField *names = xtf_schema_field(table->schema, "name");
    const XtfField *values = xtf_schema_field(table->schema, "value");
    for (uint64_t i = 0; names && values && i < table->n_rows; i++) {
        const uint8_t *row = table->rows + i * table->schema->row_size;
        if (xtf_trace_string(trace, (uint32_t)xtf_field_get(names, row), &key, NULL) && g_str_equal(key, name) &&
            xtf_trace_string(trace, (uint32_t)xtf_field_get(values, row), &value, NULL))
            return g_strdup(value);
    }
    return NULL;
}

bool xtf_trace_counts_bytes(XtfTrace *trace)
{
    const XtfClock *clock = xtf_trace_clock(trace);
    g_autofree char *counted = xtf_trace_property(trace, XTF_PROPERTY_CLOCK);

    return counted && g_str_equal(counted, XTF_CLOCK_BYTES) && clock->resolution_num == 1 && clock->resolution_den == 1;
}
