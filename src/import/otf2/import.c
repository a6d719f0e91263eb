/*
 * Imports an OTF2 archive: definitions, then events, then tables. Runs in a child process, see supervise.h.
 */
#include "src/import/otf2/import.h"

#include <inttypes.h>

#include "src/import/definitions/process-numbers.h"
#include "src/import/otf2/errors.h"
#include "src/import/otf2/files.h"

enum {
    DEFINITIONS_PER_STEP = 4096,
};

static bool read_definitions(XtfOtf2Import *import, OTF2_Reader *reader, GError **error)
{
    OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(reader);
    OTF2_ErrorCode code = OTF2_SUCCESS;
    uint64_t n = DEFINITIONS_PER_STEP;

    if (!definitions)
        return xtf_otf2_fail(error, XTF_ERROR_DAMAGED, OTF2_ERROR_PROCESSED_WITH_FAULTS, "the archive's definitions");
    OTF2_GlobalDefReaderCallbacks *callbacks = xtf_otf2_definition_callbacks();
    OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, &import->source);
    while (code == OTF2_SUCCESS && n == DEFINITIONS_PER_STEP) {
        code = OTF2_Reader_ReadGlobalDefinitions(reader, definitions, DEFINITIONS_PER_STEP, &n);
        atomic_fetch_add(&import->job->shared->heartbeat, 1);
    }
    OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    OTF2_Reader_CloseGlobalDefReader(reader, definitions); /* frees its buffer, too */
    if (code == OTF2_SUCCESS)
        return true;
    if (!import->job->options->keep_going || import->source.definitions.count == 0)
        return xtf_otf2_fail(error, XTF_ERROR_DAMAGED, code, "the archive's definitions");
    g_autoptr(GError) damage = NULL;
    xtf_otf2_fail(&damage, XTF_ERROR_DAMAGED, code, "the definitions");
    xtf_import_warn(import->job, "only the first %" PRIu64 " definitions were imported: %s",
                    import->source.definitions.count, damage->message);
    return true;
}

/* Adds remarks on parts of the archive that are neither definitions nor events. */
static void note_extras(XtfOtf2Import *import, OTF2_Reader *reader)
{
    uint32_t snapshots = 0, thumbnails = 0;
    g_autofree char *stem = xtf_otf2_folder(import->job->anchor);
    g_autofree char *markers = g_strconcat(stem, ".marker", NULL);

    OTF2_Reader_GetNumberOfSnapshots(reader, &snapshots);
    OTF2_Reader_GetNumberOfThumbnails(reader, &thumbnails);
    if (snapshots > 0)
        xtf_import_note_left_out(import->job, "snapshots, which repeat what events say: %" PRIu32, snapshots);
    if (thumbnails > 0)
        xtf_import_note_left_out(import->job, "thumbnails, which summarize events: %" PRIu32, thumbnails);
    if (g_file_test(markers, G_FILE_TEST_EXISTS))
        xtf_import_note_left_out(import->job, "the markers in %s: no record type for them yet", markers);
}

static bool create_output(XtfOtf2Import *import, GError **error)
{
    const XtfOtf2Definitions *source = &import->source;

    if (source->has_clock && source->resolution > 0)
        return xtf_import_create_output(import->job, source->resolution, source->origin, error);
    xtf_import_warn(import->job,
                    "the archive does not give the resolution of its clock: ticks are taken as nanoseconds");
    return xtf_import_create_output(import->job, 1000000000, UINT64_MAX, error);
}

static void prepare_context_sites(XtfOtf2Import *import)
{
    xtf_context_sites_prepare(import->context_sites);
    uint64_t n = xtf_context_sites_n_circles(import->context_sites);
    g_autofree char *circles = xtf_import_quantity(n, "circle");
    if (n > 0)
        xtf_import_warn(import->job, "calling contexts are their own parents, in %s: sites of calls end there",
                        circles);
}

