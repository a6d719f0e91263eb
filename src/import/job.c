#include "src/import/job.h"

#include <inttypes.h>
#include <stdarg.h>

enum {
    NOTES_MAX = 200, /* most remarks in one list of the report */
};

/* Lists the last remark of a list as one on the location that is being read, for other ranks. */
static void share_note(XtfImportJob *job, const GPtrArray *notes)
{
    GPtrArray *const lists[] = {XTF_IMPORT_NOTE_LISTS(job)};

    for (unsigned i = 0; job->share && i < G_N_ELEMENTS(lists); i++)
        if (lists[i] == notes)
            xtf_share_note(job->share, i, notes->pdata[notes->len - 1]);
}

void xtf_import_note(XtfImportJob *job, GPtrArray *notes, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    g_autofree char *note = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_mutex_lock(&job->lock);
    if (notes->len < NOTES_MAX) {
        g_ptr_array_add(notes, g_utf8_make_valid(note, -1)); /* file names in it may have any bytes */
        share_note(job, notes);
    } else {
        job->n_unlisted_notes++;
        if (job->share && job->share->location != XTF_NONE32)
            job->share->n_unlisted++;
    }
    g_mutex_unlock(&job->lock);
}

char *xtf_import_quantity(uint64_t n, const char *noun)
{
    return g_strdup_printf("%" PRIu64 " %s%s", n, noun, n == 1 ? "" : "s");
}

static void store_remarks(XtfDefinitions *definitions, unsigned kind, const GPtrArray *texts)
{
    for (guint i = 0; i < texts->len; i++)
        xtf_definitions_add_remark(definitions, kind, texts->pdata[i]);
}

void xtf_import_store_remarks(XtfImportJob *job, XtfDefinitions *definitions)
{
    const XtfImportReport *report = &job->report;

    if (job->n_unlisted_notes > 0)
        g_ptr_array_add(report->warnings, g_strdup_printf("and %" PRIu64 " more remarks", job->n_unlisted_notes));
    store_remarks(definitions, XTF_REMARK_WARNING, report->warnings);
    store_remarks(definitions, XTF_REMARK_LEFT_OUT, report->left_out);
    store_remarks(definitions, XTF_REMARK_REPAIRED, report->repaired);
}

void xtf_import_add_mishaps(XtfMishaps *mishaps, const XtfStream *stream)
{
    mishaps->backward += stream->backward.count;
    mishaps->without_enter += stream->without_enter.count;
    mishaps->out_of_order += stream->out_of_order.count;
    mishaps->never_left += stream->never_left;
    mishaps->too_deep += stream->max_unstored;
}

void xtf_import_note_mishaps(XtfImportJob *job, const XtfMishaps *mishaps)
{
    const struct {
        uint64_t n;
        const char *text;
    } all[] = {
        {mishaps->backward, "events with times before the time of the preceding event, which are shown at that time"},
        {mishaps->without_enter,
         "calls that are left and never entered, whose time is counted for the call around them"},
        {mishaps->out_of_order, "calls that are left while calls inside them are open, which end with them"},
        {mishaps->never_left, "calls that are never left, and last until a call around them is left, or to the end"},
        {mishaps->too_deep, "calls that are too deep in the stack, whose callers are unknown"},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(all); i++) {
        if (all[i].n > 0)
            xtf_import_note_repair(job, "%s: %" PRIu64, all[i].text, all[i].n);
    }
}

/* Adds remarks on ids of a table that have several definitions. `alike` of the `n` are repaired. */
static void note_conflicts(XtfImportJob *job, const char *table, uint64_t n, uint64_t alike)
{
    g_autofree char *ids = xtf_import_quantity(n - alike, "id");
    g_autofree char *alike_ids = xtf_import_quantity(alike, "id");

    if (alike > 0)
        xtf_import_note_repair(job, "%s: %s %s defined again, with the same name and size: the first definition counts",
                               table, alike_ids, alike == 1 ? "is" : "are");
    if (n > alike)
        xtf_import_warn(job,
                        "%s: %s %s defined again, differently: the first definition counts, so some names in the trace "
                        "may be wrong",
                        table, ids, n - alike == 1 ? "is" : "are");
}

void xtf_import_note_definitions(XtfImportJob *job, const XtfDefinitions *definitions, uint64_t duplicate_locations)
{
    for (unsigned tag = XTF_N_ARRAY_TYPES; tag < XTF_N_MODEL_SCHEMAS; tag++) {
        const XtfDefinitionTable *table = &definitions->tables[tag];
        if (table->conflicts > 0)
            note_conflicts(job, table->schema->name, table->conflicts, table->alike);
    }
    if (definitions->string_conflicts > 0)
        note_conflicts(job, "strings", definitions->string_conflicts, 0);
    if (duplicate_locations > 0)
        note_conflicts(job, "locations", duplicate_locations, 0);
}

