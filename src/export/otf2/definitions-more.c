/*
 * What the writers of definitions have in common, those that look beyond their row, and definitions that the trace does
 * not have and OTF2 needs.
 */
#include <inttypes.h>

#include "src/export/otf2/definitions.h"
#include "src/import/otf2/errors.h"

enum { OF_IO_PARADIGM = 6 }; /* of xtf_property_owners */

uint32_t xtf_otf2_reference(XtfOtf2Definer *d, const char *field, unsigned tag, uint64_t row)
{
    uint32_t id;

    if (d->definition != UINT64_MAX && xtf_otf2_exception(&d->export->names, d->definition, field, &id))
        return id;
    return tag == XTF_MODEL_REGIONS ? xtf_otf2_region(&d->export->names, row)
                                    : xtf_otf2_id(&d->export->names, tag, row);
}

static OTF2_ErrorCode define_text(XtfOtf2Definer *d, const XtfOtf2NewText *new)
{
    const char *text;

    if (!xtf_trace_string(d->export->names.trace, new->text, &text, d->error ? NULL : &d->error))
        return OTF2_SUCCESS;
    return OTF2_GlobalDefWriter_WriteString(d->writer, new->id, text);
}

void xtf_otf2_define_texts(XtfOtf2Definer *d)
{
    const GArray *texts = d->export->names.new_texts;

    for (; d->n_texts < texts->len && !d->error; d->n_texts++) {
        OTF2_ErrorCode code = define_text(d, &g_array_index(texts, XtfOtf2NewText, d->n_texts));
        if (code != OTF2_SUCCESS)
            xtf_otf2_fail_writing(&d->error, code, "a string");
    }
}

uint32_t xtf_otf2_words(XtfOtf2Definer *d, const char *field, uint32_t text)
{
    uint32_t id = OTF2_UNDEFINED_STRING;

    if (d->error || (d->definition != UINT64_MAX && xtf_otf2_exception(&d->export->names, d->definition, field, &id)))
        return id;
    if (xtf_otf2_text(&d->export->names, text, &id, &d->error))
        xtf_otf2_define_texts(d);
    return id;
}

OTF2_AttributeValue xtf_otf2_definition_value(XtfOtf2Definer *d, uint8_t type, uint64_t value)
{
    OTF2_AttributeValue out = {0};

    if (d->error || !xtf_otf2_value(&d->export->names, type, value, &out, &d->error))
        return out;
    if (d->definition != UINT64_MAX)
        xtf_otf2_exception(&d->export->names, d->definition, "value", &out.uint32);
    xtf_otf2_define_texts(d);
    return out;
}

bool xtf_otf2_has_list(XtfOtf2Definer *d, const XtfModelTable *parts, uint64_t first, uint64_t count)
{
    return count == 0 || (first < parts->n && count <= parts->n - first) ||
           xtf_damaged(d->error ? NULL : &d->error, "its list of %" PRIu64 " rows ends behind the table's last", count);
}

bool xtf_otf2_has_short_list(XtfOtf2Definer *d, const XtfModelTable *parts, uint64_t first, uint64_t count)
{
    return xtf_otf2_has_list(d, parts, first, count) &&
           (count <= UINT8_MAX || xtf_fail(d->error ? NULL : &d->error, XTF_ERROR_UNSUPPORTED,
                                           "its list has %" PRIu64 " rows, and OTF2's at most 255", count));
}

/* ---- The clock. */

/* Where records have other times than the source gave them, its numbers mean nothing. */
static bool keeps_clock(const XtfOtf2Export *export)
{
    return export->whole && export->den == 1 && export->names.tables[XTF_MODEL_CLOCK_ALIGNMENTS].table.n == 0;
}

