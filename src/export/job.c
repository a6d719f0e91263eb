#include "src/export/job.h"

#include <inttypes.h>
#include <stdarg.h>

enum {
    NOTES_MAX = 200,
    STEPS_PER_BEAT = 4096, /* steps between two signs of progress */
};

void xtf_export_note(XtfExportJob *job, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    g_autofree char *note = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    if (job->report.notes->len < NOTES_MAX)
        g_ptr_array_add(job->report.notes, g_utf8_make_valid(note, -1));
}

void xtf_export_count(XtfExportJob *job, uint64_t n, const char *text)
{
    uint64_t *count = g_hash_table_lookup(job->counts, text);

    if (n == 0)
        return;
    if (!count)
        g_hash_table_insert(job->counts, g_strdup(text), count = g_new0(uint64_t, 1));
    *count += n;
}

void xtf_export_beat(XtfExportJob *job)
{
    if (++job->steps % STEPS_PER_BEAT == 0)
        atomic_fetch_add(&job->shared->heartbeat, 1);
}

void xtf_export_advance(XtfExportJob *job, uint64_t n)
{
    job->report.records += n;
    if (job->report.records / STEPS_PER_BEAT == (job->report.records - n) / STEPS_PER_BEAT)
        return;
    atomic_store(&job->shared->events, job->report.records);
    atomic_store(&job->shared->per_million, (uint32_t)((double)job->report.records / (double)MAX(job->total, 1) * 1e6));
    atomic_fetch_add(&job->shared->heartbeat, 1);
}

bool xtf_export_is_whole(const XtfExportJob *job)
{
    const XtfSelection *selection = job->selection;

    return !selection->base && !selection->procs && !selection->threads && !xtf_selection_is_filtered(selection) &&
           selection->type == XTF_ANY_TYPE && selection->endless &&
           selection->time_from <= job->tree->context.scale.origin;
}

XtfSelection *xtf_export_select_events(const XtfExportJob *job)
{
    XtfSelection *selection = job->selection;

    if (!selection->calls || selection->base)
        return xtf_selection_ref(selection);
    XtfSelection *events = xtf_selection_in_type(selection, (uint32_t)job->tree->context.enters_leaves);
    events->calls = false; /* nothing shares this selection yet */
    return events;
}

static gint compare_texts(gconstpointer a, gconstpointer b)
{
    return g_strcmp0(a, b);
}

static void note_counts(XtfExportJob *job)
{
    g_autoptr(GList) texts = g_list_sort(g_hash_table_get_keys(job->counts), compare_texts);

    for (const GList *text = texts; text; text = text->next)
        xtf_export_note(job, "%" PRIu64 " %s", *(const uint64_t *)g_hash_table_lookup(job->counts, text->data),
                        (const char *)text->data);
}

GVariant *xtf_export_job_run(XtfSupervised *shared, void *data, GError **error)
{
    XtfExportJob *job = data;

    job->shared = shared;
    xtf_export_report_init(&job->report);
    job->counts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    bool good =
        xtf_resolver_count(&job->tree->resolver, job->selection, &job->total, error) && job->exporter->run(job, error);
    note_counts(job);
    g_hash_table_unref(job->counts);
    if (!good) {
        xtf_export_report_finish(&job->report);
        return NULL;
    }
    g_ptr_array_add(job->report.notes, NULL);
    GVariant *report = g_variant_ref_sink(
        g_variant_new("(tt^as)", job->report.records, job->report.locations, job->report.notes->pdata));
    xtf_export_report_finish(&job->report);
    return report;
}
