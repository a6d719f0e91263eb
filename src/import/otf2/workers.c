/*
 * Reads the events of all locations in parallel.
 *
 * Each worker has its own OTF2_Reader, since threads cannot share one. A worker opens a new reader for every
 * LOCATIONS_PER_READER locations. A single reader would keep the id maps and clock of each location in memory to the
 * end.
 */
#include <inttypes.h>

#include "src/import/otf2/errors.h"
#include "src/import/otf2/import.h"

enum {
    LOCATIONS_PER_READER = 32,
    EVENTS_PER_STEP = 65536,
    TYPICAL_EVENT_BYTES = 15,
    RARE_CALLS = 100, /* a fault of at most one in 100 calls is only a repair, not a warning */
};

typedef struct {
    XtfOtf2Import *import;
    unsigned number;
    XtfStream stream;
    uint64_t read, n_with_events;
    uint64_t own_definitions; /* number of unused definitions in locations' files */
    int64_t guessed;          /* the worker's part of import->bytes_guessed */
} Worker;

static bool has_failed(XtfOtf2Import *import)
{
    g_mutex_lock(&import->job->lock);
    bool failed = import->error;
    g_mutex_unlock(&import->job->lock);
    return failed;
}

/* Assigns the next locations to a worker and returns their number. 0: no locations remain, or an error stops all
 * workers. */
static guint take_locations(XtfOtf2Import *import, guint *first)
{
    guint n = 0;

    g_mutex_lock(&import->job->lock);
    if (!import->error) {
        n = MIN(LOCATIONS_PER_READER, import->locations->len - import->next);
        /* Workers get the last locations one by one, so that all end at about the same time. */
        if (import->locations->len - import->next < LOCATIONS_PER_READER * 4)
            n = MIN(n, 1);
        *first = import->next;
        import->next += n;
    }
    g_mutex_unlock(&import->job->lock);
    return n;
}

/* Keeps the first error, which stops all workers. */
static void keep_first_error(XtfOtf2Import *import, GError *error)
{
    g_mutex_lock(&import->job->lock);
    if (!import->error)
        import->error = error;
    else
        g_error_free(error);
    g_mutex_unlock(&import->job->lock);
}

/* Updates the share of bytes that is done: exact for finished locations, estimated for all others. */
static void update_progress(Worker *worker, const XtfOtf2Location *location, uint64_t events, uint64_t step)
{
    XtfOtf2Import *import = worker->import;
    uint64_t bytes_done = import->bytes_done, events_done = import->events_done;
    double event_bytes = events_done > 0 ? (double)bytes_done / events_done : TYPICAL_EVENT_BYTES;
    int64_t guess = MIN((double)location->bytes, events * event_bytes);

    atomic_fetch_add(&import->job->shared->events, step);
    atomic_fetch_add(&import->job->shared->heartbeat, 1);
    import->bytes_guessed += guess - worker->guessed;
    worker->guessed = guess;
    if (import->bytes > 0)
        import->job->shared->per_million =
            MIN(1.0, (double)(bytes_done + import->bytes_guessed) / import->bytes) * 1000000;
}

static void finish_progress(Worker *worker, const XtfOtf2Location *location, uint64_t events)
{
    XtfOtf2Import *import = worker->import;

    import->bytes_done += location->bytes;
    import->events_done += events;
    import->bytes_guessed -= worker->guessed;
    worker->guessed = 0;
}

