/*
 * Adds up the results of `xtf analyze`, which are rows of derived types, by metric and call path.
 *
 * A row ends at its `time`: a wait lasts for its amount, a segment of the critical path for its duration. If the window
 * cuts a row, only the ticks inside count, and values that are no time count in proportion. So adjacent windows add up.
 */
#include <string.h>

#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/export/cube/profile.h"
#include "src/export/cube/sources.h"
#include "src/import/definitions/id-map.h"
#include "src/model/wait-kinds.h"
#include "src/trace/select/matcher.h"

/* An XtfCubeSource with its fields in the trace's schema. */
typedef struct {
    const XtfCubeSource *source;
    uint64_t kind;                                  /* label of `event`; unused if the source has all kinds */
    const XtfField *field, *condition, *subtracted; /* field NULL: rows are counted */
    int64_t label;                                  /* label that `condition` must have; -1: any */
} TypeSource;

/* State of adding up one derived type. */
typedef struct {
    XtfCubeProfile *profile;
    const XtfSchema *schema;
    const XtfField *event, *callpath, *duration; /* duration: ticks that a row lasts; NULL: rows have none */
    const XtfField *bytes, *region;
    GArray *sources;      /* of XtfCubeSource: the sources of all types */
    GArray *type_sources; /* of TypeSource: the sources of this type */
    XtfModelTable callpaths, regions;
    GHashTable *paths; /* root and row of `contexts` -> call path, plus 1 */
    uint64_t outside;
} Derived;

/* ---- Call paths. */

static bool fail_damaged_callpaths(GError **error)
{
    return xtf_damaged(error, "the table contexts is damaged: the parents of a call path form a circle");
}

/* Finds the call path of a row of `contexts`, below a root. */
static bool find_path(Derived *derived, uint32_t root, uint32_t callpath, uint32_t *path, GError **error)
{
    const uint64_t key = (uint64_t)root << 32 | callpath;
    gpointer known = g_hash_table_lookup(derived->paths, &key);
    uint8_t buffer[XTF_ROW_MAX];

    *path = GPOINTER_TO_UINT(known) - 1;
    if (known)
        return true;
    g_autoptr(GArray) chain = g_array_new(FALSE, FALSE, sizeof(uint32_t)); /* regions, the innermost first */
    for (uint64_t row_number = callpath; row_number < derived->callpaths.n;) {
        const XtfContextRow *row = xtf_model_table_row(&derived->callpaths, row_number, buffer);
        uint32_t region = row->region;
        if (chain->len > derived->callpaths.n)
            return fail_damaged_callpaths(error);
        g_array_append_val(chain, region);
        row_number = row->parent;
    }
    *path = root;
    for (guint i = chain->len; i-- > 0;)
        if (!xtf_cube_tree_call(&derived->profile->tree, *path, g_array_index(chain, uint32_t, i), path, error))
            return false;
    g_hash_table_insert(derived->paths, g_memdup2(&key, sizeof key), GUINT_TO_POINTER(*path + 1));
    return true;
}

/* ---- Rows. */

/* Returns the part of a value before t, in a row that lasts from `begin` to `end`. */
static uint64_t value_before(uint64_t value, uint64_t begin, uint64_t end, uint64_t t)
{
    if (t >= end)
        return value;
    return t <= begin ? 0 : (uint64_t)((unsigned __int128)value * (t - begin) / (end - begin));
}

static uint64_t value_in_window(const XtfCubeProfile *profile, uint64_t value, uint64_t begin, uint64_t end)
{
    if (begin >= end) /* the row has no duration */
        return end >= profile->from && end < profile->to ? value : 0;
    return value_before(value, begin, end, profile->to) - value_before(value, begin, end, profile->from);
}

static XtfWaitRegion find_wait_region(const Derived *derived, const uint8_t *row)
{
    uint8_t buffer[XTF_ROW_MAX];
    uint64_t number = xtf_field_is_none(derived->region, row) ? UINT64_MAX : xtf_field_get(derived->region, row);

    if (number >= derived->regions.n)
        return XTF_WAIT_ANYWHERE;
    const XtfRegionRow *region = xtf_model_table_row(&derived->regions, number, buffer);
    const char *role = xtf_model_label(xtf_region_roles, region->role), *name;
    const char *paradigm = region->paradigm < XTF_NO_LABEL ? xtf_model_label(xtf_paradigm_names, region->paradigm) : "";
    /* If the name cannot be read, the export fails later, when it writes the regions. */
    if (g_str_equal(paradigm, "PTHREAD"))
        return xtf_trace_string(derived->profile->job->tree->trace, region->name, &name, NULL) && strstr(name, "cond")
                   ? XTF_WAIT_IN_CONDITION
                   : XTF_WAIT_IN_PTHREAD;
    if (!g_str_equal(paradigm, "OPENMP"))
        return XTF_WAIT_ANYWHERE;
    return g_str_equal(role, "BARRIER")            ? XTF_WAIT_IN_BARRIER
           : g_str_equal(role, "IMPLICIT_BARRIER") ? XTF_WAIT_IN_IMPLICIT
           : g_str_has_prefix(role, "CRITICAL")    ? XTF_WAIT_IN_CRITICAL
                                                   : XTF_WAIT_IN_OPENMP;
}

