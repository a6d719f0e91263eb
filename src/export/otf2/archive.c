/*
 * Writes an archive: first the events, location by location, then the definitions, which contain the numbers of events.
 */
#include "src/export/otf2/archive.h"

#include <inttypes.h>
#include <string.h>

#include "libxtf/trace.h"
#include "src/export/otf2/call-sites.h"
#include "src/export/otf2/exporter.h"
#include "src/import/otf2/errors.h"

enum {
    EVENTS_CHUNK = 1 << 20,
    DEFINITIONS_CHUNK = 4 << 20,
};

static OTF2_FlushType choose_flush(void *data, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool final)
{
    return OTF2_FLUSH;
}

/* True if the library succeeded; else sets the error. The library returns success when it closes a file that could not
 * be written, and only prints the reason. */
static bool check_result(OTF2_ErrorCode code, const char *object, GError **error)
{
    return (code == OTF2_SUCCESS && !xtf_otf2_has_caught()) || xtf_otf2_fail_writing(error, code, object);
}

/* Writes an empty file of local definitions. OTF2's reader requires a file for every location. */
static bool write_local_definitions(XtfOtf2Export *export, uint64_t location, GError **error)
{
    OTF2_DefWriter *writer = OTF2_Archive_GetDefWriter(export->archive, location);

    return (writer || xtf_otf2_fail_writing(error, OTF2_SUCCESS, "a location's definitions")) &&
           check_result(OTF2_Archive_CloseDefWriter(export->archive, writer), "a location's definitions", error);
}

static bool write_all_local_definitions(XtfOtf2Export *export, GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(&export->job->tree->context, error);

    if (!locations || !check_result(OTF2_Archive_OpenDefFiles(export->archive), "locations' definitions", error))
        return false;
    for (uint32_t i = 0; i < locations->n; i++) {
        if (!write_local_definitions(export, locations->all[i].id, error))
            return false;
        atomic_fetch_add(&export->job->shared->heartbeat, 1);
    }
    return check_result(OTF2_Archive_CloseDefFiles(export->archive), "locations' definitions", error);
}

static bool write_global_definitions(XtfOtf2Export *export, GError **error)
{
    OTF2_GlobalDefWriter *writer = OTF2_Archive_GetGlobalDefWriter(export->archive);

    return (writer || xtf_otf2_fail_writing(error, OTF2_SUCCESS, "the definitions")) &&
           xtf_otf2_write_definitions(export, writer, error) &&
           check_result(OTF2_Archive_CloseGlobalDefWriter(export->archive, writer), "the definitions", error);
}

static bool write_archive(XtfOtf2Export *export, GError **error)
{
    static const OTF2_FlushCallbacks flush = {.otf2_pre_flush = choose_flush};
    OTF2_Archive *archive = export->archive;

    return check_result(OTF2_Archive_SetFlushCallbacks(archive, &flush, NULL), "the archive", error) &&
           check_result(OTF2_Archive_SetSerialCollectiveCallbacks(archive), "the archive", error) &&
           xtf_otf2_write_properties(export, error) &&
           check_result(OTF2_Archive_OpenEvtFiles(archive), "the events", error) &&
           xtf_otf2_write_locations(export, error) &&
           check_result(OTF2_Archive_CloseEvtFiles(archive), "the events", error) &&
           write_all_local_definitions(export, error) && write_global_definitions(export, error);
}

/* Notes where the archive's numbers or order of definitions differ from its source. */
static void note_numbers(XtfOtf2Export *export)
{
    uint64_t resolution, n_sites = export->names.tables[XTF_MODEL_SITES].table.n;

    if (n_sites > 0 && !export->names.ordered && !xtf_otf2_has_sites(export))
        xtf_export_count(export->job, n_sites, "call sites left out");
    if (!export->names.ordered && xtf_otf2_number_property(export, "otf2.clock.ticks_per_second", &resolution))
        xtf_export_note(export->job,
                        "an older xtf imported the trace, without the order of definitions and the numbers of "
                        "strings: import it again to export them as in the source");
    for (unsigned tag = XTF_N_ARRAY_TYPES; tag < XTF_N_MODEL_SCHEMAS; tag++)
        if (export->names.tables[tag].renumbered)
            xtf_export_note(export->job, "new ids for %s: the ids of the source are not unique",
                            xtf_model_schema(tag)->name);
}

bool xtf_otf2_export(XtfExportJob *job, GError **error)
{
    XtfTrace *trace = job->tree->trace;
    const XtfClock *clock = xtf_trace_clock(trace);

    if (!xtf_otf2_load(error))
        return false;
    XtfOtf2Export export = {
        .job = job,
        .programs = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free),
        .n_events = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free),
        .num = clock->resolution_num,
        .den = clock->resolution_den,
        .whole = xtf_export_is_whole(job),
        .attributes = OTF2_AttributeList_New(),
    };

    xtf_otf2_catch_errors();
    bool good = xtf_otf2_names_init(&export.names, trace, error);
    if (good) {
        note_numbers(&export);
        export.archive = OTF2_Archive_Open(job->output, XTF_OTF2_EXPORT_NAME, OTF2_FILEMODE_WRITE, EVENTS_CHUNK,
                                           DEFINITIONS_CHUNK, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
        good =
            export.archive ? write_archive(&export, error) : xtf_otf2_fail_writing(error, OTF2_SUCCESS, "the archive");
        /* After a failure the archive stays open until the child process ends: the library may crash on closing. */
        good = good && check_result(OTF2_Archive_Close(export.archive), "the archive", error);
    }
    OTF2_AttributeList_Delete(export.attributes);
    xtf_otf2_names_finish(&export.names);
    g_hash_table_unref(export.n_events);
    g_hash_table_unref(export.programs);
    return good;
}