/* Writes the tables. A rank's share has no remarks: the process that combines all shares writes them. */
static bool write_definitions(XtfOtf2Import *import, GError **error)
{
    XtfDefinitions *definitions = &import->source.definitions;
    XtfImportJob *job = import->job;
    bool is_share = xtf_import_reads_share(job);

    if (!is_share) {
        xtf_import_note_undefined_ids(job, definitions);
        xtf_import_store_remarks(job, definitions);
    }
    return xtf_definitions_write(definitions, error) && xtf_writer_close(g_steal_pointer(&job->writer), error) &&
           (!is_share || xtf_import_pack_share(job, definitions, xtf_otf2_pack_share(import), error));
}

static bool import_archive(XtfOtf2Import *import, OTF2_Reader *reader, GError **error)
{
    XtfDefinitions *definitions = &import->source.definitions;

    OTF2_ErrorCode code = OTF2_Reader_SetSerialCollectiveCallbacks(reader);
    if (code != OTF2_SUCCESS)
        return xtf_otf2_fail(error, XTF_ERROR_DAMAGED, code, "the archive's anchor file");
    g_autofree char *id = xtf_otf2_trace_id(reader);
    if (!xtf_import_may_replace(import->job, id, error) || !read_definitions(import, reader, error))
        return false;
    xtf_otf2_describe_archive(&import->source, reader);
    xtf_import_note_definitions(import->job, definitions, xtf_number_processes(definitions));
    if (import->source.unknown > 0)
        xtf_import_note_left_out(import->job, "definitions of kinds that OTF2's library does not know: %" PRIu64,
                                 import->source.unknown);
    note_extras(import, reader);
    uint32_t attribute = 0;
    bool has_attribute = xtf_call_sites_find(definitions, &attribute);
    import->context_sites = xtf_context_sites_new(definitions);
    import->job->has_sites = has_attribute || import->context_sites;
    import->job->has_contexts = xtf_definitions_n_rows(definitions, XTF_MODEL_CALLING_CONTEXTS) > 0;
    if (!xtf_otf2_find_locations(import, reader, error) || !create_output(import, error) ||
        !xtf_definitions_resolve(definitions, import->job->writer, error))
        return false;
    import->call_sites = has_attribute ? xtf_call_sites_new(definitions, attribute) : NULL;
    if (import->context_sites)
        prepare_context_sites(import);
    if (import->job->share)
        xtf_share_begin(import->job->share, definitions);
    if (xtf_import_reads_share(import->job))
        xtf_otf2_take_share(import);
    return xtf_otf2_read_events(import, error) && write_definitions(import, error);
}

/* Checks the files that OTF2's library opens first. */
static bool check_files(const char *anchor, GError **error)
{
    g_autofree char *folder = xtf_otf2_folder(anchor);
    g_autofree char *definitions = g_strconcat(folder, ".def", NULL);
    int64_t size;

    if (!xtf_otf2_file_size(anchor, &size, error) || !xtf_otf2_file_size(definitions, &size, error))
        return false;
    return size >= 0 || xtf_fail(error, XTF_ERROR_DAMAGED,
                                 "%s: there is no such file; it should have the archive's definitions", definitions);
}

bool xtf_otf2_import(XtfImportJob *job, GError **error)
{
    if (!check_files(job->anchor, error) || !xtf_otf2_load(error))
        return false;
    XtfOtf2Import import = {.job = job,
                            .locations = g_array_new(FALSE, FALSE, sizeof(XtfOtf2Location)),
                            .losses = g_array_new(FALSE, FALSE, sizeof(XtfOtf2Loss))};

    xtf_otf2_catch_errors();
    xtf_definitions_init(&import.source.definitions);
    OTF2_Reader *reader = OTF2_Reader_Open(job->anchor);
    bool good = reader ? import_archive(&import, reader, error)
                       : xtf_otf2_fail(error, XTF_ERROR_DAMAGED, OTF2_SUCCESS, job->anchor);
    if (reader)
        OTF2_Reader_Close(reader);
    job->report.definitions = import.source.definitions.count;
    xtf_call_sites_free(import.call_sites);
    xtf_context_sites_free(import.context_sites);
    xtf_definitions_finish(&import.source.definitions);
    g_array_unref(import.locations);
    g_array_unref(import.losses);
    return good;
}
