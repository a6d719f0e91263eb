#include "src/trace/context/trace-context.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libxtf/error.h"
#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/model/process-properties.h"
#include "src/model/properties.h"
#include "src/trace/context/analyses.h"
#include "src/trace/text/digits.h"

enum {
    ARRAYS_PER_READ = 256,
    LOCATIONS_MAX = 1 << 24, /* rows of the table of locations: each takes some 100 bytes */
};

/* ---- Collecting the locations. The P index has all locations with rows; the table has their numbers. */

typedef struct {
    XtfLocation location;
    bool has_number; /* process and thread are known */
} Candidate;

static int compare_candidates(const void *a, const void *b)
{
    const Candidate *x = a, *y = b;
    return x->location.id < y->location.id ? -1 : x->location.id > y->location.id;
}

/* Counts an array among the refused arrays if this version cannot read it. */
static void count_refused(const XtfArray *array, XtfRefused *refused)
{
    g_autoptr(GError) reason = NULL;

    if (xtf_array_is_supported(array, NULL))
        return;
    if (!refused->reason && !xtf_array_is_supported(array, &reason))
        refused->reason = g_strdup(reason->message);
    refused->n_arrays++;
    refused->n_rows += array->n_rows;
}

static bool collect_indexed(XtfTrace *trace, GArray *candidates, XtfRefused *refused, GError **error)
{
    uint64_t n_arrays = xtf_trace_n_arrays(trace);
    XtfArray arrays[ARRAYS_PER_READ];
    Candidate *last = NULL;

    for (uint64_t rank = 0; rank < n_arrays; rank += ARRAYS_PER_READ) {
        uint64_t count = MIN(n_arrays - rank, (uint64_t)ARRAYS_PER_READ);
        if (!xtf_trace_get_arrays(trace, rank, count, arrays, error))
            return false;
        for (uint64_t i = 0; i < count; i++) {
            if (!last || last->location.id != arrays[i].location) {
                Candidate candidate = {
                    .location = {.id = arrays[i].location, .first_array = rank + i, .is_cpu_thread = true}};
                g_array_append_val(candidates, candidate);
                last = &g_array_index(candidates, Candidate, candidates->len - 1);
            }
            last->location.n_arrays++;
            count_refused(&arrays[i], refused);
        }
    }
    return true;
}

static bool is_cpu_thread(const XtfField *type, const uint8_t *row)
{
    const char *label = xtf_row_label(type, row);
    return !label || (!g_str_equal(label, "ACCELERATOR_STREAM") && !g_str_equal(label, "METRIC"));
}

static bool number_by_table(XtfTrace *trace, GArray *candidates, GError **error)
{
    const XtfTable *table;
    uint64_t n_indexed = candidates->len;

    if (!xtf_trace_table(trace, XTF_TABLE_LOCATIONS, &table, error))
        return false;
    const XtfField *id = table ? xtf_schema_field(table->schema, "id") : NULL;
    const XtfField *proc = table ? xtf_schema_field(table->schema, "proc") : NULL;
    const XtfField *thread = table ? xtf_schema_field(table->schema, "thread") : NULL;
    const XtfField *type = table ? xtf_schema_field(table->schema, "type") : NULL;

    if (table && table->n_rows > LOCATIONS_MAX)
        return xtf_fail(error, XTF_ERROR_TOO_LARGE, "the trace has %" PRIu64 " locations, more than %d", table->n_rows,
                        LOCATIONS_MAX);
    for (uint64_t i = 0; id && i < table->n_rows; i++) {
        const uint8_t *row = table->rows + i * table->schema->row_size;
        Candidate new = {.location.id = xtf_field_get(id, row), .has_number = true};
        Candidate *old = n_indexed ? bsearch(&new, candidates->data, n_indexed, sizeof new, compare_candidates) : NULL;

        new.location.proc = proc ? xtf_field_get(proc, row) : new.location.id;
        new.location.thread = thread ? xtf_field_get(thread, row) : 0;
        new.location.is_cpu_thread = is_cpu_thread(type, row);
        if (!old) {
            g_array_append_val(candidates, new);
        } else if (!old->has_number) { /* the first of two rows for one location counts */
            old->location.proc = new.location.proc;
            old->location.thread = new.location.thread;
            old->location.is_cpu_thread = new.location.is_cpu_thread;
            old->has_number = true;
        }
    }
    return true;
}

/* Makes each location that the table does not name a separate process. Its number is the location's key if free, else a
 * number above all other processes'. */