static OTF2_CallbackCode count_map(void *applied, OTF2_MappingType type, const OTF2_IdMap *map)
{
    (*(uint64_t *)applied)++;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode count_offset(void *applied, OTF2_TimeStamp time, int64_t offset, double deviation)
{
    (*(uint64_t *)applied)++;
    return OTF2_CALLBACK_SUCCESS;
}

/* Reads the location's id maps and clock offsets, which OTF2 applies to its events. Counts all other definitions in its
 * file, which should repeat the archive's. */
static bool read_local_definitions(Worker *worker, OTF2_Reader *reader, const XtfOtf2Location *location, GError **error)
{
    const OTF2_DefReaderCallbacks *callbacks = worker->import->local_callbacks;
    uint64_t read = 0, applied = 0;

    if (!location->has_definitions)
        return true;
    OTF2_DefReader *definitions = OTF2_Reader_GetDefReader(reader, location->id);
    if (!definitions)
        return xtf_otf2_fail(error, XTF_ERROR_DAMAGED, OTF2_SUCCESS, "its definitions");
    OTF2_Reader_RegisterDefCallbacks(reader, definitions, callbacks, &applied);
    OTF2_ErrorCode code = OTF2_Reader_ReadAllLocalDefinitions(reader, definitions, &read);
    bool succeeded = code == OTF2_SUCCESS || xtf_otf2_fail(error, XTF_ERROR_DAMAGED, code, "its definitions");
    OTF2_Reader_CloseDefReader(reader, definitions);
    worker->own_definitions += read - MIN(applied, read);
    return succeeded;
}

/* Reads events to the end of the location, in steps. Stops early when another worker fails. False with an error. */
static bool read_steps(Worker *worker, OTF2_Reader *reader, OTF2_EvtReader *events, const XtfOtf2Location *location,
                       uint64_t *total, GError **error)
{
    uint64_t step = EVENTS_PER_STEP;

    while (step == EVENTS_PER_STEP && !has_failed(worker->import)) {
        step = 0;
        OTF2_ErrorCode code = OTF2_Reader_ReadLocalEvents(reader, events, EVENTS_PER_STEP, &step);
        *total += step;
        update_progress(worker, location, *total, step);
        if (worker->stream.error)
            return true; /* an error of writing, which xtf_stream_end() reports */
        if (code != OTF2_SUCCESS)
            return xtf_otf2_fail(error, XTF_ERROR_DAMAGED, code, "its events");
    }
    return true;
}

static bool read_events(Worker *worker, OTF2_Reader *reader, const XtfOtf2Location *location, uint64_t *total,
                        GError **error)
{
    OTF2_EvtReader *events = OTF2_Reader_GetEvtReader(reader, location->id);

    if (!events)
        return xtf_otf2_fail(error, XTF_ERROR_DAMAGED, OTF2_SUCCESS, "its events");
    /* OTF2's library should apply both by default. */
    OTF2_EvtReader_ApplyMappingTables(events, true);
    OTF2_EvtReader_ApplyClockOffsets(events, true);
    OTF2_Reader_RegisterEvtCallbacks(reader, events, worker->import->callbacks, &worker->stream);
    bool succeeded = read_steps(worker, reader, events, location, total, error);
    OTF2_Reader_CloseEvtReader(reader, events);
    return succeeded;
}

static void count_mishap(XtfOtf2Import *import, unsigned kind, uint64_t location, uint64_t count, uint64_t event)
{
    XtfOtf2Mishap *mishap = &import->mishaps[kind];

    if (count == 0)
        return;
    g_mutex_lock(&import->job->lock);
    if (mishap->locations++ == 0 || location < mishap->location) {
        mishap->location = location;
        mishap->event = event;
    }
    mishap->count += count;
    g_mutex_unlock(&import->job->lock);
}

/* Warns of faults of the location's times. Counts faults of its calls, for one remark on all locations. */
static void count_mishaps(Worker *worker, uint64_t location)
{
    const XtfStream *stream = &worker->stream;
    XtfOtf2Import *import = worker->import;

    if (stream->backward.count > 0)
        xtf_import_warn(import->job,
                        "location %" PRIu64 ": its times go back at %" PRIu64
                        " of its events, the first being event %" PRIu64
                        ": these events got the times of their predecessors, so times around them are wrong",
                        location, stream->backward.count, stream->backward.first_seq);
    count_mishap(import, XTF_OTF2_WITHOUT_ENTER, location, stream->without_enter.count,
                 stream->without_enter.first_seq);
    count_mishap(import, XTF_OTF2_OUT_OF_ORDER, location, stream->out_of_order.count, stream->out_of_order.first_seq);
    count_mishap(import, XTF_OTF2_NEVER_LEFT, location, stream->never_left, stream->seq);
    count_mishap(import, XTF_OTF2_TOO_DEEP, location, stream->max_unstored, stream->seq);
}

static void warn_of_mishaps(XtfOtf2Import *import)
{
    static const char *const texts[] = {
        [XTF_OTF2_WITHOUT_ENTER] = "left and never entered: not counted, its time is counted for the call around it",
        [XTF_OTF2_OUT_OF_ORDER] = "left while calls inside it are open: these end with it",
        [XTF_OTF2_NEVER_LEFT] = "never left: it lasts until a call around it is left, or to the end",
        [XTF_OTF2_TOO_DEEP] = "too deep in the stack: its caller is unknown",
    };
    uint64_t calls = import->job->counts[XTF_MODEL_ENTERS_LEAVES][XTF_LABEL_ENTER];

    for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++) {
        const XtfOtf2Mishap *mishap = &import->mishaps[i];
        g_autofree char *locations = xtf_import_quantity(mishap->locations, "location");
        /* Many recorders end a trace with a few faulty calls. */
        bool rare = mishap->count <= calls / RARE_CALLS;
        if (mishap->count > 0)
            xtf_import_note(import->job, rare ? import->job->report.repaired : import->job->report.warnings,
                            "%" PRIu64 " of %" PRIu64 " calls %s %s (in %s, such as %" PRIu64 " at event %" PRIu64 ")",
                            mishap->count, calls, mishap->count == 1 ? "is" : "are", texts[i], locations,
                            mishap->location, mishap->event);
    }
}

