/*
 * Imports an archive of OTF1: definitions, markers, then the events of each stream, then tables. Runs in a child
 * process, see supervise.h.
 */
#include "src/import/otf1/import.h"

#include <inttypes.h>
#include <sys/stat.h>

#include "src/files/head.h"
#include "src/import/definitions/process-numbers.h"
#include "src/import/otf1/files.h"

enum {
    OPEN_FILES = 16,
    IDENTITY_BYTES = 64 << 10, /* bytes of each file that identify the archive */
    GLOBAL = 0,                /* the stream that has the definitions of all streams, and the markers */
};

/* ---- The archive. */

static int compare_stream_ids(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Returns the ids of the streams, ascending (of uint32_t), without the global one. */
static GArray *list_streams(const GArray *entries)
{
    GArray *all = g_array_new(FALSE, FALSE, sizeof(uint32_t)), *streams = g_array_new(FALSE, FALSE, sizeof(uint32_t));

    for (guint i = 0; i < entries->len; i++)
        g_array_append_val(all, g_array_index(entries, XtfOtf1Entry, i).stream);
    g_array_sort(all, compare_stream_ids);
    for (guint i = 0; i < all->len; i++) {
        uint32_t id = g_array_index(all, uint32_t, i);
        if (id != GLOBAL && (i == 0 || id != g_array_index(all, uint32_t, i - 1)))
            g_array_append_val(streams, id);
    }
    g_array_unref(all);
    return streams;
}

/* Returns the trace's identity: a hash of the beginnings of the master file, the definitions and the first events. */
static char *identity_of(const XtfOtf1Import *import, const GArray *streams)
{
    g_autoptr(GChecksum) checksum = g_checksum_new(G_CHECKSUM_SHA256);
    uint32_t first = streams->len > 0 ? g_array_index(streams, uint32_t, 0) : GLOBAL;
    g_autofree char *definitions = xtf_otf1_stream_file(import->stem, GLOBAL, "def", NULL);
    g_autofree char *events = xtf_otf1_stream_file(import->stem, first, "events", NULL);

    const char *const paths[] = {import->job->anchor, definitions, events};
    for (unsigned i = 0; i < G_N_ELEMENTS(paths); i++)
        if (paths[i])
            xtf_file_add_head(checksum, paths[i], IDENTITY_BYTES, NULL);
    return g_strdup(g_checksum_get_string(checksum));
}

/* ---- Definitions. */

static bool read_definitions(XtfOtf1Import *import, const GArray *streams, GError **error)
{
    OTF_HandlerArray *handlers = OTF_HandlerArray_open();
    uint64_t n;

    xtf_otf1_set_definition_handlers(handlers, &import->source);
    bool good = xtf_otf1_read(import, GLOBAL, XTF_OTF1_DEFINITIONS, handlers, &n, error);
    for (guint i = 0; good && i < streams->len; i++)
        good = xtf_otf1_read(import, g_array_index(streams, uint32_t, i), XTF_OTF1_DEFINITIONS, handlers, &n, error);
    /* Also the definitions of markers; the markers themselves have no handler yet. */
    if (good)
        good = xtf_otf1_read(import, GLOBAL, XTF_OTF1_MARKERS, handlers, &n, error);
    OTF_HandlerArray_close(handlers);
    return good;
}

static void add_property(XtfOtf1Import *import, const char *name, const char *value)
{
    XtfDefinitions *definitions = &import->source.definitions;
    const XtfPropertyRow row = {.name = xtf_definitions_intern_string(definitions, name),
                                .value = xtf_definitions_intern_string(definitions, value)};

    xtf_definitions_add_part(definitions, XTF_MODEL_PROPERTIES, &row);
}

/* Makes rows of the definitions, and creates the output. */
static bool add_definitions(XtfOtf1Import *import, const GArray *entries, const char *identity, GError **error)
{
    XtfOtf1Definitions *source = &import->source;
    XtfDefinitions *definitions = &source->definitions;
    uint64_t n_undefined = xtf_otf1_define(source, &import->ranks, entries);
    g_autofree char *uid = g_strdup_printf("%" PRIx64, source->uid);

    add_property(import, "source", import->job->importer->name);
    add_property(import, XTF_OTF1_TRACE_ID, identity);
    if (source->has_uid)
        add_property(import, "otf1.unique_id", uid);
    xtf_import_note_definitions(import->job, definitions, xtf_number_processes(definitions));
    if (n_undefined > 0)
        xtf_import_warn(import->job, "processes in the master file that are not defined: %" PRIu64, n_undefined);
    if (import->ranks.n_circles > 0)
        xtf_import_warn(import->job, "processes whose parents form circles, and are ignored: %" PRIu64,
                        import->ranks.n_circles);
    for (guint i = 0; i < source->processes->len; i++)
        xtf_otf1_locations_add(&import->locations, g_array_index(source->processes, XtfOtf1Process, i).id);
    if (source->resolution == 0)
        xtf_import_warn(import->job,
                        "the archive does not give the resolution of its clock: ticks are taken as nanoseconds");
    return xtf_import_create_output(import->job, source->resolution > 0 ? source->resolution : 1000000000, UINT64_MAX,
                                    error) &&
           xtf_definitions_resolve(definitions, import->job->writer, error);
}

/* ---- Events. */

static bool was_skipped(const XtfOtf1Import *import, uint32_t stream)
{
    for (guint i = 0; i < import->job->skipped->len; i++)
        if (g_array_index(import->job->skipped, uint64_t, i) == stream)
            return true;
    return false;
}

/* Appends postponed records that remain, and closes the location's arrays. */
static bool close_location(XtfOtf1Import *import, XtfOtf1Location *location, GError **error)
{
    XtfStream *stream = &location->stream;

    xtf_otf1_append_postponed(location, UINT64_MAX); /* its error is also that of the end */
    if (!xtf_stream_end(stream, error))
        return false;
    xtf_import_count(import->job, stream, 0, stream->seq > 0);
    xtf_import_add_mishaps(&import->mishaps, stream);
    xtf_stream_finish(stream);
    location->ended = true;
    return true;
}

static bool close_locations(XtfOtf1Import *import, GError **error)
{
    for (guint i = 0; i < import->open->len; i++)
        if (!close_location(import, import->open->pdata[i], error))
            return false;
    g_ptr_array_set_size(import->open, 0);
    return true;
}

/* Appends the markers of locations that have no events. */
static bool append_remaining_markers(XtfOtf1Import *import, GError **error)
{
    GHashTableIter iter;
    gpointer location;

    g_hash_table_iter_init(&iter, import->locations.by_process);
    while (g_hash_table_iter_next(&iter, NULL, &location))
        if (((XtfOtf1Location *)location)->postponed && !((XtfOtf1Location *)location)->ended)
            xtf_otf1_open(import, location);
    return close_locations(import, error);
}

static uint64_t file_size(const char *path)
{
    struct stat info;
    return path && stat(path, &info) == 0 ? (uint64_t)info.st_size : 0;
}

/* Reads a stream's events. */
static bool read_stream(XtfOtf1Import *import, uint32_t stream, OTF_HandlerArray *handlers, GError **error)
{
    uint64_t n;

    if (was_skipped(import, stream)) {
        xtf_import_warn(import->job, "stream %" PRIu32 ": its events are missing: the reader crashed or hung on them",
                        stream);
        return true;
    }
    g_autofree char *events = xtf_otf1_stream_file(import->stem, stream, "events", NULL);
    import->n_without_events += !events;
    atomic_store(&import->job->shared->busy_with[0], (uint64_t)stream + 1);
    bool good = xtf_otf1_read(import, stream, XTF_OTF1_EVENTS, handlers, &n, error);
    atomic_store(&import->job->shared->busy_with[0], 0);
    import->bytes_done += file_size(events);
    return good && close_locations(import, error);
}

static bool read_events(XtfOtf1Import *import, const GArray *streams, GError **error)
{
    OTF_HandlerArray *handlers = OTF_HandlerArray_open();
    uint64_t n;

    for (guint i = 0; i < streams->len; i++) {
        g_autofree char *events =
            xtf_otf1_stream_file(import->stem, g_array_index(streams, uint32_t, i), "events", NULL);
        import->bytes += file_size(events);
    }
    xtf_otf1_set_event_handlers(handlers, import);
    xtf_otf1_set_io_handlers(handlers, import);
    bool good = xtf_otf1_read(import, GLOBAL, XTF_OTF1_MARKERS, handlers, &n, error);
    for (guint i = 0; good && i < streams->len; i++)
        good = read_stream(import, g_array_index(streams, uint32_t, i), handlers, error);
    OTF_HandlerArray_close(handlers);
    return good && append_remaining_markers(import, error);
}

/* Counts the records of files that are left out. No handlers are set, so the library only passes over the lines. */
static uint64_t count_records(XtfOtf1Import *import, const GArray *streams, XtfOtf1Kind kind)
{
    OTF_HandlerArray *handlers = OTF_HandlerArray_open();
    uint64_t total = 0, n;

    for (guint i = 0; i <= streams->len; i++) {
        xtf_otf1_read(import, i < streams->len ? g_array_index(streams, uint32_t, i) : GLOBAL, kind, handlers, &n,
                      NULL);
        total += n;
    }
    OTF_HandlerArray_close(handlers);
    return total;
}

/* ---- Remarks. */

/* Adds a remark on n records or definitions that are left out, unless n is 0. */
static void note_left_out(XtfOtf1Import *import, const char *records, uint64_t n)
{
    if (n > 0)
        xtf_import_note_left_out(import->job, "%s: %" PRIu64, records, n);
}

static void note_left_out_records(XtfOtf1Import *import, const GArray *streams)
{
    const XtfOtf1Definitions *source = &import->source;

    note_left_out(import, "events, for the reasons that the warnings give", import->job->report.left_out_events);
    note_left_out(import, "snapshots, which repeat what events say",
                  import->n_snapshots + count_records(import, streams, XTF_OTF1_SNAPSHOTS));
    note_left_out(import, "summaries, which can be computed from events",
                  count_records(import, streams, XTF_OTF1_SUMMARIES));
    note_left_out(import, "definitions of processes that stand for others", source->substitutes);
    note_left_out(import, "definitions of times that have snapshots or summaries", source->sample_points);
    note_left_out(import, "keys and values of definitions and markers", source->key_values);
    note_left_out(import, "definitions of kinds that OTF's library does not know", source->unknown);
}

static void note_faults(XtfOtf1Import *import)
{
    const struct {
        uint64_t n;
        const char *text;
    } warnings[] = {
        {import->n_without_time, "events before the first time of their stream, which are left out"},
        {import->n_undefined, "events of processes that are not defined, which are left out"},
        {import->n_scattered, "events of processes whose other events are in an earlier stream, which are left out"},
        {import->n_without_begin, "ends of collective operations that did not begin, whose communicator is unknown"},
        {import->n_strangers, "processes that are not in the group of their event, and whose rank is unknown"},
        {import->n_without_events, "streams without a file of events"},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(warnings); i++)
        if (warnings[i].n > 0)
            xtf_import_warn(import->job, "%s: %" PRIu64, warnings[i].text, warnings[i].n);
    if (import->n_unknown > 0)
        xtf_import_warn(import->job,
                        "records that OTF's library does not know, such as '%s', which are left out: %" PRIu64,
                        import->first_unknown, import->n_unknown);
    if (import->ranks.n_outsiders > 0)
        xtf_import_note_repair(import->job,
                               "messages whose two ends are not in their group, and which are shown in the group of "
                               "all processes: %" PRIu64,
                               import->ranks.n_outsiders);
    if (import->n_moved_markers > 0)
        xtf_import_note_repair(import->job, "markers of groups, which are shown at the first member: %" PRIu64,
                               import->n_moved_markers);
    if (import->source.n_guessed > 0)
        xtf_import_note_repair(import->job,
                               "collective operations of unknown names, which are named by their type: %" PRIu64,
                               import->source.n_guessed);
    if (import->source.local > 0)
        xtf_import_note_repair(import->job, "definitions of single streams, which count for all streams: %" PRIu64,
                               import->source.local);
    xtf_import_note_mishaps(import->job, &import->mishaps);
}

/* ---- The import. */

static bool import_archive(XtfOtf1Import *import, const GArray *entries, const GArray *streams, GError **error)
{
    XtfDefinitions *definitions = &import->source.definitions;
    g_autofree char *identity = identity_of(import, streams);

    if (!xtf_import_may_replace(import->job, identity, error) || !read_definitions(import, streams, error) ||
        !add_definitions(import, entries, identity, error) || !read_events(import, streams, error))
        return false;
    note_left_out_records(import, streams);
    note_faults(import);
    xtf_import_note_undefined_ids(import->job, definitions);
    xtf_import_store_remarks(import->job, definitions);
    return xtf_definitions_write(definitions, error) && xtf_writer_close(g_steal_pointer(&import->job->writer), error);
}

/* Checks that the archive has a file of definitions. */
static bool check_files(const XtfOtf1Import *import, GError **error)
{
    GError *fault = NULL;
    g_autofree char *definitions = xtf_otf1_stream_file(import->stem, GLOBAL, "def", &fault);
    g_autofree char *stem = g_path_get_basename(import->stem), *name = g_strconcat(stem, ".0.def", NULL);

    if (fault)
        g_propagate_error(error, fault);
    else if (!definitions)
        xtf_fail(error, XTF_ERROR_DAMAGED, "%s.0.def: there is no such file; it should have the archive's definitions",
                 import->stem);
    return definitions;
}

bool xtf_otf1_import(XtfImportJob *job, GError **error)
{
    g_autoptr(GArray) entries = xtf_otf1_read_master(job->anchor, error);
    g_autoptr(GArray) streams = entries ? list_streams(entries) : NULL;
    XtfOtf1Import import = {.job = job};

    if (!entries || !xtf_otf1_load(error))
        return false;
    import.stem = xtf_otf1_stem(job->anchor);
    import.manager = OTF_FileManager_open(OPEN_FILES);
    import.open = g_ptr_array_new();
    xtf_otf1_definitions_init(&import.source);
    xtf_otf1_locations_init(&import.locations);
    bool good = check_files(&import, error) && import_archive(&import, entries, streams, error);
    job->report.definitions = import.source.count;
    g_ptr_array_unref(import.open);
    xtf_otf1_locations_finish(&import.locations);
    xtf_otf1_ranks_finish(&import.ranks);
    xtf_otf1_definitions_finish(&import.source);
    OTF_FileManager_close(import.manager);
    g_clear_error(&import.error);
    g_free(import.first_unknown);
    g_free(import.stem);
    return good;
}
