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
    uint64_t kind;                       /* label of `event`; unused if the source has all kinds */
    const XtfField *field, *when, *less; /* field NULL: rows are counted */
    int64_t is;                          /* label that `when` must have; -1: any */
} Found;

/* State of adding up one derived type. */
typedef struct {
    XtfCubeProfile *profile;
    const XtfSchema *schema;
    const XtfField *event, *callpath, *lasting; /* lasting: a row's duration; NULL: it has none */
    const XtfField *bytes, *region;
    GArray *sources; /* of XtfCubeSource: the sources of all types */
    GArray *found;   /* of Found: the sources of this type */
    XtfModelTable callpaths, regions;
    GHashTable *paths; /* root and row of `contexts` -> call path, plus 1 */
    uint64_t outside;
} Derived;

/* ---- Call paths. */

static bool damaged_callpaths(GError **error)
{
    return xtf_damaged(error, "a call path of the table contexts has no root");
}

/* Finds the call path of a row of `contexts`, below a root. */
static bool path_of(Derived *derived, uint32_t root, uint32_t callpath, uint32_t *path, GError **error)
{
    const uint64_t key = (uint64_t)root << 32 | callpath;
    gpointer known = g_hash_table_lookup(derived->paths, &key);
    uint8_t buffer[XTF_ROW_MAX];

    *path = GPOINTER_TO_UINT(known) - 1;
    if (known)
        return true;
    g_autoptr(GArray) chain = g_array_new(FALSE, FALSE, sizeof(uint32_t)); /* regions, the innermost first */
    for (uint64_t at = callpath; at < derived->callpaths.n;) {
        const XtfContextRow *row = xtf_model_table_row(&derived->callpaths, at, buffer);
        uint32_t region = row->region;
        if (chain->len > derived->callpaths.n)
            return damaged_callpaths(error);
        g_array_append_val(chain, region);
        at = row->parent;
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
static uint64_t before(uint64_t value, uint64_t begin, uint64_t end, uint64_t t)
{
    if (t >= end)
        return value;
    return t <= begin ? 0 : (uint64_t)((unsigned __int128)value * (t - begin) / (end - begin));
}

static uint64_t in_window(const XtfCubeProfile *profile, uint64_t value, uint64_t begin, uint64_t end)
{
    if (begin >= end) /* the row has no duration */
        return end >= profile->from && end < profile->to ? value : 0;
    return before(value, begin, end, profile->to) - before(value, begin, end, profile->from);
}

static XtfWaitRegion region_of(const Derived *derived, const uint8_t *row)
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

static bool is_of(const Derived *derived, const Found *found, const uint8_t *row)
{
    const XtfCubeSource *source = found->source;

    if (source->kind && xtf_field_get(derived->event, row) != found->kind)
        return false;
    if (found->when &&
        (found->is < 0 ? xtf_field_is_none(found->when, row) : xtf_field_get(found->when, row) != (uint64_t)found->is))
        return false;
    if (source->region != XTF_WAIT_ANYWHERE && source->region != region_of(derived, row))
        return false;
    if (source->rows == XTF_CUBE_ALL)
        return true;
    return !xtf_field_is_none(derived->bytes, row) &&
           (xtf_field_get(derived->bytes, row) > 0) == (source->rows == XTF_CUBE_WITH_BYTES);
}

static uint64_t value_of(const XtfCubeProfile *profile, const Found *found, const uint8_t *row, uint64_t begin,
                         uint64_t time)
{
    if (!found->field)
        return in_window(profile, 1, time, time);
    uint64_t value = in_window(profile, xtf_field_get(found->field, row), begin, time);
    return found->less ? value - MIN(value, xtf_field_get(found->less, row)) : value;
}

static bool add_row(Derived *derived, uint32_t column, const uint8_t *row, uint64_t begin, uint64_t time,
                    GError **error)
{
    XtfCubeProfile *profile = derived->profile;
    uint32_t path = profile->roots[column]; /* rows outside of all calls count for the program */

    if (derived->callpath && !xtf_field_is_none(derived->callpath, row) &&
        !path_of(derived, path, (uint32_t)xtf_field_get(derived->callpath, row), &path, error))
        return false;
    if (path == XTF_CUBE_NO_PATH) {
        derived->outside++;
        return true;
    }
    for (guint i = 0; i < derived->found->len; i++) {
        const Found *found = &g_array_index(derived->found, Found, i);
        if (is_of(derived, found, row) && !xtf_cube_add(profile, (unsigned)found->source->metric, path, column,
                                                        value_of(profile, found, row, begin, time), error))
            return false;
    }
    return true;
}

/* Returns the time at which the row begins. */
static uint64_t begin_of(const Derived *derived, const uint8_t *row, uint64_t time)
{
    return derived->lasting ? time - MIN(xtf_field_get(derived->lasting, row), time) : time;
}

/* Adds the rows of a location. Rows at the first time after the window count, too: they may have begun inside it. */
static bool add_location(Derived *derived, XtfLocationReader *reader, uint32_t column, GError **error)
{
    uint64_t behind = UINT64_MAX;
    XtfLocationRecord record;

    for (;;) {
        xtf_export_beat(derived->profile->job);
        if (!xtf_location_reader_next(reader, &record, error))
            return false;
        if (!record.schema || record.time > behind)
            return true;
        if (record.time >= derived->profile->to)
            behind = record.time;
        if (!add_row(derived, column, record.raw, begin_of(derived, record.raw, record.time), record.time, error))
            return false;
    }
}

/* ---- Types. */

static int64_t label_of(const XtfField *field, const char *label)
{
    for (uint32_t i = 0; field && i < field->n_labels; i++)
        if (g_str_equal(field->labels[i], label))
            return i;
    return -1;
}

/* Finds the fields of a source. Returns false if the type lacks one of them. */
static bool find_fields(const Derived *derived, const XtfCubeSource *source, Found *found)
{
    const XtfSchema *schema = derived->schema;
    int64_t kind = source->kind ? label_of(derived->event, source->kind->name) : 0;

    *found = (Found){
        .source = source,
        .kind = (uint64_t)kind,
        .field = source->field ? xtf_schema_field(schema, source->field) : NULL,
        .when = source->when ? xtf_schema_field(schema, source->when) : NULL,
        .less = source->less ? xtf_schema_field(schema, source->less) : NULL,
        .is = -1,
    };
    if (source->is)
        found->is = label_of(found->when, source->is);
    if (kind < 0 || (source->is && found->is < 0))
        return false;
    if ((source->field && !found->field) || (source->when && !found->when) || (source->less && !found->less))
        return false;
    return (source->region == XTF_WAIT_ANYWHERE || derived->region) && (source->rows == XTF_CUBE_ALL || derived->bytes);
}

/* Finds the sources of this type, and marks their metrics as present. Skips metrics of threads if the trace has no
 * records of threads, since their values would all be zero. */
static void find_sources(Derived *derived)
{
    const XtfTrace *trace = derived->profile->job->tree->trace;
    bool threads = xtf_trace_find_schema(trace, xtf_model_schema(XTF_MODEL_THREADS)->name) ||
                   xtf_trace_find_schema(trace, xtf_model_schema(XTF_MODEL_LOCKS)->name);

    for (guint i = 0; i < derived->sources->len; i++) {
        const XtfCubeSource *source = &g_array_index(derived->sources, XtfCubeSource, i);
        Found found;
        if (!g_str_equal(source->array, derived->schema->name) ||
            (source->kind && source->kind->of_threads && !threads) || !find_fields(derived, source, &found))
            continue;
        g_array_append_val(derived->found, found);
        derived->profile->has[source->metric] = true;
    }
}

/* Returns the selection's rows of a derived type, from the window's begin to the end of the trace. NULL if the
 * selection excludes the type. */
static XtfSelection *rows_of(const XtfExportJob *job, const XtfSchema *schema)
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

static bool add_rows(Derived *derived, XtfSelection *selection, GError **error)
{
    XtfTree *tree = derived->profile->job->tree;
    g_autoptr(XtfSpans) spans = xtf_resolver_spans(&tree->resolver, selection, error);
    g_auto(XtfLocationReader) reader = {0};

    if (!spans)
        return false;
    xtf_location_reader_init(&reader, tree, selection);
    for (uint32_t i = 0; i < derived->profile->locations.n; i++)
        if (!xtf_location_reader_begin(&reader, spans, derived->profile->locations.indices[i], error) ||
            !add_location(derived, &reader, i, error))
            return false;
    return true;
}

static bool add_type(XtfCubeProfile *profile, const XtfSchema *schema, GError **error)
{
    XtfTree *tree = profile->job->tree;
    g_autoptr(XtfSelection) rows = rows_of(profile->job, schema);
    bool outdated;

    if (!rows)
        return true;
    if (!xtf_trace_context_is_outdated(&tree->context, schema, &outdated, error))
        return false;
    if (outdated) {
        xtf_export_note(profile->job, "%s left out: the clocks were corrected since they were worked out",
                        schema->name);
        return true;
    }
    Derived derived = {
        .profile = profile,
        .schema = schema,
        .event = xtf_schema_field_by_role(schema, XTF_ROLE_EVENT),
        .callpath = xtf_schema_field(schema, "context"),
        .lasting = xtf_schema_field(schema, g_str_equal(schema->name, "waits") ? "amount" : "duration"),
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
    derived.found = g_array_new(FALSE, FALSE, sizeof(Found));
    find_sources(&derived);
    bool good = derived.found->len == 0 || add_rows(&derived, rows, error);
    g_array_unref(derived.found);
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
