/*
 * Checks the files of an OTF2 archive: lists the locations with events, and notes missing files. Also adds the
 * properties that describe the archive.
 */
#include <inttypes.h>
#include <string.h>

#include "src/import/otf2/errors.h"
#include "src/import/otf2/files.h"
#include "src/import/otf2/import.h"

/* Sets *size to the size of a location's file in bytes; -1: there is no such file. False with an error. */
static bool find_file_size(const char *folder, uint64_t location, const char *ending, int64_t *size, GError **error)
{
    g_autofree char *path = g_strdup_printf("%s/%" PRIu64 ".%s", folder, location, ending);
    return xtf_otf2_file_size(path, size, error);
}

static bool was_skipped(const XtfOtf2Import *import, uint64_t id)
{
    for (guint i = 0; i < import->job->skipped->len; i++)
        if (g_array_index(import->job->skipped, uint64_t, i) == id)
            return true;
    return false;
}

bool xtf_otf2_skip_location(XtfOtf2Import *import, const XtfOtf2Location *location)
{
    if (!was_skipped(import, location->id))
        return false;
    xtf_otf2_note_events(import, location, 0, true);
    xtf_import_warn(import->job, "location %" PRIu64 ": its events are missing: the reader crashed or hung on them",
                    location->id);
    return true;
}

/* Handles a missing file of events. With --keep-going it is a warning. Otherwise it is an error, unless the location
 * has no events. */
static bool handle_missing_events(XtfOtf2Import *import, const char *folder, const XtfOtf2Location *location,
                                  GError **error)
{
    uint64_t id = location->id;

    if (location->claimed == 0)
        return true;
    if (import->job->options->keep_going) {
        xtf_otf2_note_events(import, location, 0, true);
        xtf_import_warn(import->job, "location %" PRIu64 ": its events are missing: no file %s/%" PRIu64 ".evt", id,
                        folder, id);
        return true;
    }
    return xtf_fail(error, XTF_ERROR_DAMAGED,
                    "%s/%" PRIu64 ".evt: there is no such file (xtf import --keep-going imports the rest)", folder, id);
}

/* Adds a remark on files of events of undefined locations. */
static void note_undefined_locations(XtfOtf2Import *import, const char *folder, GHashTable *defined)
{
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    uint64_t n = 0, example = 0, id;
    const char *name;

    while (dir && (name = g_dir_read_name(dir))) {
        g_autofree char *stem = g_strndup(name, g_str_has_suffix(name, ".evt") ? strlen(name) - strlen(".evt") : 0);
        if (!g_ascii_string_to_unsigned(stem, 10, 0, UINT64_MAX, &id, NULL) || g_hash_table_contains(defined, &id))
            continue;
        example = n++ == 0 ? id : MIN(example, id);
    }
    g_autofree char *locations = xtf_import_quantity(n, "location");
    if (n > 0)
        xtf_import_note_left_out(import->job, "the events of %s without a definition, such as %" PRIu64, locations,
                                 example);
}

static bool check_location(XtfOtf2Import *import, const char *folder, const XtfLocationRow *row,
                           uint64_t *without_definitions, GError **error)
{
    int64_t size, definitions;

    if (!find_file_size(folder, row->id, "evt", &size, error) ||
        !find_file_size(folder, row->id, "def", &definitions, error))
        return false;
    XtfOtf2Location location = {
        .id = row->id, .bytes = MAX(size, 0), .claimed = row->n_events, .has_definitions = definitions >= 0};
    if (size < 0)
        return handle_missing_events(import, folder, &location, error);
    if (!import->job->share &&
        xtf_otf2_skip_location(import, &location)) /* a rank skips locations of its share later */
        return true;
    *without_definitions += !location.has_definitions;
    import->bytes += location.bytes;
    g_array_append_val(import->locations, location);
    return true;
}

