/*
 * Writes the definitions in order. Definitions of an imported archive keep the order of their source. All other
 * definitions are ordered by reference: OTF2's readers resolve a reference when they read it. So a definition must
 * precede the references to it.
 */
#include "src/export/otf2/call-sites.h"
#include "src/model/labels.h"

#define DEFINED_TAG(TAG, name) XTF_MODEL_##TAG,
static const unsigned defined_tags[] = {XTF_DEFINED_TABLES(DEFINED_TAG)};

/* ---- In the order of the source. */

/* Replaces a location's key by its row. Returns false if there is no such row. The first call builds d->locations. */
static bool find_location_row(XtfOtf2Definer *d, uint64_t *number)
{
    const XtfModelTable *table = &d->export->names.tables[XTF_MODEL_LOCATIONS].table;
    uint8_t buffer[XTF_ROW_MAX];
    gpointer row;

    for (uint64_t i = d->locations ? table->n : 0; i < table->n; i++) {
        const uint64_t id = ((const XtfLocationRow *)xtf_model_table_row(table, i, buffer))->id;
        if (!d->locations)
            d->locations = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
        g_hash_table_insert(d->locations, g_memdup2(&id, sizeof id), GUINT_TO_POINTER(i));
    }
    if (!d->locations || !g_hash_table_lookup_extended(d->locations, number, NULL, &row))
        return false;
    *number = GPOINTER_TO_UINT(row);
    return true;
}

static bool write_source_order(XtfOtf2Definer *d, GError **error)
{
    const XtfModelTable *order = &d->export->names.tables[XTF_MODEL_DEFINITION_ORDER].table;
    uint8_t buffer[XTF_ROW_MAX];

    for (uint64_t i = 0; i < order->n; i++) {
        const XtfDefinitionOrderRow *row = xtf_model_table_row(order, i, buffer);
        if (row->kind >= G_N_ELEMENTS(defined_tags))
            continue;
        d->definition = i;
        unsigned tag = defined_tags[row->kind];
        bool is_clock = tag == XTF_MODEL_PROPERTIES;
        d->has_clock |= is_clock;
        uint64_t number = row->row;
        if (tag == XTF_MODEL_LOCATIONS && !find_location_row(d, &number))
            continue; /* the location is in another part of the run */
        if (!xtf_otf2_write_row(d, tag, number, error))
            return false;
    }
    return true;
}

/* ---- By reference. */

/* All tables of XTF_DEFINED_TABLES but `properties`, each after the tables that its fields refer to. */
static const unsigned tags_by_reference[] = {
    XTF_MODEL_STRING_DEFINITIONS,
    XTF_MODEL_ATTRIBUTE_DEFINITIONS,
    XTF_MODEL_PARADIGMS,
    XTF_MODEL_SYSTEM_TREE,
    XTF_MODEL_SYSTEM_TREE_DOMAINS,
    XTF_MODEL_PROCESSES,
    XTF_MODEL_LOCATIONS,
    XTF_MODEL_REGION_DEFINITIONS,
    XTF_MODEL_PARAMETER_DEFINITIONS,
    XTF_MODEL_CALLSITES,
    XTF_MODEL_CALLPATHS,
    XTF_MODEL_CALLPATH_PARAMETERS,
    XTF_MODEL_SOURCE_LOCATIONS,
    XTF_MODEL_CALLING_CONTEXTS,
    XTF_MODEL_INTERRUPT_GENERATORS,
    XTF_MODEL_GROUPS,
    XTF_MODEL_COMMUNICATORS,
    XTF_MODEL_METRICS,
    XTF_MODEL_METRIC_CLASSES,
    XTF_MODEL_METRIC_CLASS_RECORDERS,
    XTF_MODEL_RMA_WINDOWS,
    XTF_MODEL_IO_PARADIGMS,
    XTF_MODEL_IO_FILES,
    XTF_MODEL_IO_HANDLES,
    XTF_MODEL_IO_PRE_CREATED,
    XTF_MODEL_CART_DIMENSIONS,
    XTF_MODEL_CART_TOPOLOGIES,
    XTF_MODEL_CART_COORDINATES,
    XTF_MODEL_DEFINITION_PROPERTIES,
};
G_STATIC_ASSERT(G_N_ELEMENTS(tags_by_reference) == G_N_ELEMENTS(defined_tags) - 1);

static bool write_table(XtfOtf2Definer *d, unsigned tag, GError **error)
{
    const XtfOtf2Table *table = &d->export->names.tables[tag];

    for (uint64_t k = 0; k < table->table.n; k++)
        if (!xtf_otf2_write_row(d, tag, table->order ? table->order[k] : k, error))
            return false;
    return true;
}

/* Writes the definitions of a table's kind that have no row in the trace. */
static bool write_definitions_without_row(XtfOtf2Definer *d, unsigned tag, GError **error)
{
    switch (tag) {
    case XTF_MODEL_ATTRIBUTE_DEFINITIONS:
        return xtf_otf2_define_site_attribute(d, error);
    case XTF_MODEL_SOURCE_LOCATIONS:
        return xtf_otf2_define_site_locations(d, error);
    case XTF_MODEL_CALLING_CONTEXTS:
        return xtf_otf2_define_site_contexts(d, error);
    case XTF_MODEL_LOCATIONS:
        return xtf_otf2_define_locations(d, error);
    case XTF_MODEL_REGION_DEFINITIONS:
        return xtf_otf2_define_regions(d, error) && xtf_otf2_define_programs(d, error);
    default:
        return true;
    }
}

static bool write_by_reference(XtfOtf2Definer *d, GError **error)
{
    if (!xtf_otf2_write_row(d, XTF_MODEL_PROPERTIES, UINT64_MAX, error))
        return false;
    xtf_otf2_define_texts(d);
    for (unsigned i = 0; i < G_N_ELEMENTS(tags_by_reference); i++)
        if ((tags_by_reference[i] == XTF_MODEL_GROUPS && !xtf_otf2_define_world(d, error)) ||
            !write_table(d, tags_by_reference[i], error) ||
            !write_definitions_without_row(d, tags_by_reference[i], error))
            return false;
    return true;
}

/* ---- All definitions. */

static bool write_imported(XtfOtf2Definer *d, GError **error)
{
    xtf_otf2_define_texts(d);
    bool good = write_source_order(d, error);
    g_clear_pointer(&d->locations, g_hash_table_unref);
    d->definition = UINT64_MAX;
    return good && (d->has_clock || xtf_otf2_write_row(d, XTF_MODEL_PROPERTIES, UINT64_MAX, error)) &&
           xtf_otf2_define_regions(d, error) && xtf_otf2_define_locations(d, error);
}

bool xtf_otf2_write_definitions(XtfOtf2Export *export, OTF2_GlobalDefWriter *writer, GError **error)
{
    XtfOtf2Definer d = {.export = export, .writer = writer, .definition = UINT64_MAX};

    bool good = export->names.ordered ? write_imported(&d, error) : write_by_reference(&d, error);
    g_clear_pointer(&d.own_texts, g_hash_table_unref);
    return good;
}
