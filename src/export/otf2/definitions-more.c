/*
 * Functions that all writers of definitions use, and the writers that read more than their row.
 */
#include <inttypes.h>

#include "libxtf/trace.h"
#include "src/export/otf2/definitions.h"
#include "src/import/otf2/errors.h"

enum { OF_IO_PARADIGM = 6 }; /* index in xtf_property_owners */

/* Defines regions that this definition is the first to refer to. An imported archive gets new regions at its end. */
static void define_new_regions(XtfOtf2Definer *d)
{
    if (!d->export->names.ordered && !d->error)
        xtf_otf2_define_regions(d, &d->error);
}

uint32_t xtf_otf2_reference(XtfOtf2Definer *d, const char *field, unsigned tag, uint64_t row)
{
    uint32_t id;

    if (d->definition != UINT64_MAX && xtf_otf2_exception(&d->export->names, d->definition, field, &id))
        return id;
    if (tag != XTF_MODEL_REGIONS)
        return xtf_otf2_id(&d->export->names, tag, row);
    id = xtf_otf2_region(&d->export->names, row);
    define_new_regions(d);
    return id;
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
    define_new_regions(d);
    return out;
}

bool xtf_otf2_has_list(XtfOtf2Definer *d, const XtfModelTable *parts, uint64_t first, uint64_t count)
{
    return count == 0 || (first < parts->n && count <= parts->n - first) ||
           xtf_damaged(d->error ? NULL : &d->error, "its list of %" PRIu64 " rows exceeds the table", count);
}

bool xtf_otf2_has_short_list(XtfOtf2Definer *d, const XtfModelTable *parts, uint64_t first, uint64_t count)
{
    return xtf_otf2_has_list(d, parts, first, count) &&
           (count <= UINT8_MAX || xtf_fail(d->error ? NULL : &d->error, XTF_ERROR_UNSUPPORTED,
                                           "its list has %" PRIu64 " rows, but OTF2 allows 255", count));
}

/* ---- The clock. */

/* True if all records have the times of the source, so that the clock's numbers in the source still apply. */
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

/* Labels of xtf_property_owners. */
typedef enum {
    OF_SYSTEM_TREE_NODE,
    OF_LOCATION_GROUP,
    OF_LOCATION,
    OF_CALLING_CONTEXT,
    OF_IO_FILE,
    OF_PARADIGM
} PropertyOwner;

/* Returns the number of a paradigm's property by its name; -1 if OTF2 has no such property. */
static int find_paradigm_property(const char *name)
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
    int property = find_paradigm_property(name);
    if (property < 0) {
        xtf_export_count(d->export->job, 1, "properties of paradigms left out: OTF2 does not have them");
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
    xtf_export_count(d->export->job, 1, "properties left out: OTF2 has none for such definitions");
    return OTF2_SUCCESS;
}

/* ---- Definitions that the trace has no row for. */

uint32_t xtf_otf2_define_own(XtfOtf2Definer *d, const char *text, OTF2_ErrorCode *code)
{
    gpointer known;

    if (!d->own_texts)
        d->own_texts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    if (g_hash_table_lookup_extended(d->own_texts, text, NULL, &known))
        return GPOINTER_TO_UINT(known);
    uint32_t id = (uint32_t)d->export->names.next_text++;
    if (*code == OTF2_SUCCESS)
        *code = OTF2_GlobalDefWriter_WriteString(d->writer, id, text);
    g_hash_table_insert(d->own_texts, g_strdup(text), GUINT_TO_POINTER(id));
    return id;
}

bool xtf_otf2_done(XtfOtf2Definer *d, OTF2_ErrorCode code, const char *object, GError **error)
{
    if (d->error)
        g_propagate_error(error, g_steal_pointer(&d->error));
    else if (code != OTF2_SUCCESS)
        xtf_otf2_fail_writing(error, code, object);
    else
        return true;
    return false;
}

/* ---- Regions without a definition in the source, defined as by Score-P: docs/OTF2.md, "Export to OTF2". */

/* Words that Score-P writes in place of a file for regions of a library. Scalasca cuts the prefix off the region's
 * name, so a region without the prefix gets no such word. */
static const struct {
    unsigned paradigm;
    const char *prefix, *file;
} library_files[] = {
    {OTF2_PARADIGM_MPI, "MPI_", "MPI"},
    {OTF2_PARADIGM_OPENMP, "", "OMP"},
    {OTF2_PARADIGM_PTHREAD, "pthread_", "PTHREAD"},
};

/* Returns the word in place of a file for a region of a library; NULL if the region is of no library. */
static const char *find_library_file(const XtfRegionRow *row, const char *name)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(library_files); i++)
        if (row->paradigm == library_files[i].paradigm && g_str_has_prefix(name, library_files[i].prefix))
            return library_files[i].file;
    return NULL;
}

static uint32_t find_region_file(XtfOtf2Definer *d, const XtfRegionRow *row, OTF2_ErrorCode *code)
{
    XtfTrace *trace = d->export->names.trace;
    const char *file, *name;

    if (d->error || !xtf_trace_string(trace, row->file, &file, &d->error) ||
        !xtf_trace_string(trace, row->name, &name, &d->error))
        return OTF2_UNDEFINED_STRING;
    if (file[0] != '\0' || d->export->names.ordered)
        return xtf_otf2_words(d, "", row->file);
    const char *library = find_library_file(row, name);
    return library ? xtf_otf2_define_own(d, library, code) : OTF2_UNDEFINED_STRING;
}

static OTF2_ErrorCode define_region(XtfOtf2Definer *d, uint32_t number)
{
    XtfOtf2Names *names = &d->export->names;
    uint8_t buffer[XTF_ROW_MAX];
    const XtfRegionRow *row = xtf_model_table_row(&names->tables[XTF_MODEL_REGIONS].table, number, buffer);
    OTF2_ErrorCode code = OTF2_SUCCESS;
    uint32_t name = xtf_otf2_words(d, "", row->name), canonical = xtf_otf2_words(d, "", row->canonical),
             description = xtf_otf2_words(d, "", row->description), file = find_region_file(d, row, &code);

    if (d->error || code != OTF2_SUCCESS)
        return code;
    return OTF2_GlobalDefWriter_WriteRegion(
        d->writer, names->region_ids[number], name, canonical, description, row->role, row->paradigm, row->flags, file,
        row->line == XTF_NONE32 ? 0 : row->line, row->end_line == XTF_NONE32 ? 0 : row->end_line);
}

bool xtf_otf2_define_regions(XtfOtf2Definer *d, GError **error)
{
    const GArray *new = d->export->names.new_regions;

    while (d->n_regions < new->len) {
        OTF2_ErrorCode code = define_region(d, g_array_index(new, uint32_t, d->n_regions++));
        if (!xtf_otf2_done(d, code, "a region", error))
            return false;
    }
    return true;
}