OTF2_ErrorCode xtf_otf2_write_clock(XtfOtf2Definer *d, const void *row, uint64_t i)
{
    const XtfOtf2Export *export = d->export;
    const XtfTimeScale *scale = &export->job->tree->context.scale;
    uint64_t from, to, origin, length, realtime = OTF2_UNDEFINED_TIMESTAMP;

    xtf_otf2_number_property(export, "otf2.clock.realtime_ns", &realtime);
    xtf_selection_window(export->job->selection, scale, &from, &to);
    if (!keeps_clock(export) || !xtf_otf2_number_property(export, "otf2.clock.global_offset", &origin) ||
        !xtf_otf2_number_property(export, "otf2.clock.trace_length", &length)) {
        if (!xtf_otf2_time(export, from, &origin, &d->error) ||
            !xtf_otf2_time(export, to - MIN(from, to), &length, &d->error))
            return OTF2_SUCCESS;
    }
    return OTF2_GlobalDefWriter_WriteClockProperties(d->writer, export->num, origin, length, realtime);
}

/* ---- Properties. */

OTF2_ErrorCode xtf_otf2_write_io_paradigm(XtfOtf2Definer *d, const void *data, uint64_t i)
{
    const XtfModelTable *table = &d->export->names.tables[XTF_MODEL_DEFINITION_PROPERTIES].table;
    const XtfIoParadigmRow row = *(const XtfIoParadigmRow *)data;
    uint32_t name = xtf_otf2_words(d, "name", row.name),
             identification = xtf_otf2_words(d, "identification", row.identification);
    OTF2_IoParadigmProperty properties[UINT8_MAX];
    OTF2_AttributeValue values[UINT8_MAX];
    OTF2_Type types[UINT8_MAX];
    uint8_t buffer[XTF_ROW_MAX];
    unsigned n = 0;

    for (uint64_t j = 0; j < table->n && n < UINT8_MAX; j++) {
        const XtfDefinitionPropertyRow *property = xtf_model_table_row(table, j, buffer);
        if (property->of != OF_IO_PARADIGM || property->owner != i)
            continue;
        properties[n] = OTF2_IO_PARADIGM_PROPERTY_VERSION;
        types[n] = property->type;
        values[n++] = xtf_otf2_definition_value(d, property->type, property->value);
    }
    if (d->error)
        return OTF2_SUCCESS;
    return OTF2_GlobalDefWriter_WriteIoParadigm(
        d->writer, (OTF2_IoParadigmRef)xtf_otf2_id(&d->export->names, XTF_MODEL_IO_PARADIGMS, i), identification, name,
        row.class, row.flags, (uint8_t)n, properties, types, values);
}

/* Labels of xtf_property_owners, and the tables of their owners. */
typedef enum {
    OF_SYSTEM_TREE_NODE,
    OF_LOCATION_GROUP,
    OF_LOCATION,
    OF_CALLING_CONTEXT,
    OF_IO_FILE,
    OF_PARADIGM
} PropertyOwner;

/* The paradigm's property of that name; -1: OTF2 has none. */
static int paradigm_property(const char *name)
{
    static const char *const names[] = {"COMM_NAME_TEMPLATE", "RMA_WIN_NAME_TEMPLATE", "RMA_ONLY"};

    for (unsigned i = 0; i < G_N_ELEMENTS(names); i++)
        if (g_str_equal(name, names[i]))
            return (int)i;
    return -1;
}

static OTF2_ErrorCode write_paradigm_property(XtfOtf2Definer *d, const XtfDefinitionPropertyRow *row,
                                              OTF2_AttributeValue value)
{
    const char *name;

    if (!xtf_trace_string(d->export->names.trace, row->name, &name, &d->error))
        return OTF2_SUCCESS;
    int property = paradigm_property(name);
    if (property < 0) {
        xtf_export_count(d->export->job, 1, "properties of paradigms left out, which OTF2 does not have");
        return OTF2_SUCCESS;
    }
    return OTF2_GlobalDefWriter_WriteParadigmProperty(d->writer, (OTF2_Paradigm)row->owner,
                                                      (OTF2_ParadigmProperty)property, row->type, value);
}

