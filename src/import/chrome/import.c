/*
 * Runs an import of Chrome's trace events. It reads all events into a sort, adds the definitions, and appends the
 * sorted events. docs/CHROME.md lists the record of each event.
 */
#include "src/import/chrome/import.h"

#include <inttypes.h>
#include <string.h>

#include "src/files/head.h"
#include "src/import/chrome/importer.h"

enum {
    IDENTITY_BYTES = 64 << 10, /* bytes of the file that identify the trace */
    SORT_BYTES = 48 << 20,
    FLOWS_BYTES = 8 << 20,
};

/* ---- Remarks. */

static void note_left_out(XtfChromeImport *import)
{
    static const char *const texts[XTF_CHROME_N_REASONS] = {
        [XTF_CHROME_NO_PHASE] = "events without a phase (\"ph\")",
        [XTF_CHROME_NO_TIME] = "events whose time (\"ts\") is missing or no number of microseconds",
        [XTF_CHROME_NO_VALUE] = "counters without a number",
        [XTF_CHROME_NO_PARTNER] = "events of flows without another event of their flow, so that no message is known",
        [XTF_CHROME_NO_BEGIN] = "ends of calls that did not begin",
        [XTF_CHROME_NO_PLACE] = "events of further processes and threads: there are too many",
        [XTF_CHROME_NO_EVENT] = "items of the array of events that are no objects",
    };
    g_autoptr(GList) phases = g_list_sort(g_hash_table_get_keys(import->other_phases), (GCompareFunc)strcmp);

    for (unsigned i = 0; i < XTF_CHROME_N_REASONS; i++) {
        import->job->report.read += import->left_out[i];
        import->job->report.left_out_events += import->left_out[i];
        if (texts[i] && import->left_out[i] > 0)
            xtf_import_note_left_out(import->job, "%s: %" PRIu64, texts[i], import->left_out[i]);
    }
    for (const GList *phase = phases; phase; phase = phase->next)
        if (*(const char *)phase->data)
            xtf_import_note_left_out(import->job, "events with the phase \"%s\", which no record type has: %" PRIu64,
                                     (const char *)phase->data,
                                     *(const uint64_t *)g_hash_table_lookup(import->other_phases, phase->data));
    if (import->n_sampled > 0)
        xtf_import_note_left_out(import->job,
                                 "samples, stacks and events of the system, which stand beside the events");
    if (import->bound_flows > 0)
        xtf_import_note_left_out(import->job, "flows that calls name by \"bind_id\": %" PRIu64, import->bound_flows);
    if (import->dropped_values > 0)
        xtf_import_note_left_out(import->job,
                                 "texts of arguments, since the file has too many different ones: %" PRIu64,
                                 import->dropped_values);
}

static void note_repairs(XtfChromeImport *import)
{
    const struct {
        uint64_t n;
        const char *text;
    } all[] = {
        {import->clipped, "calls that overlap with a call of their thread, which end with that call"},
        {import->never_left, "calls that are never left, and last until a call around them is left, or to the end"},
        {import->no_durations, "calls (\"X\") whose duration (\"dur\") is missing or no number, which is taken as 0"},
        {import->backward_durations, "calls with a negative duration, which is taken as 0"},
        {import->rounded, "times with parts of a nanosecond, which were rounded"},
        {import->cut_arguments, "events with arguments that were shortened"},
        {import->json->n_last_commas, "commas after the last item of an array, which were ignored"},
        {import->lone_flows, "messages whose other end the file lacks"},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(all); i++)
        if (all[i].n > 0)
            xtf_import_note_repair(import->job, "%s: %" PRIu64, all[i].text, all[i].n);
    if (import->has_time && import->first_time < 0)
        xtf_import_note_repair(import->job, "the first time is negative: all times are later by %" PRId64 " ns",
                               -import->first_time);
    if (import->names.further > 0)
        xtf_import_warn(import->job,
                        "the file has more than %d different names, or too long ones: further ones are "
                        "shown as one name",
                        XTF_CHROME_NAMES_MAX);
}

/* ---- The import. */

static void init_import(XtfChromeImport *import, XtfImportJob *job)
{
    *import = (XtfChromeImport){
        .job = job,
        .sort = xtf_sort_new(SORT_BYTES, NULL),
        .flows = xtf_sort_new(FLOWS_BYTES, NULL),
        .metrics = g_array_new(FALSE, TRUE, sizeof(XtfChromeMetric)),
        .metric_index = g_hash_table_new(NULL, NULL),
        .properties = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free),
        .entry = g_byte_array_new(),
        .other_phases = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free),
    };
    xtf_chrome_event_init(&import->event);
    xtf_chrome_names_init(&import->names);
    xtf_chrome_places_init(&import->places);
    xtf_definitions_init(&import->definitions);
}

static void finish_import(XtfChromeImport *import)
{
    xtf_chrome_input_close(&import->input);
    xtf_json_free(import->json);
    xtf_chrome_event_finish(&import->event);
    xtf_chrome_names_finish(&import->names);
    xtf_chrome_places_finish(&import->places);
    xtf_sort_free(import->sort);
    xtf_sort_free(import->flows);
    g_array_unref(import->metrics);
    g_hash_table_unref(import->metric_index);
    g_hash_table_unref(import->properties);
    g_byte_array_unref(import->entry);
    g_hash_table_unref(import->other_phases);
    xtf_definitions_finish(&import->definitions);
    g_free(import->texts);
    g_free(import->regions);
    g_free(import->identity);
}

/* Writes the trace, after the file was read. */
static bool write_trace(XtfChromeImport *import, const char *cut, GError **error)
{
    XtfImportJob *job = import->job;

    xtf_chrome_places_number(&import->places);
    if (!xtf_chrome_pair_flows(import, error))
        return false;
    xtf_chrome_places_number(&import->places); /* again, since peers of messages may be new processes */
    g_clear_pointer(&import->flows, xtf_sort_free);
    /* Ending the sort frees its memory if it has runs: the definitions need memory, too. */
    if (!xtf_sort_end(import->sort, error) || !xtf_chrome_define(import, error) || !xtf_chrome_write(import, error))
        return false;
    if (cut)
        xtf_import_warn(job, "%s", cut);
    note_left_out(import);
    note_repairs(import);
    xtf_import_store_remarks(job, &import->definitions);
    job->report.definitions = import->definitions.count;
    return xtf_definitions_write(&import->definitions, error) && xtf_writer_close(g_steal_pointer(&job->writer), error);
}

static bool import_file(XtfChromeImport *import, GError **error)
{
    g_autofree char *cut = NULL;

    import->identity = xtf_file_hash_head(import->job->anchor, IDENTITY_BYTES, error);
    if (!import->identity || !xtf_import_may_replace(import->job, import->identity, error) ||
        !xtf_chrome_input_open(&import->input, import->job->anchor, error))
        return false;
    import->json = xtf_json_new(xtf_chrome_input_read, &import->input);
    return xtf_chrome_read(import, &cut, error) && write_trace(import, cut, error);
}

bool xtf_chrome_import(XtfImportJob *job, GError **error)
{
    XtfChromeImport import;

    init_import(&import, job);
    bool good = import_file(&import, error);
    finish_import(&import);
    return good;
}