/* Handles a damaged location: warns with --keep-going, else fails. */
static bool handle_damage(XtfOtf2Import *import, const XtfOtf2Location *location, uint64_t read, const GError *damage,
                          GError **error)
{
    if (import->job->options->keep_going) {
        xtf_import_warn(import->job, "location %" PRIu64 ": only its first %" PRIu64 " events were imported: %s",
                        location->id, read, damage->message);
        return true;
    }
    return xtf_fail(error, damage->code,
                    "location %" PRIu64 " is damaged after %" PRIu64
                    " events (xtf import --keep-going imports the rest): %s",
                    location->id, read, damage->message);
}

static bool read_location(Worker *worker, OTF2_Reader *reader, const XtfOtf2Location *location, GError **error)
{
    XtfOtf2Import *import = worker->import;
    g_autoptr(GError) damage = NULL;
    uint64_t read = 0;

    atomic_store(&import->job->shared->busy_with[worker->number], location->id + 1);
    if (import->job->share)
        import->job->share->location = location->index;
    xtf_stream_begin(&worker->stream, location->id);
    bool succeeded = read_local_definitions(worker, reader, location, &damage) &&
                     read_events(worker, reader, location, &read, &damage);
    worker->read += read;
    worker->n_with_events += worker->stream.seq > 0;
    /* An error of writing, such as a full disk, is reported before damage of the archive. */
    if (!xtf_stream_end(&worker->stream, error))
        return false;
    count_mishaps(worker, location->id);
    finish_progress(worker, location, read);
    atomic_store(&import->job->shared->busy_with[worker->number], 0);
    xtf_otf2_note_events(import, location, read, !succeeded);
    return succeeded || handle_damage(import, location, read, damage, error);
}

