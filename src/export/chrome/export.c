/*
 * Export to the JSON of Chrome's trace events, which Perfetto's viewer opens. docs/CHROME.md says what becomes of each
 * record.
 */
#include <inttypes.h>
#include <string.h>

#include "src/export/chrome/exporter.h"
#include "src/export/chrome/locations.h"
#include "src/files/head.h"
#include "src/tables/match/match.h"
#include "src/tables/totals/selected-locations.h"

/* How each file begins. */
#define BEGINNING "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"writer\":\"xtf export chrome\""

/* ---- The head. */

static gint compare_property_names(gconstpointer a, gconstpointer b)
{
    return g_strcmp0(a, b);
}

/* True if the property is about the file from which the trace was imported, or each export writes it. */
static bool is_of_source(const char *name)
{
    return strcmp(name, "writer") == 0 || strcmp(name, "source") == 0 || g_str_has_prefix(name, "chrome.") ||
           g_str_has_prefix(name, "otf2.") || g_str_has_prefix(name, "opents.");
}

/* Writes the properties of the trace as the member "otherData", and begins the array of events. */
static void write_head(XtfChromeExport *export)
{
    GHashTable *properties = export->job->tree->context.properties;
    g_autoptr(GList) names = g_list_sort(g_hash_table_get_keys(properties), compare_property_names);
    g_autoptr(GString) line = g_string_new(BEGINNING);

    for (const GList *name = names; name; name = name->next) {
        if (is_of_source(name->data))
            continue;
        g_string_append(line, ",\n ");
        xtf_json_append_text(line, name->data);
        g_string_append_c(line, ':');
        xtf_json_append_text(line, g_hash_table_lookup(properties, name->data));
    }
    g_string_append(line, "},\n\"traceEvents\":[");
    fwrite(line->str, 1, line->len, export->json.file);
}

/* ---- Names of processes and threads. */

/* Writes an event of metadata with one argument, which is a text, or if `text` is NULL a number. */
static void write_metadata(XtfChromeExport *export, const XtfLocation *location, bool of_thread, const char *name,
                           const char *argument, const char *text, int64_t number)
{
    GString *line = xtf_json_file_begin(&export->json);

    g_string_append_printf(line, "{\"ph\":\"M\",\"pid\":%" PRIu64, location->proc);
    if (of_thread)
        g_string_append_printf(line, ",\"tid\":%" PRIu64, location->thread);
    g_string_append_printf(line, ",\"name\":\"%s\",\"args\":{\"%s\":", name, argument);
    if (text)
        xtf_json_append_text(line, text);
    else
        g_string_append_printf(line, "%" PRId64, number);
    g_string_append(line, "}}");
    xtf_json_file_end(&export->json);
}

/* Writes the name and the sort index of a process or thread, by its key. */
static bool write_place(XtfChromeExport *export, const XtfLocation *location, bool of_thread, GError **error)
{
    const uint64_t key = of_thread ? location->id : location->proc;
    XtfChromeExportNames *names = &export->names;
    const uint64_t *string = g_hash_table_lookup(of_thread ? names->threads : names->processes, &key);
    const int64_t *order = g_hash_table_lookup(of_thread ? names->thread_orders : names->process_orders, &key);
    const char *text = string ? xtf_chrome_string(names, (uint32_t)*string, error) : "";

    if (!text)
        return false;
    if (*text || !of_thread) /* a process without a name is one by this event */
        write_metadata(export, location, of_thread, of_thread ? "thread_name" : "process_name", "name", text, 0);
    if (order)
        write_metadata(export, location, of_thread, of_thread ? "thread_sort_index" : "process_sort_index",
                       "sort_index", NULL, *order);
    return true;
}

/* Writes the selected processes and threads. If all threads are selected, adds the processes without threads to
 * export->peers. */
static bool write_places(XtfChromeExport *export, GError **error)
{
    XtfExportJob *job = export->job;
    g_auto(XtfSelectedLocations) selected = {0};
    GHashTableIter processes;
    gpointer proc;

    if (!xtf_selected_locations_init(&selected, &job->tree->context, job->selection, error))
        return false;
    g_hash_table_iter_init(&processes, export->names.processes);
    while (selected.n == selected.locations->n && g_hash_table_iter_next(&processes, &proc, NULL))
        xtf_chrome_add_peer(export, *(const uint64_t *)proc);
    for (uint32_t i = 0; i < selected.n; i++) {
        const XtfLocation *location = xtf_selected_location(&selected, i);
        bool first = i == 0 || xtf_selected_location(&selected, i - 1)->proc != location->proc;
        xtf_export_beat(job);
        if ((first && !write_place(export, location, false, error)) || !write_place(export, location, true, error))
            return false;
    }
    return true;
}

static gint compare_processes(gconstpointer a, gconstpointer b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Writes the processes of export->peers whose threads are not selected: an import needs the peers of messages. */
static bool write_peers(XtfChromeExport *export, GError **error)
{
    XtfExportJob *job = export->job;
    g_auto(XtfSelectedLocations) selected = {0};
    g_autoptr(GList) procs = g_list_sort(g_hash_table_get_keys(export->peers), compare_processes);
    uint32_t i;

    if (!xtf_selected_locations_init(&selected, &job->tree->context, job->selection, error))
        return false;
    for (const GList *proc = procs; proc; proc = proc->next) {
        const XtfLocation location = {.proc = *(const uint64_t *)proc->data};
        if (!xtf_selected_process_find(&selected, location.proc, &i) && !write_place(export, &location, false, error))
            return false;
    }
    return true;
}

/* ---- The export. */

static bool export_trace(XtfExportJob *job, GError **error)
{
    g_autoptr(GHashTable) peers = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    XtfChromeExport export = {.job = job, .peers = peers, .matches = xtf_matching_check(&job->tree->matching, NULL)};

    if (job->tree->context.scale.bytes)
        return xtf_fail(error, XTF_ERROR_UNSUPPORTED, "the trace is a measured network, which has no times");
    if (!xtf_json_file_open(&export.json, job->output, job->final_path, error))
        return false;
    bool good = xtf_chrome_export_names_load(&export.names, job->tree->trace, error);
    if (good) {
        write_head(&export);
        good =
            write_places(&export, error) && xtf_chrome_write_locations(&export, error) && write_peers(&export, error);
        fputs("\n]}\n", export.json.file);
    }
    xtf_chrome_export_names_finish(&export.names);
    return xtf_json_file_close(&export.json, good ? error : NULL) && good;
}

/* True if the file begins as this exporter writes it. */
static bool is_export(const char *path)
{
    char bytes[sizeof BEGINNING] = {0};

    return xtf_file_read_head(path, bytes, sizeof BEGINNING - 1, NULL) >= 0 && strcmp(bytes, BEGINNING) == 0;
}

const XtfExporter xtf_chrome_exporter = {
    .name = "chrome",
    .description = "a JSON file of Chrome's trace events",
    .may_replace = is_export,
    .run = export_trace,
};