OTF2_ErrorCode xtf_otf2_write_property(XtfOtf2Definer *d, const void *data, uint64_t i)
{
    const XtfDefinitionPropertyRow row = *(const XtfDefinitionPropertyRow *)data;
    OTF2_GlobalDefWriter *w = d->writer;

    if (row.of == OF_IO_PARADIGM) /* written with the paradigm */
        return OTF2_SUCCESS;
    OTF2_AttributeValue value = xtf_otf2_definition_value(d, row.type, row.value);
    if (row.of == OF_PARADIGM)
        return d->error ? OTF2_SUCCESS : write_paradigm_property(d, &row, value);
    uint32_t name = xtf_otf2_words(d, "name", row.name);
#define OWNER(TAG) xtf_otf2_reference(d, "owner", XTF_MODEL_##TAG, row.owner)
    if (d->error)
        return OTF2_SUCCESS;
    switch (row.of) {
    case OF_SYSTEM_TREE_NODE:
        return OTF2_GlobalDefWriter_WriteSystemTreeNodeProperty(w, OWNER(SYSTEM_TREE), name, row.type, value);
    case OF_LOCATION_GROUP:
        return OTF2_GlobalDefWriter_WriteLocationGroupProperty(w, OWNER(PROCESSES), name, row.type, value);
    case OF_LOCATION:
        return OTF2_GlobalDefWriter_WriteLocationProperty(w, row.owner, name, row.type, value);
    case OF_CALLING_CONTEXT:
        return OTF2_GlobalDefWriter_WriteCallingContextProperty(w, OWNER(CALLING_CONTEXTS), name, row.type, value);
    case OF_IO_FILE:
        return OTF2_GlobalDefWriter_WriteIoFileProperty(w, OWNER(IO_FILES), name, row.type, value);
    }
#undef OWNER
    xtf_export_count(d->export->job, 1, "properties left out, of definitions that OTF2 gives none");
    return OTF2_SUCCESS;
}

/* ---- The rest. */

static bool done(XtfOtf2Definer *d, OTF2_ErrorCode code, const char *what, GError **error)
{
    if (d->error)
        g_propagate_error(error, g_steal_pointer(&d->error));
    else if (code != OTF2_SUCCESS)
        xtf_otf2_fail_writing(error, code, what);
    else
        return true;
    return false;
}

/* Regions that no definition is. */
static bool define_regions(XtfOtf2Definer *d, GError **error)
{
    XtfOtf2Names *names = &d->export->names;
    const XtfModelTable *table = &names->tables[XTF_MODEL_REGIONS].table;
    uint8_t buffer[XTF_ROW_MAX];

    for (guint i = 0; i < names->new_regions->len; i++) {
        uint32_t number = g_array_index(names->new_regions, uint32_t, i);
        const XtfRegionRow *row = xtf_model_table_row(table, number, buffer);
        uint32_t name = xtf_otf2_words(d, "", row->name), canonical = xtf_otf2_words(d, "", row->canonical),
                 description = xtf_otf2_words(d, "", row->description), file = xtf_otf2_words(d, "", row->file);
        OTF2_ErrorCode code = OTF2_SUCCESS;
        if (!d->error)
            code = OTF2_GlobalDefWriter_WriteRegion(d->writer, names->region_ids[number], name, canonical, description,
                                                    row->role, row->paradigm, row->flags, file,
                                                    row->line == XTF_NONE32 ? 0 : row->line,
                                                    row->end_line == XTF_NONE32 ? 0 : row->end_line);
        if (!done(d, code, "a region", error))
            return false;
    }
    return true;
}

/* A text of our own, under an id that no other has. */
static uint32_t define_own(XtfOtf2Definer *d, const char *text, OTF2_ErrorCode *code)
{
    uint32_t id = (uint32_t)d->export->names.next_text++;

    if (*code == OTF2_SUCCESS)
        *code = OTF2_GlobalDefWriter_WriteString(d->writer, id, text);
    return id;
}