static void number_unlisted_locations(GArray *candidates)
{
    g_autofree uint64_t *taken = g_new(uint64_t, candidates->len + 1);
    uint32_t n_taken = 0;
    uint64_t next = 0;

    for (unsigned i = 0; i < candidates->len; i++) {
        Candidate *candidate = &g_array_index(candidates, Candidate, i);
        if (candidate->has_number)
            taken[n_taken++] = candidate->location.proc;
    }
    n_taken = xtf_sort_distinct(taken, n_taken);
    for (unsigned i = 0; i < candidates->len; i++) {
        Candidate *candidate = &g_array_index(candidates, Candidate, i);
        if (!candidate->has_number &&
            !bsearch(&candidate->location.id, taken, n_taken, sizeof *taken, xtf_compare_numbers)) {
            candidate->location.proc = candidate->location.id;
            candidate->has_number = true;
        }
        if (candidate->has_number)
            next = MAX(next, candidate->location.proc + 1);
    }
    for (unsigned i = 0; i < candidates->len; i++) {
        Candidate *candidate = &g_array_index(candidates, Candidate, i);
        if (!candidate->has_number)
            candidate->location.proc = next++;
    }
}

/* ---- The sorted forms. */

static int compare_locations(const void *a, const void *b)
{
    const XtfLocation *x = a, *y = b;
    if (x->proc != y->proc)
        return x->proc < y->proc ? -1 : 1;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

static void build_locations(XtfLocations *locations, GArray *candidates)
{
    uint32_t n = 0;

    g_array_sort(candidates, compare_candidates);
    locations->all = g_new(XtfLocation, candidates->len);
    for (unsigned i = 0; i < candidates->len; i++) {
        const Candidate *candidate = &g_array_index(candidates, Candidate, i);
        if (!n || locations->all[n - 1].id != candidate->location.id)
            locations->all[n++] = candidate->location;
    }
    locations->n = n;
    if (n)
        qsort(locations->all, n, sizeof *locations->all, compare_locations);

    locations->procs = g_new(uint64_t, n);
    locations->threads = g_new(uint64_t, n);
    for (uint32_t i = 0; i < n; i++) {
        locations->procs[i] = locations->all[i].proc;
        locations->threads[i] = locations->all[i].thread;
    }
    locations->n_procs = xtf_sort_distinct(locations->procs, n);
    locations->n_threads = xtf_sort_distinct(locations->threads, n);
    locations->proc_width = xtf_count_digits(n ? locations->procs[locations->n_procs - 1] : 0);
    locations->thread_width = xtf_count_digits(n ? locations->threads[locations->n_threads - 1] : 0);
}

/* Sets the widths for a growing trace, since columns do not widen later. */
static bool fix_widths(XtfLocations *locations, GError **error)
{
    if (MAX(locations->proc_width, locations->thread_width) > XTF_GROWING_NUMBER_WIDTH)
        return xtf_fail(error, XTF_ERROR_UNSUPPORTED,
                        "a process or thread number has more than %d digits, too many for the columns of a growing "
                        "trace",
                        XTF_GROWING_NUMBER_WIDTH);
    locations->proc_width = locations->thread_width = XTF_GROWING_NUMBER_WIDTH;
    return true;
}

/* Marks the locations of processes that have not ended. */
static bool mark_growing(XtfTraceContext *context, XtfLocations *locations, GError **error)
{
    if (xtf_trace_context_final(context) == UINT64_MAX)
        return true;
    g_autoptr(GArray) ends = xtf_stated_ends(context->trace, error);
    g_autoptr(GHashTable) ended = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    for (guint i = 0; ends && i < ends->len; i++) {
        const XtfStatedEnd *end = &g_array_index(ends, XtfStatedEnd, i);
        uint64_t proc = end->proc;
        if (end->kind != XTF_END_UNKNOWN)
            g_hash_table_add(ended, g_memdup2(&proc, sizeof proc));
    }
    for (uint32_t i = 0; i < locations->n; i++)
        locations->all[i].grows = !g_hash_table_contains(ended, &locations->all[i].proc);
    return ends;
}

static void locations_finish(XtfLocations *locations)
{
    g_clear_pointer(&locations->all, g_free);
    g_clear_pointer(&locations->procs, g_free);
    g_clear_pointer(&locations->threads, g_free);
    g_clear_pointer(&locations->refused.reason, g_free);
}

static bool load_locations(XtfTraceContext *context, GError **error)
{
    g_autoptr(GArray) candidates = g_array_new(FALSE, FALSE, sizeof(Candidate));
    XtfLocations *locations = &context->locations;

    *locations = (XtfLocations){0};
    bool good =
        collect_indexed(context->trace, candidates, &locations->refused, error) &&
        number_by_table(context->trace, candidates, error) &&
        (candidates->len <= G_MAXINT || xtf_fail(error, XTF_ERROR_UNSUPPORTED, "the trace has too many locations"));
    if (good) {
        number_unlisted_locations(candidates);
        build_locations(locations, candidates);
        good = !context->growing || (fix_widths(locations, error) && mark_growing(context, locations, error));
    }
    if (!good)
        locations_finish(locations);
    return good;
}

static bool load_ranks(XtfTraceContext *context, GError **error)
{
    return xtf_ranks_load(&context->ranks, context->trace, error);
}

static bool sort_members(XtfTraceContext *context, GError **error)
{
    xtf_ranks_sort_members(&context->ranks);
    return true;
}

static bool load_member_ranges(XtfTraceContext *context, GError **error)
{
    xtf_member_ranges_load(&context->member_ranges, &context->ranks);
    return true;
}

static bool load_name_indexes(XtfTraceContext *context, GError **error)
{
    if (!xtf_name_index_load(&context->regions, context->trace, XTF_TABLE_REGIONS, "region", error))
        return false;
    if (xtf_name_index_load(&context->comms, context->trace, XTF_TABLE_COMMUNICATORS, "communicator", error))
        return true;
    xtf_name_index_finish(&context->regions);
    return false;
}

static bool load_classes(XtfTraceContext *context, GError **error)
{
    return xtf_region_classes_load(&context->classes, context->trace, error);
}

static bool load_sites(XtfTraceContext *context, GError **error)
{
    return xtf_sites_load(&context->sites, context->trace, error);
}

static bool load_outdated(XtfTraceContext *context, GError **error)
{
    return xtf_analyses_find_outdated(context->trace, &context->outdated, error);
}

/* Calls `load` unless an earlier call succeeded. If `load` fails, the next caller retries. */
static bool load_once(XtfTraceContext *context, gint *loaded, bool (*load)(XtfTraceContext *, GError **),
                      GError **error)
{
    bool good = true;

    if (g_atomic_int_get(loaded))
        return true;
    g_mutex_lock(&context->lock);
    if (!*loaded && (good = load(context, error)))
        g_atomic_int_set(loaded, 1);
    g_mutex_unlock(&context->lock);
    return good;
}

const XtfLocations *xtf_trace_context_locations(XtfTraceContext *context, GError **error)
{
    return load_once(context, &context->locations_loaded, load_locations, error) ? &context->locations : NULL;
}

const XtfRanks *xtf_trace_context_ranks(XtfTraceContext *context, GError **error)
{
    return load_once(context, &context->ranks_loaded, load_ranks, error) ? &context->ranks : NULL;
}

const XtfRanks *xtf_trace_context_sorted_ranks(XtfTraceContext *context, GError **error)
{
    if (!xtf_trace_context_ranks(context, error) || !load_once(context, &context->members_sorted, sort_members, error))
        return NULL;
    return &context->ranks;
}

const XtfMemberRanges *xtf_trace_context_member_ranges(XtfTraceContext *context, GError **error)
{
    if (!xtf_trace_context_ranks(context, error) ||
        !load_once(context, &context->member_ranges_loaded, load_member_ranges, error))
        return NULL;
    return &context->member_ranges;
}

const XtfNameIndex *xtf_trace_context_regions(XtfTraceContext *context, GError **error)
{
    return load_once(context, &context->name_indexes_loaded, load_name_indexes, error) ? &context->regions : NULL;
}

const XtfNameIndex *xtf_trace_context_comms(XtfTraceContext *context, GError **error)
{
    return load_once(context, &context->name_indexes_loaded, load_name_indexes, error) ? &context->comms : NULL;
}

const XtfRegionClasses *xtf_trace_context_classes(XtfTraceContext *context, GError **error)
{
    return load_once(context, &context->classes_loaded, load_classes, error) ? &context->classes : NULL;
}

const XtfSites *xtf_trace_context_sites(XtfTraceContext *context, GError **error)
{
    return load_once(context, &context->sites_loaded, load_sites, error) ? &context->sites : NULL;
}

bool xtf_trace_context_is_outdated(XtfTraceContext *context, const XtfSchema *schema, bool *outdated, GError **error)
{
    *outdated = false;
    if (schema->kind != XTF_SCHEMA_DERIVED)
        return true;
    if (!load_once(context, &context->outdated_loaded, load_outdated, error))
        return false;
    *outdated = context->outdated && context->outdated[schema->id];
    return true;
}

uint32_t xtf_locations_of_proc(const XtfLocations *locations, uint64_t proc)
{
    uint32_t low = 0, high = locations->n;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (locations->all[middle].proc < proc)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool xtf_locations_find(const XtfLocations *locations, uint64_t proc, uint64_t thread, uint32_t *index)
{
    uint32_t low = 0, high = locations->n;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const XtfLocation *location = &locations->all[middle];
        if (location->proc < proc || (location->proc == proc && location->thread < thread))
            low = middle + 1;
        else
            high = middle;
    }
    *index = low;
    return low < locations->n && locations->all[low].proc == proc && locations->all[low].thread == thread;
}

uint64_t xtf_trace_context_final(const XtfTraceContext *context)
{
    const XtfClock *clock = xtf_trace_clock(context->trace);

    if (!context->growing || clock->complete == UINT64_MAX)
        return UINT64_MAX;
    /* Until the first record is complete, an earlier one may be added, which moves time 0. */
    return clock->first <= clock->last && clock->complete > clock->first ? clock->complete : 0;
}

uint64_t xtf_trace_context_longest(const XtfTraceContext *context)
{
    const XtfTimeScale *scale = &context->scale;
    uint64_t recorded = MAX(scale->last - scale->origin, xtf_trace_longest(context->trace));

    return context->growing ? MAX(recorded, scale->end - scale->origin) : recorded;
}

const XtfSchema *xtf_trace_context_schema(XtfTraceContext *context, const char *name, XtfSchemaKind kind)
{
    for (uint32_t i = 0; i < xtf_trace_n_schemas(context->trace); i++) {
        const XtfSchema *schema = xtf_trace_schema(context->trace, i);
        if (schema->kind == kind && strcmp(context->type_names[i], name) == 0)
            return schema;
    }
    return NULL;
}

bool xtf_trace_context_init(XtfTraceContext *context, XtfTrace *trace, bool growing,
                            bool (*is_reserved)(const XtfSchema *schema), GError **error)
{
    uint32_t n_schemas = xtf_trace_n_schemas(trace);
    const XtfSchema *calls = xtf_trace_find_schema(trace, XTF_RECORD_ENTERS_LEAVES);

    *context = (XtfTraceContext){.trace = trace, .growing = growing};
    g_mutex_init(&context->lock);
    if (growing)
        xtf_time_scale_init_growing(&context->scale, xtf_trace_clock(trace));
    else
        xtf_time_scale_init(&context->scale, xtf_trace_clock(trace));
    context->type_names = g_new0(char *, n_schemas + 1);
    for (uint32_t i = 0; i < n_schemas; i++) {
        const char *name = xtf_trace_schema(trace, i)->name;
        bool usable = xtf_directory_name_is_usable(name) && !is_reserved(xtf_trace_schema(trace, i));
        context->type_names[i] = usable ? g_strdup(name) : g_strdup_printf("schema~%u", i);
    }
    context->enters_leaves = calls && calls->kind == XTF_SCHEMA_RECORD ? (int64_t)calls->id : -1;
    context->properties = xtf_trace_read_properties(trace, error);
    context->scale.bytes =
        context->properties && xtf_properties_count_bytes(context->properties, xtf_trace_clock(trace));
    return context->properties && xtf_run_gaps_load(&context->gaps, trace, error);
}

void xtf_trace_context_finish(XtfTraceContext *context)
{
    g_free(context->name);
    g_strfreev(context->type_names);
    g_clear_pointer(&context->properties, g_hash_table_unref);
    xtf_run_gaps_finish(&context->gaps);
    locations_finish(&context->locations);
    xtf_member_ranges_finish(&context->member_ranges);
    xtf_ranks_finish(&context->ranks);
    xtf_name_index_finish(&context->regions);
    xtf_name_index_finish(&context->comms);
    xtf_region_classes_finish(&context->classes);
    xtf_sites_finish(&context->sites);
    g_free(context->outdated);
    g_mutex_clear(&context->lock);
}

bool xtf_trace_context_is_record(const XtfTraceContext *context, uint32_t schema)
{
    return schema < xtf_trace_n_schemas(context->trace) &&
           xtf_trace_schema(context->trace, schema)->kind == XTF_SCHEMA_RECORD;
}
