#include "src/export/otf2/names.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "libxtf/array.h"
#include "libxtf/trace.h"
#include "src/model/labels.h"

/* ---- Tables. */

static bool is_merged(XtfTrace *trace)
{
    XtfTraceInfo info;
    XtfArray arrays[64];
    uint64_t n = xtf_trace_n_arrays(trace);

    xtf_trace_get_info(trace, &info);
    if (info.parts > 0)
        return true;
    for (uint64_t done = 0; done < n; done += G_N_ELEMENTS(arrays)) {
        uint64_t count = MIN(n - done, (uint64_t)G_N_ELEMENTS(arrays));
        if (!xtf_trace_get_arrays(trace, done, count, arrays, NULL))
            return false; /* later readers of the arrays report the error */
        for (uint64_t i = 0; i < count; i++)
            if (arrays[i].segment != arrays[0].segment || (done > 0 && arrays[i].segment > 0))
                return true;
    }
    return false;
}

/* True if two different rows share an id. Rows of one name count as the same: some recorders define a communicator's
 * group twice, by its ranks and by their locations. */
static bool has_clashes(const XtfModelTable *table, const XtfField *name, const uint32_t *ids)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
    uint8_t buffer[XTF_ROW_MAX];
    gpointer known;

    for (uint64_t i = 0; i < table->n; i++) {
        gpointer identity =
            GUINT_TO_POINTER(name ? (uint32_t)xtf_field_get(name, xtf_model_table_row(table, i, buffer)) : (uint32_t)i);
        if (!g_hash_table_lookup_extended(seen, GUINT_TO_POINTER(ids[i]), NULL, &known))
            g_hash_table_insert(seen, GUINT_TO_POINTER(ids[i]), identity);
        else if (known != identity)
            return true;
    }
    return false;
}

/* True if an id is not the number of its row, as OTF2's readers expect. If `xtf record` wrote the trace, ids are the
 * same in all processes, so they are not the numbers of rows. */
static bool has_gaps(const XtfModelTable *table, const uint32_t *ids)
{
    for (uint64_t i = 0; i < table->n; i++)
        if (ids[i] != i)
            return true;
    return false;
}

static void load_ids(XtfOtf2Table *table, unsigned tag, bool may_renumber, bool imported)
{
    const XtfField *to = xtf_schema_field(xtf_model_schema(tag), "id");
    const XtfField *name = xtf_schema_field(xtf_model_schema(tag), "name");
    const bool known = table->table.n > 0 && xtf_schema_field(table->table.table->schema, "id");
    uint8_t buffer[XTF_ROW_MAX];

    if (!to || tag == XTF_MODEL_LOCATIONS || tag == XTF_MODEL_DEFINITION_REFERENCES)
        return;
    table->ids = g_new(uint32_t, table->table.n + 1);
    for (uint64_t i = 0; i < table->table.n; i++)
        table->ids[i] =
            known ? (uint32_t)xtf_field_get(to, xtf_model_table_row(&table->table, i, buffer)) : (uint32_t)i;
    const bool clashes = may_renumber && has_clashes(&table->table, name, table->ids);
    if (!clashes && (imported || !has_gaps(&table->table, table->ids)))
        return;
    table->renumbered = clashes;
    for (uint64_t i = 0; i < table->table.n; i++)
        table->ids[i] = (uint32_t)i;
}

/* True if MPI's groups need a group of type COMM_LOCATIONS, and the trace lacks it. In a job only the part of the first
 * process has the group, and this part may be missing. */
static bool lacks_world(const XtfModelTable *groups)
{
    uint8_t buffer[XTF_ROW_MAX];
    bool lacks = false;

    for (uint64_t i = 0; i < groups->n; i++) {
        const XtfGroupRow *row = xtf_model_table_row(groups, i, buffer);
        if (row->type == XTF_GROUP_TYPE_COMM_LOCATIONS)
            return false;
        lacks |= row->paradigm == OTF2_PARADIGM_MPI;
    }
    return lacks;
}

/* Sets the order of writing for tables whose rows refer to rows of the same table. Numbers rows in the order of
 * writing, as OTF2's readers expect. */
static void order_rows(XtfOtf2Names *names)
{
    names->lacks_world = lacks_world(&names->tables[XTF_MODEL_GROUPS].table);
    for (unsigned tag = XTF_N_ARRAY_TYPES; tag < XTF_N_MODEL_SCHEMAS; tag++) {
        XtfOtf2Table *table = &names->tables[tag];
        uint32_t first = tag == XTF_MODEL_GROUPS && names->lacks_world;
        table->order = xtf_otf2_row_order(&table->table, tag);
        for (uint64_t k = 0; table->ids && (table->order || first > 0) && k < table->table.n; k++)
            table->ids[table->order ? table->order[k] : k] = (uint32_t)k + first;
    }
}

