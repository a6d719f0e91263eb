#include "src/import/calls.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
    CPU_THREAD = 1, /* index in xtf_location_types */
    PROCESS = 1,    /* index in xtf_process_types */
};

typedef struct {
    uint32_t process, thread;
    XtfStream stream;
} Location;

struct XtfCallImport {
    XtfImportJob *job;
    XtfDefinitions definitions;
    GHashTable *locations;   /* guint64 -> Location, owned by the table */
    GHashTable *regions;     /* name -> row of the table `regions`, plus 1 */
    Location *last_location; /* of the previous event; mostly the next event has it, too */
};

/* ---- Definitions. They are added while events are read, after the resolved rows. */

static void location_free(void *data)
{
    Location *location = data;

    xtf_stream_finish(&location->stream);
    g_free(location);
}

void xtf_import_calls_property(XtfCallImport *calls, const char *name, const char *value)
{
    const XtfPropertyRow row = {.name = xtf_definitions_late_string(&calls->definitions, name),
                                .value = xtf_definitions_late_string(&calls->definitions, value)};

    xtf_definitions_add_part(&calls->definitions, XTF_MODEL_PROPERTIES, &row);
    calls->definitions.count++;
}

static uint32_t region_of(XtfCallImport *calls, const char *name)
{
    uint32_t row = GPOINTER_TO_UINT(g_hash_table_lookup(calls->regions, name));

    if (G_UNLIKELY(row == 0)) {
        const XtfRegionRow region = {
            .name = xtf_definitions_late_string(&calls->definitions, name), .line = XTF_NONE32, .end_line = XTF_NONE32};
        xtf_definitions_add_part(&calls->definitions, XTF_MODEL_REGIONS, &region);
        calls->definitions.count++;
        row = g_hash_table_size(calls->regions) + 1;
        g_hash_table_insert(calls->regions, g_strdup(name), GUINT_TO_POINTER(row));
    }
    return row - 1;
}

static Location *location_of(XtfCallImport *calls, uint32_t process, uint32_t thread)
{
    const uint64_t id = (uint64_t)process << 32 | thread;
    Location *location = calls->last_location;

    if (location && location->process == process && location->thread == thread)
        return location;
    location = g_hash_table_lookup(calls->locations, &id);
    if (!location) {
        location = g_new0(Location, 1);
        location->process = process;
        location->thread = thread;
        xtf_stream_init(&location->stream, calls->job->writer, &calls->definitions, calls->job->schemas);
        xtf_stream_begin(&location->stream, id);
        g_hash_table_insert(calls->locations, g_memdup2(&id, sizeof id), location);
    }
    calls->last_location = location;
    return location;
}

static int compare_locations(const void *a, const void *b)
{
    const Location *x = *(Location *const *)a, *y = *(Location *const *)b;

    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    return x->thread < y->thread ? -1 : x->thread > y->thread;
}

static void add_process(XtfCallImport *calls, uint32_t process)
{
    g_autofree char *name = g_strdup_printf("process %" PRIu32, process);
    const XtfProcessRow row = {.proc = process,
                               .id = process,
                               .type = PROCESS,
                               .system_tree_node = XTF_NONE32,
                               .creator = XTF_NONE32,
                               .name = xtf_definitions_late_string(&calls->definitions, name)};

    xtf_definitions_add_part(&calls->definitions, XTF_MODEL_PROCESSES, &row);
}

/* Adds the rows of processes and locations, in the order of their numbers. */
static void add_location_rows(XtfCallImport *calls, Location *const *locations, guint n)
{
    uint32_t n_processes = 0;

    for (guint i = 0; i < n; i++) {
        const Location *location = locations[i];
        if (i == 0 || location->process != locations[i - 1]->process) {
            add_process(calls, location->process);
            n_processes++;
        }
        g_autofree char *name = g_strdup_printf("thread %" PRIu32, location->thread);
        const XtfLocationRow row = {.id = location->stream.location,
                                    .proc = location->process,
                                    .thread = location->thread,
                                    .process = n_processes - 1,
                                    .type = CPU_THREAD,
                                    .n_events = location->stream.seq,
                                    .name = xtf_definitions_late_string(&calls->definitions, name)};
        xtf_definitions_add_part(&calls->definitions, XTF_MODEL_LOCATIONS, &row);
    }
    calls->definitions.count += n_processes + n;
}