bool xtf_otf2_find_locations(XtfOtf2Import *import, OTF2_Reader *reader, GError **error)
{
    XtfDefinitions *definitions = &import->source.definitions;
    g_autoptr(GHashTable) defined = g_hash_table_new_full(xtf_id_hash64, g_int64_equal, g_free, NULL);
    g_autofree char *folder = xtf_otf2_folder(import->job->anchor);
    OTF2_FileSubstrate substrate = OTF2_SUBSTRATE_UNDEFINED;
    uint64_t without_definitions = 0;

    OTF2_Reader_GetFileSubstrate(reader, &substrate);
    for (uint64_t i = 0; i < xtf_definitions_n_rows(definitions, XTF_MODEL_LOCATIONS); i++) {
        const XtfLocationRow *row = xtf_definitions_at(definitions, XTF_MODEL_LOCATIONS, i);
        uint64_t id = row->id;
        if (substrate != OTF2_SUBSTRATE_POSIX) {
            XtfOtf2Location location = {
                .id = id, .bytes = row->n_events, .claimed = row->n_events, .has_definitions = true};
            import->bytes += location.bytes;
            g_array_append_val(import->locations, location);
        } else if (!check_location(import, folder, row, &without_definitions, error)) {
            return false;
        }
        g_hash_table_add(defined, g_memdup2(&id, sizeof id));
    }
    g_autofree char *locations = xtf_import_quantity(without_definitions, "location");
    if (without_definitions > 0)
        xtf_import_warn(
            import->job,
            "%s %s no definitions file (.def): the ids and times of the events are used unchanged, so names may "
            "be wrong, and clocks are not corrected",
            locations, without_definitions == 1 ? "has" : "have");
    if (substrate == OTF2_SUBSTRATE_POSIX)
        note_undefined_locations(import, folder, defined);
    return true;
}

static void add_text(XtfOtf2Definitions *source, const char *name, const char *value)
{
    XtfPropertyRow row = {
        .name = xtf_definitions_intern_string(&source->definitions, name),
        .value = xtf_definitions_intern_string(&source->definitions, value),
    };
    xtf_definitions_add_part(&source->definitions, XTF_MODEL_PROPERTIES, &row);
}

static void add_number_text(XtfOtf2Definitions *source, const char *name, uint64_t value)
{
    g_autofree char *text = g_strdup_printf("%" PRIu64, value);
    add_text(source, name, text);
}

static void add_archive_properties(XtfOtf2Definitions *source, OTF2_Reader *reader)
{
    char **names = NULL;
    uint32_t n = 0;

    if (OTF2_Reader_GetPropertyNames(reader, &n, &names) != OTF2_SUCCESS)
        return;
    for (uint32_t i = 0; i < n; i++) {
        char *value = NULL;
        if (OTF2_Reader_GetProperty(reader, names[i], &value) == OTF2_SUCCESS)
            add_text(source, names[i], value);
        free(value);
    }
    free(names);
}

char *xtf_otf2_trace_id(OTF2_Reader *reader)
{
    uint64_t id = 0;

    OTF2_Reader_GetTraceId(reader, &id);
    return g_strdup_printf("%" PRIx64, id);
}

void xtf_otf2_describe_archive(XtfOtf2Definitions *source, OTF2_Reader *reader)
{
    const struct {
        const char *name;
        OTF2_ErrorCode (*get)(OTF2_Reader *reader, char **text);
    } texts[] = {
        {"machine", OTF2_Reader_GetMachineName},
        {"creator", OTF2_Reader_GetCreator},
        {"description", OTF2_Reader_GetDescription},
    };
    uint8_t major = 0, minor = 0, bugfix = 0;

    OTF2_Reader_GetVersion(reader, &major, &minor, &bugfix);
    g_autofree char *version = g_strdup_printf("%u.%u.%u", major, minor, bugfix);
    g_autofree char *trace_id = xtf_otf2_trace_id(reader);
    add_text(source, "source", "OTF2");
    add_text(source, "otf2.version", version);
    add_text(source, XTF_OTF2_TRACE_ID, trace_id);
    for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
        char *text = NULL;
        if (texts[i].get(reader, &text) == OTF2_SUCCESS && text)
            add_text(source, texts[i].name, text);
        free(text);
    }
    if (source->has_clock) {
        add_number_text(source, "otf2.clock.ticks_per_second", source->resolution);
        add_number_text(source, "otf2.clock.global_offset", source->origin);
        add_number_text(source, "otf2.clock.trace_length", source->length);
        if (source->realtime != OTF2_UNDEFINED_TIMESTAMP)
            add_number_text(source, "otf2.clock.realtime_ns", source->realtime);
    }
    add_archive_properties(source, reader);
}