static bool uses_row(const Derived *derived, const TypeSource *type_source, const uint8_t *row)
{
    const XtfCubeSource *source = type_source->source;

    if (source->kind && xtf_field_get(derived->event, row) != type_source->kind)
        return false;
    if (type_source->condition &&
        (type_source->label < 0 ? xtf_field_is_none(type_source->condition, row)
                                : xtf_field_get(type_source->condition, row) != (uint64_t)type_source->label))
        return false;
    if (source->region != XTF_WAIT_ANYWHERE && source->region != find_wait_region(derived, row))
        return false;
    if (source->rows == XTF_CUBE_ALL)
        return true;
    return !xtf_field_is_none(derived->bytes, row) &&
           (xtf_field_get(derived->bytes, row) > 0) == (source->rows == XTF_CUBE_WITH_BYTES);
}

static uint64_t compute_value(const XtfCubeProfile *profile, const TypeSource *type_source, const uint8_t *row,
                              uint64_t begin, uint64_t time)
{
    if (!type_source->field)
        return value_in_window(profile, 1, time, time);
    uint64_t value = value_in_window(profile, xtf_field_get(type_source->field, row), begin, time);
    return type_source->subtracted ? value - MIN(value, xtf_field_get(type_source->subtracted, row)) : value;
}

static bool add_row_values(Derived *derived, uint32_t column, const uint8_t *row, uint64_t begin, uint64_t time,
                           GError **error)
{
    XtfCubeProfile *profile = derived->profile;
    uint32_t path = profile->roots[column]; /* rows outside of all calls count for the program */

    if (derived->callpath && !xtf_field_is_none(derived->callpath, row) &&
        !find_path(derived, path, (uint32_t)xtf_field_get(derived->callpath, row), &path, error))
        return false;
    if (path == XTF_CUBE_NO_PATH) {
        derived->outside++;
        return true;
    }
    for (guint i = 0; i < derived->type_sources->len; i++) {
        const TypeSource *type_source = &g_array_index(derived->type_sources, TypeSource, i);
        if (uses_row(derived, type_source, row) &&
            !xtf_cube_add(profile, (unsigned)type_source->source->metric, path, column,
                          compute_value(profile, type_source, row, begin, time), error))
            return false;
    }
    return true;
}

static uint64_t compute_begin(const Derived *derived, const uint8_t *row, uint64_t time)
{
    return derived->duration ? time - MIN(xtf_field_get(derived->duration, row), time) : time;
}

/* Adds the rows of a location. Rows at the first time after the window count, too: they may have begun inside it. */
static bool add_location_rows(Derived *derived, XtfLocationReader *reader, uint32_t column, GError **error)
{
    uint64_t first_after = UINT64_MAX;
    XtfLocationRecord record;

    for (;;) {
        xtf_export_beat(derived->profile->job);
        if (!xtf_location_reader_next(reader, &record, error))
            return false;
        if (!record.schema || record.time > first_after)
            return true;
        if (record.time >= derived->profile->to)
            first_after = record.time;
        if (!add_row_values(derived, column, record.raw, compute_begin(derived, record.raw, record.time), record.time,
                            error))
            return false;
    }
}

/* ---- Types. */

static int64_t find_label(const XtfField *field, const char *label)
{
    for (uint32_t i = 0; field && i < field->n_labels; i++)
        if (g_str_equal(field->labels[i], label))
            return i;
    return -1;
}

/* Finds the fields of a source. Returns false if the type lacks one of them. */
static bool find_fields(const Derived *derived, const XtfCubeSource *source, TypeSource *type_source)
{
    const XtfSchema *schema = derived->schema;
    int64_t kind = source->kind ? find_label(derived->event, source->kind->name) : 0;

    *type_source = (TypeSource){
        .source = source,
        .kind = (uint64_t)kind,
        .field = source->field ? xtf_schema_field(schema, source->field) : NULL,
        .condition = source->condition ? xtf_schema_field(schema, source->condition) : NULL,
        .subtracted = source->subtracted ? xtf_schema_field(schema, source->subtracted) : NULL,
        .label = -1,
    };
    if (source->label)
        type_source->label = find_label(type_source->condition, source->label);
    if (kind < 0 || (source->label && type_source->label < 0))
        return false;
    if ((source->field && !type_source->field) || (source->condition && !type_source->condition) ||
        (source->subtracted && !type_source->subtracted))
        return false;
    return (source->region == XTF_WAIT_ANYWHERE || derived->region) && (source->rows == XTF_CUBE_ALL || derived->bytes);
}

static bool has_type(const Derived *derived, unsigned model)
{
    return xtf_trace_find_schema(derived->profile->job->tree->trace, xtf_model_schema(model)->name) != NULL;
}