/* ---- The import. */

XtfCallImport *xtf_import_calls_begin(XtfImportJob *job, uint64_t ticks_per_second, const char *identity,
                                      GError **error)
{
    if (!xtf_import_may_replace(job, identity, error) || !xtf_import_create_output(job, ticks_per_second, 0, error))
        return NULL;
    XtfCallImport *calls = g_new0(XtfCallImport, 1);
    calls->job = job;
    calls->locations = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, location_free);
    calls->regions = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    xtf_definitions_init(&calls->definitions);
    if (!xtf_definitions_resolve(&calls->definitions, job->writer, error)) {
        xtf_import_calls_free(calls);
        return NULL;
    }
    xtf_import_calls_property(calls, "source", job->importer->name);
    xtf_import_calls_property(calls, job->importer->identity, identity);
    return calls;
}

void xtf_import_calls_free(XtfCallImport *calls)
{
    if (!calls)
        return;
    g_hash_table_unref(calls->locations);
    g_hash_table_unref(calls->regions);
    xtf_definitions_finish(&calls->definitions);
    g_free(calls);
}

/* Returns `good`. If it is false, passes on the stream's error. */
static bool check_append(Location *location, bool good, GError **error)
{
    if (!good)
        g_propagate_error(error, g_steal_pointer(&location->stream.error));
    return good;
}

bool xtf_import_calls_enter(XtfCallImport *calls, uint32_t process, uint32_t thread, uint64_t time, const char *region,
                            GError **error)
{
    Location *location = location_of(calls, process, thread);
    return check_append(location, xtf_stream_enter(&location->stream, time, region_of(calls, region)), error);
}

bool xtf_import_calls_leave(XtfCallImport *calls, uint32_t process, uint32_t thread, uint64_t time, const char *region,
                            GError **error)
{
    Location *location = location_of(calls, process, thread);
    return check_append(location, xtf_stream_leave(&location->stream, time, region_of(calls, region)), error);
}

void xtf_import_calls_skip(XtfCallImport *calls, uint64_t n)
{
    calls->job->report.read += n;
    calls->job->report.left_out_events += n;
}

/* ---- The end. */

static bool end_location(XtfCallImport *calls, Location *location, XtfMishaps *mishaps, GError **error)
{
    XtfStream *stream = &location->stream;

    if (!xtf_stream_end(stream, error))
        return false;
    xtf_import_count(calls->job, stream, stream->seq, 1);
    xtf_import_add_mishaps(mishaps, stream);
    return true;
}

bool xtf_import_calls_end(XtfCallImport *calls, GError **error)
{
    XtfImportJob *job = calls->job;
    g_autoptr(GPtrArray) locations = g_ptr_array_new();
    XtfMishaps mishaps = {0};
    GHashTableIter iter;
    void *location;

    g_hash_table_iter_init(&iter, calls->locations);
    while (g_hash_table_iter_next(&iter, NULL, &location))
        g_ptr_array_add(locations, location);
    if (locations->len > 1)
        qsort(locations->pdata, locations->len, sizeof(void *), compare_locations);
    for (guint i = 0; i < locations->len; i++) {
        if (!end_location(calls, locations->pdata[i], &mishaps, error))
            return false;
    }
    add_location_rows(calls, (Location *const *)locations->pdata, locations->len);
    xtf_import_note_mishaps(job, &mishaps);
    xtf_import_store_remarks(job, &calls->definitions);
    job->report.definitions = calls->definitions.count;
    return xtf_definitions_write(&calls->definitions, error) && xtf_writer_close(g_steal_pointer(&job->writer), error);
}