/* Ids of all rows of `locations`; NULL for a process that has a row in `processes`. */
typedef struct {
    GHashTable *locations, *groups; /* groups: processes -> ids */
    uint64_t next_group;
} Defined;

static void find_defined(const XtfOtf2Names *names, Defined *defined)
{
    const XtfModelTable *locations = &names->tables[XTF_MODEL_LOCATIONS].table;
    const XtfOtf2Table *processes = &names->tables[XTF_MODEL_PROCESSES];
    uint8_t buffer[XTF_ROW_MAX];

    defined->locations = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    defined->groups = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    for (uint64_t i = 0; i < locations->n; i++) {
        const uint64_t id = ((const XtfLocationRow *)xtf_model_table_row(locations, i, buffer))->id;
        g_hash_table_add(defined->locations, g_memdup2(&id, sizeof id));
    }
    for (uint64_t i = 0; i < processes->table.n; i++) {
        const uint64_t proc = ((const XtfProcessRow *)xtf_model_table_row(&processes->table, i, buffer))->proc;
        g_hash_table_insert(defined->groups, g_memdup2(&proc, sizeof proc), GUINT_TO_POINTER(processes->ids[i]));
        defined->next_group = MAX(defined->next_group, (uint64_t)processes->ids[i] + 1);
    }
}

static uint32_t group_of(XtfOtf2Definer *d, Defined *defined, uint64_t proc, OTF2_ErrorCode *code)
{
    gpointer id;

    if (g_hash_table_lookup_extended(defined->groups, &proc, NULL, &id))
        return GPOINTER_TO_UINT(id);
    g_autofree char *name = g_strdup_printf("process %" PRIu64, proc);
    uint32_t text = define_own(d, name, code), group = (uint32_t)defined->next_group++;
    if (*code == OTF2_SUCCESS)
        *code = OTF2_GlobalDefWriter_WriteLocationGroup(d->writer, group, text, OTF2_LOCATION_GROUP_TYPE_PROCESS,
                                                        OTF2_UNDEFINED_SYSTEM_TREE_NODE, OTF2_UNDEFINED_LOCATION_GROUP);
    g_hash_table_insert(defined->groups, g_memdup2(&proc, sizeof proc), GUINT_TO_POINTER(group));
    return group;
}

static OTF2_ErrorCode define_location(XtfOtf2Definer *d, Defined *defined, const XtfLocation *location)
{
    const uint64_t *n = g_hash_table_lookup(d->export->n_events, &location->id);
    g_autofree char *name = g_strdup_printf("thread %" PRIu64, location->thread);
    OTF2_ErrorCode code = OTF2_SUCCESS;
    uint32_t group = group_of(d, defined, location->proc, &code), text = define_own(d, name, &code);

    return code != OTF2_SUCCESS ? code
                                : OTF2_GlobalDefWriter_WriteLocation(d->writer, location->id, text,
                                                                     OTF2_LOCATION_TYPE_CPU_THREAD, n ? *n : 0, group);
}

static bool define_locations(XtfOtf2Definer *d, const XtfLocations *locations, Defined *defined, GError **error)
{
    for (uint32_t i = 0; i < locations->n; i++)
        if (!g_hash_table_contains(defined->locations, &locations->all[i].id) &&
            !done(d, define_location(d, defined, &locations->all[i]), "a location", error))
            return false;
    return true;
}

bool xtf_otf2_define_the_rest(XtfOtf2Definer *d, GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(&d->export->job->tree->context, error);
    Defined defined = {0};

    if (!locations || !define_regions(d, error))
        return false;
    find_defined(&d->export->names, &defined);
    bool good = define_locations(d, locations, &defined, error);
    g_hash_table_unref(defined.locations);
    g_hash_table_unref(defined.groups);
    return good;
}
