/*
 * Finds the source's ids that cannot be derived from the resolved rows of its definitions.
 */
#include <string.h>

#include "src/import/definitions/definitions.h"

static uint64_t key_of(uint32_t table, uint32_t row)
{
    return (uint64_t)table << 32 | row;
}

/* Returns the first number in the source's order of each definition, by table and row. */
static GHashTable *number_definitions(const XtfSourceOrder *order)
{
    GHashTable *numbers = g_hash_table_new_full(xtf_id_hash64, g_int64_equal, g_free, NULL);

    for (guint i = 0; i < order->definitions->len; i++) {
        const XtfSourceDefinition *definition = &g_array_index(order->definitions, XtfSourceDefinition, i);
        uint64_t key = key_of(definition->table, definition->row);
        if (!g_hash_table_contains(numbers, &key))
            g_hash_table_insert(numbers, g_memdup2(&key, sizeof key), GUINT_TO_POINTER(i));
    }
    return numbers;
}

/* Returns the source's first id of each text. */
static GHashTable *find_text_ids(XtfDefinitions *definitions)
{
    GHashTable *texts = g_hash_table_new(NULL, NULL);

    for (uint64_t i = 0; i < xtf_definitions_n_rows(definitions, XTF_MODEL_STRING_DEFINITIONS); i++) {
        const XtfStringDefinitionRow *row = xtf_definitions_at(definitions, XTF_MODEL_STRING_DEFINITIONS, i);
        gpointer text = GUINT_TO_POINTER(xtf_definitions_string(definitions, row->id));
        if (!g_hash_table_contains(texts, text))
            g_hash_table_insert(texts, text, GUINT_TO_POINTER(row->id));
    }
    return texts;
}

/* Finds the id of the first definition of each region. */
static void find_region_ids(XtfDefinitions *definitions)
{
    XtfSourceOrder *order = &definitions->order;
    uint64_t n = xtf_definitions_n_rows(definitions, XTF_MODEL_REGION_DEFINITIONS);

    order->n_region_ids = (uint32_t)xtf_definitions_n_rows(definitions, XTF_MODEL_REGIONS);
    order->region_ids = g_new(uint32_t, (gsize)order->n_region_ids + 1);
    memset(order->region_ids, 0xff, ((gsize)order->n_region_ids + 1) * sizeof *order->region_ids);
    for (uint64_t i = 0; i < n; i++) {
        const XtfRegionDefinitionRow *row = xtf_definitions_at(definitions, XTF_MODEL_REGION_DEFINITIONS, i);
        uint32_t region = xtf_definitions_row(definitions, XTF_MODEL_REGIONS, row->id);
        if (region < order->n_region_ids && order->region_ids[region] == XTF_NONE32)
            order->region_ids[region] = row->id;
    }
}

void xtf_source_order_begin(XtfDefinitions *definitions)
{
    XtfSourceOrder *order = &definitions->order;

    order->numbers = number_definitions(order);
    order->texts = find_text_ids(definitions);
    find_region_ids(definitions);
}

/* Returns the id that a reader of the trace derives from a field's resolved value. */
static uint32_t derived_id(XtfDefinitions *definitions, unsigned referred, uint32_t value, uint32_t id)
{
    const XtfSourceOrder *order = &definitions->order;
    const XtfDefinitionTable *table = &definitions->tables[referred];
    gpointer text;

    if (referred == 0)
        return g_hash_table_lookup_extended(order->texts, GUINT_TO_POINTER(value), NULL, &text) ? GPOINTER_TO_UINT(text)
                                                                                                : XTF_NONE32;
    if (value == XTF_NONE32)
        return XTF_NONE32;
    if (referred == XTF_MODEL_REGIONS)
        return value < order->n_region_ids ? order->region_ids[value] : XTF_NONE32;
    if (!table->id || value >= xtf_definitions_n_rows(definitions, referred))
        return id; /* a late row has the id */
    return (uint32_t)xtf_field_get(table->id, xtf_definitions_at(definitions, referred, value));
}

bool xtf_source_order_note(XtfDefinitions *definitions, unsigned table, uint32_t row, const char *field,
                           unsigned referred, uint32_t value, uint32_t id, GError **error)
{
    XtfSourceOrder *order = &definitions->order;
    const uint64_t key = key_of(table, row);
    gpointer number;
    uint32_t name;

    if (derived_id(definitions, referred, value, id) == id ||
        !g_hash_table_lookup_extended(order->numbers, &key, NULL, &number))
        return true;
    if (!xtf_writer_add_string(definitions->writer, field, &name, error))
        return false;
    const XtfDefinitionReferenceRow reference = {.definition = GPOINTER_TO_UINT(number), .field = name, .id = id};
    g_array_append_val(order->references, reference);
    return true;
}

/* ---- Rows of the tables. */

#define DEFINED_TAG(TAG, name) XTF_MODEL_##TAG,
static const uint32_t defined_tags[] = {XTF_DEFINED_TABLES(DEFINED_TAG)};

static uint8_t kind_of(uint32_t table)
{
    unsigned kind = 0;

    while (kind < G_N_ELEMENTS(defined_tags) - 1 && defined_tags[kind] != table)
        kind++;
    g_assert(defined_tags[kind] == table); /* fails if XTF_DEFINED_TABLES lacks a table */
    return (uint8_t)kind;
}

void xtf_source_order_end(XtfDefinitions *definitions)
{
    XtfSourceOrder *order = &definitions->order;

    for (guint i = 0; i < order->definitions->len; i++) {
        const XtfSourceDefinition *definition = &g_array_index(order->definitions, XtfSourceDefinition, i);
        XtfDefinitionOrderRow row = {.kind = kind_of(definition->table), .row = definition->row};
        if (definition->table == XTF_MODEL_PROPERTIES)
            row.row = XTF_NONE64;
        else if (definition->table == XTF_MODEL_LOCATIONS)
            row.row =
                ((const XtfLocationRow *)xtf_definitions_at(definitions, XTF_MODEL_LOCATIONS, definition->row))->id;
        xtf_definitions_add_part(definitions, XTF_MODEL_DEFINITION_ORDER, &row);
    }
    for (guint i = 0; i < order->references->len; i++)
        xtf_definitions_add_part(definitions, XTF_MODEL_DEFINITION_REFERENCES,
                                 &g_array_index(order->references, XtfDefinitionReferenceRow, i));
    g_clear_pointer(&order->numbers, g_hash_table_unref);
    g_clear_pointer(&order->texts, g_hash_table_unref);
}