static bool load_tables(XtfOtf2Names *names, GError **error)
{
    for (unsigned tag = XTF_N_ARRAY_TYPES; tag < XTF_N_MODEL_SCHEMAS; tag++)
        if (!xtf_model_table_load(&names->tables[tag].table, names->trace, tag, error))
            return false;
    bool merged = is_merged(names->trace);
    names->ordered = names->tables[XTF_MODEL_DEFINITION_ORDER].table.n > 0;
    bool imported = names->tables[XTF_MODEL_STRING_DEFINITIONS].table.n > 0;
    for (unsigned tag = XTF_N_ARRAY_TYPES; tag < XTF_N_MODEL_SCHEMAS; tag++)
        load_ids(&names->tables[tag], tag, merged || !names->ordered, imported);
    if (!names->ordered && !imported)
        order_rows(names);
    return true;
}

/* ---- Texts. */

static void load_texts(XtfOtf2Names *names)
{
    const XtfOtf2Table *table = &names->tables[XTF_MODEL_STRING_DEFINITIONS];
    uint8_t buffer[XTF_ROW_MAX];

    for (uint64_t i = 0; i < table->table.n; i++) {
        const XtfStringDefinitionRow *row = xtf_model_table_row(&table->table, i, buffer);
        gpointer text = GUINT_TO_POINTER(row->text);
        if (!g_hash_table_contains(names->texts, text))
            g_hash_table_insert(names->texts, text, GUINT_TO_POINTER(table->ids[i]));
        if (table->ids[i] != UINT32_MAX)
            names->next_text = MAX(names->next_text, (uint64_t)table->ids[i] + 1);
    }
}

/* True if the text replaces a string that the source uses but does not define. The import makes such texts. */
static bool is_undefined_string(const XtfOtf2Names *names, const char *text, uint32_t *id)
{
    int length = 0;

    return names->ordered && sscanf(text, "(undefined string %" SCNu32 ")%n", id, &length) == 1 && length > 0 &&
           text[length] == '\0';
}

bool xtf_otf2_text(XtfOtf2Names *names, uint32_t text, uint32_t *id, GError **error)
{
    const char *words;
    gpointer known;

    *id = OTF2_UNDEFINED_STRING;
    if (g_hash_table_lookup_extended(names->texts, GUINT_TO_POINTER(text), NULL, &known)) {
        *id = GPOINTER_TO_UINT(known);
        return true;
    }
    if (!xtf_trace_string(names->trace, text, &words, error))
        return false;
    if (words[0] == '\0' && names->ordered)
        return true;
    if (!is_undefined_string(names, words, id)) {
        const XtfOtf2NewText new = {.text = text, .id = (uint32_t)names->next_text};
        if (names->next_text >= UINT32_MAX)
            return xtf_fail(error, XTF_ERROR_TOO_LARGE, "the trace has more strings than OTF2 has ids");
        g_array_append_val(names->new_texts, new);
        *id = (uint32_t)names->next_text++;
    }
    g_hash_table_insert(names->texts, GUINT_TO_POINTER(text), GUINT_TO_POINTER(*id));
    return true;
}

/* ---- Regions. */

static void load_regions(XtfOtf2Names *names)
{
    const XtfOtf2Table *definitions = &names->tables[XTF_MODEL_REGION_DEFINITIONS];
    uint64_t n = names->tables[XTF_MODEL_REGIONS].table.n;
    uint8_t buffer[XTF_ROW_MAX];

    names->region_ids = g_new(uint32_t, n + 1);
    memset(names->region_ids, 0xff, (n + 1) * sizeof *names->region_ids);
    for (uint64_t i = 0; i < definitions->table.n; i++) {
        const XtfRegionDefinitionRow *row = xtf_model_table_row(&definitions->table, i, buffer);
        if (row->region < n && names->region_ids[row->region] == UINT32_MAX)
            names->region_ids[row->region] = definitions->ids[i];
        if (definitions->ids[i] != UINT32_MAX)
            names->next_region = MAX(names->next_region, (uint64_t)definitions->ids[i] + 1);
    }
}

uint32_t xtf_otf2_region(XtfOtf2Names *names, uint64_t row)
{
    uint32_t number = (uint32_t)row;

    if (row >= names->tables[XTF_MODEL_REGIONS].table.n)
        return OTF2_UNDEFINED_REGION;
    if (names->region_ids[row] == UINT32_MAX && names->next_region < UINT32_MAX) {
        names->region_ids[row] = (uint32_t)names->next_region++;
        g_array_append_val(names->new_regions, number);
    }
    return names->region_ids[row];
}

/* ---- References. */

uint32_t xtf_otf2_id(const XtfOtf2Names *names, unsigned tag, uint64_t row)
{
    const XtfOtf2Table *table = &names->tables[tag];

    return row < table->table.n && table->ids ? table->ids[row] : UINT32_MAX;
}