/* Finds the sources of this type, and marks their metrics as present. Skips metrics of threads, and of windows, if the
 * trace has no records of them: the values would all be zero. */
static void find_sources(Derived *derived)
{
    bool threads = has_type(derived, XTF_MODEL_THREADS) || has_type(derived, XTF_MODEL_LOCKS);
    bool windows = has_type(derived, XTF_MODEL_RMA_COLLECTIVES) || has_type(derived, XTF_MODEL_RMA_LOCKS);

    for (guint i = 0; i < derived->sources->len; i++) {
        const XtfCubeSource *source = &g_array_index(derived->sources, XtfCubeSource, i);
        TypeSource type_source;
        if (!g_str_equal(source->array, derived->schema->name) ||
            (source->kind && source->kind->of_threads && !threads) ||
            (source->kind && source->kind->one_sided && !windows) || !find_fields(derived, source, &type_source))
            continue;
        g_array_append_val(derived->type_sources, type_source);
        derived->profile->has[source->metric] = true;
    }
}

/* Returns the selection's rows of a derived type, from the window's begin to the end of the trace. NULL if the
 * selection excludes the type. */
static XtfSelection *select_rows(const XtfExportJob *job, const XtfSchema *schema)
{
    const XtfSelection *selection = job->selection;

    if ((selection->type != XTF_ANY_TYPE && selection->type != (int64_t)schema->id) ||
        xtf_selection_matches(selection, schema) == XTF_MATCH_NONE)
        return NULL;
    XtfSelection *rows = xtf_selection_in_type(selection, schema->id);
    rows->time_to = XTF_TIME_OPEN; /* nothing shares this selection yet */
    rows->endless = true;
    return rows;
}

static bool add_type_rows(Derived *derived, XtfSelection *selection, GError **error)
{
    XtfTree *tree = derived->profile->job->tree;
    g_autoptr(XtfSpans) spans = xtf_resolver_spans(&tree->resolver, selection, error);
    g_auto(XtfLocationReader) reader = {0};

    if (!spans)
        return false;
    xtf_location_reader_init(&reader, tree, selection);
    for (uint32_t i = 0; i < derived->profile->locations.n; i++)
        if (!xtf_location_reader_begin(&reader, spans, derived->profile->locations.indices[i], error) ||
            !add_location_rows(derived, &reader, i, error))
            return false;
    return true;
}

static bool add_type(XtfCubeProfile *profile, const XtfSchema *schema, GError **error)
{
    XtfTree *tree = profile->job->tree;
    g_autoptr(XtfSelection) rows = select_rows(profile->job, schema);
    bool outdated;

    if (!rows)
        return true;
    if (!xtf_trace_context_is_outdated(&tree->context, schema, &outdated, error))
        return false;
    if (outdated) {
        xtf_export_note(profile->job, "%s left out: the clocks were corrected after the analysis", schema->name);
        return true;
    }
    Derived derived = {
        .profile = profile,
        .schema = schema,
        .event = xtf_schema_field_by_role(schema, XTF_ROLE_EVENT),
        .callpath = xtf_schema_field(schema, "context"),
        .duration = xtf_schema_field(schema, g_str_equal(schema->name, "waits") ? "amount" : "duration"),
        .bytes = xtf_schema_field_by_role(schema, XTF_ROLE_BYTES),
        .region = xtf_schema_field_by_role(schema, XTF_ROLE_REGION),
    };
    if (!xtf_model_table_load(&derived.callpaths, tree->trace, XTF_MODEL_CONTEXTS, error))
        return false;
    if (!xtf_model_table_load(&derived.regions, tree->trace, XTF_MODEL_REGIONS, error)) {
        xtf_model_table_finish(&derived.callpaths);
        return false;
    }
    derived.paths = g_hash_table_new_full(xtf_id_hash64, g_int64_equal, g_free, NULL);
    derived.sources = xtf_cube_sources_new();
    derived.type_sources = g_array_new(FALSE, FALSE, sizeof(TypeSource));
    find_sources(&derived);
    bool good = derived.type_sources->len == 0 || add_type_rows(&derived, rows, error);
    g_array_unref(derived.type_sources);
    g_array_unref(derived.sources);
    g_hash_table_unref(derived.paths);
    xtf_model_table_finish(&derived.regions);
    xtf_model_table_finish(&derived.callpaths);
    g_autofree char *outside = g_strdup_printf("rows of %s outside of all calls left out", schema->name);
    xtf_export_count(profile->job, derived.outside, outside);
    return good;
}

bool xtf_cube_add_analysis(XtfCubeProfile *profile, GError **error)
{
    XtfTrace *trace = profile->job->tree->trace;

    for (uint32_t i = 0; i < xtf_trace_n_schemas(trace); i++) {
        const XtfSchema *schema = xtf_trace_schema(trace, i);
        if (schema->kind == XTF_SCHEMA_DERIVED && !add_type(profile, schema, error))
            return false;
    }
    return xtf_cube_weigh_activities(profile, error);
}