/* Reads n locations with a new reader. */
static bool read_locations(Worker *worker, guint first, guint n, GError **error)
{
    XtfOtf2Import *import = worker->import;
    OTF2_Reader *reader = OTF2_Reader_Open(import->job->anchor);
    bool succeeded = reader && OTF2_Reader_SetSerialCollectiveCallbacks(reader) == OTF2_SUCCESS;

    for (guint i = 0; i < n && succeeded; i++)
        succeeded = OTF2_Reader_SelectLocation(
                        reader, g_array_index(import->locations, XtfOtf2Location, first + i).id) == OTF2_SUCCESS;
    succeeded = succeeded && OTF2_Reader_OpenDefFiles(reader) == OTF2_SUCCESS &&
                OTF2_Reader_OpenEvtFiles(reader) == OTF2_SUCCESS;
    if (!succeeded)
        xtf_otf2_fail(error, XTF_ERROR_DAMAGED, OTF2_SUCCESS, import->job->anchor);
    for (guint i = 0; i < n && succeeded; i++) {
        xtf_otf2_forget_errors();
        succeeded = read_location(worker, reader, &g_array_index(import->locations, XtfOtf2Location, first + i), error);
    }
    if (reader)
        OTF2_Reader_Close(reader); /* closes its files, too */
    return succeeded;
}

/* Reads locations until none remain: the function of a worker's thread. */
static gpointer run_worker(gpointer data)
{
    Worker *worker = data;
    XtfOtf2Import *import = worker->import;
    g_autofree char *folder = g_path_get_dirname(import->job->replaced->path);
    GError *error = NULL;
    guint first, n;

    xtf_stream_init(&worker->stream, import->job->writer, &import->source.definitions, import->job->schemas);
    worker->stream.requests.folder = folder;
    worker->stream.has_sites = import->job->has_sites;
    worker->stream.has_contexts = import->job->has_contexts;
    worker->stream.call_sites = import->call_sites;
    worker->stream.context_sites = import->context_sites;
    while (!error && (n = take_locations(import, &first)) > 0)
        if (!read_locations(worker, first, n, &error))
            keep_first_error(import, error);
    xtf_import_count(import->job, &worker->stream, worker->read, worker->n_with_events);
    g_mutex_lock(&import->job->lock);
    import->own_definitions += worker->own_definitions;
    g_mutex_unlock(&import->job->lock);
    xtf_stream_finish(&worker->stream);
    return NULL;
}

/* Reads the events of the listed locations. The first error is in import->error. */
static void read_in_threads(XtfOtf2Import *import)
{
    unsigned jobs = import->job->options->jobs ? import->job->options->jobs : g_get_num_processors();

    jobs = CLAMP(jobs, 1, MIN(XTF_SUPERVISED_WORKERS, MAX(1, import->locations->len)));
    g_autofree Worker *workers = g_new0(Worker, jobs);
    g_autofree GThread **threads = g_new0(GThread *, jobs);
    import->callbacks = xtf_otf2_event_callbacks();
    import->local_callbacks = OTF2_DefReaderCallbacks_New();
    OTF2_DefReaderCallbacks_SetMappingTableCallback(import->local_callbacks, count_map);
    OTF2_DefReaderCallbacks_SetClockOffsetCallback(import->local_callbacks, count_offset);
    for (unsigned i = 0; i < jobs; i++) {
        workers[i].import = import;
        workers[i].number = i;
        threads[i] = g_thread_new("import", run_worker, &workers[i]);
    }
    for (unsigned i = 0; i < jobs; i++)
        g_thread_join(threads[i]);
    OTF2_EvtReaderCallbacks_Delete(import->callbacks);
    OTF2_DefReaderCallbacks_Delete(import->local_callbacks);
}

static void note_faults(XtfOtf2Import *import)
{
    xtf_otf2_report_losses(import); /* first, since lost events may cause faults of calls */
    warn_of_mishaps(import);
    g_autofree char *definitions = xtf_import_quantity(import->own_definitions, "definition");
    if (import->own_definitions > 0)
        xtf_import_note_left_out(
            import->job, "%s in locations' own files (.def): the archive's definitions are used instead", definitions);
}

bool xtf_otf2_read_events(XtfOtf2Import *import, GError **error)
{
    if (xtf_import_combines(import->job)) {
        if (!xtf_otf2_combine_shares(import, error))
            return false;
    } else {
        read_in_threads(import);
    }
    if (!xtf_import_reads_share(import->job))
        note_faults(import);
    if (import->error) {
        g_propagate_error(error, g_steal_pointer(&import->error));
        return false;
    }
    return true;
}