/* Returns the table that values of a type refer to; 0 if they refer to none. `type` is one of xtf_value_types. */
static unsigned find_referred_table(uint8_t type)
{
    static const unsigned tables[] = {
        [OTF2_TYPE_ATTRIBUTE] = XTF_MODEL_ATTRIBUTE_DEFINITIONS,
        [OTF2_TYPE_GROUP] = XTF_MODEL_GROUPS,
        [OTF2_TYPE_METRIC] = XTF_MODEL_METRIC_CLASSES,
        [OTF2_TYPE_COMM] = XTF_MODEL_COMMUNICATORS,
        [OTF2_TYPE_PARAMETER] = XTF_MODEL_PARAMETER_DEFINITIONS,
        [OTF2_TYPE_RMA_WIN] = XTF_MODEL_RMA_WINDOWS,
        [OTF2_TYPE_SOURCE_CODE_LOCATION] = XTF_MODEL_SOURCE_LOCATIONS,
        [OTF2_TYPE_CALLING_CONTEXT] = XTF_MODEL_CALLING_CONTEXTS,
        [OTF2_TYPE_INTERRUPT_GENERATOR] = XTF_MODEL_INTERRUPT_GENERATORS,
        [OTF2_TYPE_IO_FILE] = XTF_MODEL_IO_FILES,
        [OTF2_TYPE_IO_HANDLE] = XTF_MODEL_IO_HANDLES,
        [OTF2_TYPE_LOCATION_GROUP] = XTF_MODEL_PROCESSES,
    };
    return type < G_N_ELEMENTS(tables) ? tables[type] : 0;
}

bool xtf_otf2_value(XtfOtf2Names *names, uint8_t type, uint64_t value, OTF2_AttributeValue *out, GError **error)
{
    unsigned table = find_referred_table(type);
    uint32_t text;

    *out = (OTF2_AttributeValue){.uint64 = value};
    if (type > OTF2_TYPE_LOCATION_GROUP)
        return xtf_fail(error, XTF_ERROR_INVALID, "a value has type %u, which OTF2 does not have", type);
    switch (type) {
    case OTF2_TYPE_UINT8:
    case OTF2_TYPE_INT8:
        out->uint8 = (uint8_t)value;
        return true;
    case OTF2_TYPE_UINT16:
    case OTF2_TYPE_INT16:
        out->uint16 = (uint16_t)value;
        return true;
    case OTF2_TYPE_UINT32:
    case OTF2_TYPE_INT32:
        out->uint32 = (uint32_t)value;
        return true;
    case OTF2_TYPE_FLOAT:
        out->float32 = (float)xtf_f64_from_bits(value);
        return true;
    case OTF2_TYPE_REGION:
        out->uint32 = xtf_otf2_region(names, value);
        return true;
    case OTF2_TYPE_STRING:
        if (!xtf_otf2_text(names, (uint32_t)value, &text, error))
            return false;
        out->uint32 = text;
        return true;
    default:
        if (table != 0)
            out->uint32 = xtf_otf2_id(names, table, value);
        return true;
    }
}

static char *exception_key(uint64_t definition, const char *field)
{
    return g_strdup_printf("%" PRIu64 " %s", definition, field);
}

static bool load_exceptions(XtfOtf2Names *names, GError **error)
{
    const XtfModelTable *table = &names->tables[XTF_MODEL_DEFINITION_REFERENCES].table;
    uint8_t buffer[XTF_ROW_MAX];
    const char *field;

    for (unsigned tag = XTF_N_ARRAY_TYPES; tag < XTF_N_MODEL_SCHEMAS; tag++)
        if (names->tables[tag].renumbered)
            return true; /* the exceptions have ids of the source, and this archive's ids are other ones */
    for (uint64_t i = 0; i < table->n; i++) {
        const XtfDefinitionReferenceRow *row = xtf_model_table_row(table, i, buffer);
        if (!xtf_trace_string(names->trace, row->field, &field, error))
            return false;
        g_hash_table_insert(names->exceptions, exception_key(row->definition, field), GUINT_TO_POINTER(row->id));
    }
    return true;
}

bool xtf_otf2_exception(const XtfOtf2Names *names, uint64_t definition, const char *field, uint32_t *id)
{
    gpointer found;

    if (g_hash_table_size(names->exceptions) == 0)
        return false;
    g_autofree char *key = exception_key(definition, field);
    if (!g_hash_table_lookup_extended(names->exceptions, key, NULL, &found))
        return false;
    *id = GPOINTER_TO_UINT(found);
    return true;
}

bool xtf_otf2_names_init(XtfOtf2Names *names, XtfTrace *trace, GError **error)
{
    *names = (XtfOtf2Names){
        .trace = trace,
        .texts = g_hash_table_new(NULL, NULL),
        .new_texts = g_array_new(FALSE, FALSE, sizeof(XtfOtf2NewText)),
        .exceptions = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
        .new_regions = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
    };
    if (!load_tables(names, error) || !load_exceptions(names, error))
        return false;
    load_texts(names);
    load_regions(names);
    return true;
}

void xtf_otf2_names_finish(XtfOtf2Names *names)
{
    if (!names->texts)
        return;
    for (unsigned tag = XTF_N_ARRAY_TYPES; tag < XTF_N_MODEL_SCHEMAS; tag++) {
        xtf_model_table_finish(&names->tables[tag].table);
        g_free(names->tables[tag].ids);
        g_free(names->tables[tag].order);
    }
    g_hash_table_unref(names->texts);
    g_hash_table_unref(names->exceptions);
    g_array_unref(names->new_texts);
    g_array_unref(names->new_regions);
    g_free(names->region_ids);
    *names = (XtfOtf2Names){0};
}