void xtf_import_note_undefined_ids(XtfImportJob *job, const XtfDefinitions *definitions)
{
    uint64_t n = definitions->late_strings_by_id.count;
    g_autoptr(GString) kinds = g_string_new(n > 0 ? "strings" : NULL);

    for (unsigned tag = XTF_N_ARRAY_TYPES; tag < XTF_N_MODEL_SCHEMAS; tag++) {
        const XtfDefinitionTable *table = &definitions->tables[tag];
        uint32_t row, n_ids = table->late_rows_by_id.count;
        /* No id of the trace: the group that fill_late_row() gives to undefined communicators. */
        if (xtf_id_map_find(&table->late_rows_by_id, XTF_NONE32, &row))
            n_ids--;
        if (n_ids > 0)
            g_string_append_printf(kinds, "%s%s", kinds->len > 0 ? ", " : "", table->schema->name);
        n += n_ids;
    }
    g_autofree char *ids = g_strdup_printf("%" PRIu64 " ids are", n);
    if (n > 0)
        xtf_import_warn(job, "%s used and not defined, of %s: the trace shows %s as (undefined ...)",
                        n == 1 ? "1 id is" : ids, kinds->str, n == 1 ? "it" : "them");
}

bool xtf_import_may_replace(const XtfImportJob *job, const char *identity, GError **error)
{
    const XtfReplaced *replaced = job->replaced;

    if (!replaced->identity || g_str_equal(replaced->identity, identity))
        return true;
    return xtf_fail(error, XTF_ERROR_IO, "'%s' holds another trace: -o writes elsewhere, --force replaces it",
                    replaced->path);
}

static bool add_schema(XtfImportJob *job, unsigned tag, GError **error)
{
    if (tag == XTF_MODEL_CALL_CONTEXTS && !job->has_contexts)
        return true;
    const char *const *events = tag < XTF_N_RECORD_TYPES ? job->importer->events[tag] : NULL;
    g_autoptr(XtfSchema) extended = events ? xtf_model_schema_with_events(tag, events) : NULL;

    const XtfSchema *declared = extended                                           ? extended
                                : job->has_sites && tag == XTF_MODEL_ENTERS_LEAVES ? xtf_model_schema_with_sites()
                                                                                   : xtf_model_schema(tag);

    return xtf_writer_add_schema(job->writer, declared, &job->schemas[tag], error);
}

bool xtf_import_create_output(XtfImportJob *job, uint64_t ticks_per_second, uint64_t origin, GError **error)
{
    XtfWriterOptions options = job->options->storage;

    options.resolution_num = ticks_per_second;
    options.resolution_den = 1;
    options.origin = origin;
    job->writer = xtf_output_writer(job->output, &options, error);
    for (unsigned tag = 0; tag < XTF_N_ARRAY_TYPES && job->writer; tag++)
        if ((job->importer->types >> tag & 1) && !add_schema(job, tag, error))
            return false;
    return job->writer;
}

void xtf_import_count(XtfImportJob *job, const XtfStream *stream, uint64_t read, uint64_t locations)
{
    xtf_definitions_add_tags(stream->definitions, &stream->tags);
    g_mutex_lock(&job->lock);
    for (unsigned i = 0; i < XTF_N_RECORD_TYPES * XTF_EVENTS_MAX; i++)
        job->counts[i / XTF_EVENTS_MAX][i % XTF_EVENTS_MAX] += stream->counts[i / XTF_EVENTS_MAX][i % XTF_EVENTS_MAX];
    job->report.read += read;
    job->report.locations += locations;
    g_mutex_unlock(&job->lock);
}

/* Returns the label of an event, from the model or else from the importer's row. */
static const char *event_label(const XtfImporter *importer, const XtfField *field, unsigned type, unsigned event)
{
    return event < field->n_labels ? field->labels[event] : importer->events[type][event - field->n_labels];
}

static void complete_report(XtfImportJob *job)
{
    XtfImportReport *report = &job->report;

    for (unsigned i = 0; i < XTF_N_RECORD_TYPES * XTF_EVENTS_MAX; i++) {
        unsigned type = i / XTF_EVENTS_MAX, event = i % XTF_EVENTS_MAX;
        const XtfSchema *schema = xtf_model_schema(type);
        uint64_t n = job->counts[type][event];
        if (n == 0)
            continue;
        const XtfField *field = xtf_schema_field_by_role(schema, XTF_ROLE_EVENT);
        XtfImportCount count = {event_label(job->importer, field, type, event), schema->name, n, n};
        g_array_append_val(report->counts, count);
        report->kept += n;
    }
    /* A wrong count is no reason to refuse a trace, but users and the tests of importers must see it. */
    if (report->read != report->kept + report->left_out_events)
        xtf_import_warn(job,
                        "%" PRIu64 " events were read, %" PRIu64 " are kept and %" PRIu64
                        " left out: the importer does not account for all of them",
                        report->read, report->kept, report->left_out_events);
}

GVariant *xtf_import_job_run(XtfSupervised *shared, void *data, GError **error)
{
    XtfImportJob *job = data;
    GVariant *result = NULL;

    job->shared = shared;
    g_mutex_init(&job->lock);
    xtf_import_report_init(&job->report);
    if (job->importer->run(job, error)) {
        complete_report(job);
        result = xtf_import_report_pack(&job->report);
        if (job->share)
            result = g_variant_new("(@" XTF_REPORT_FORMAT "v)", result, job->share->result);
    }
    xtf_writer_abort(job->writer);
    xtf_import_report_finish(&job->report);
    g_mutex_clear(&job->lock);
    return result;
}
