/*
 * One import from OTF2: definitions, then events, then tables. Runs in a child process, see supervise.h.
 */
#include "src/import/otf2/import.h"

#include <inttypes.h>
#include <stdarg.h>

#include "src/import/otf2/errors.h"
#include "src/import/process-numbers.h"

enum {
    DEFINITIONS_A_STEP = 4096,
    WARNINGS_MAX = 200, /* of messages */
};

void xtf_otf2_warn(XtfOtf2Import *import, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    char *message = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_mutex_lock(&import->lock);
    if (import->warnings->len < WARNINGS_MAX)
        g_ptr_array_add(import->warnings, g_steal_pointer(&message));
    else
        import->n_more_warnings++;
    g_mutex_unlock(&import->lock);
    g_free(message);
}

static bool read_definitions(XtfOtf2Import *import, OTF2_Reader *reader, GError **error)
{
    OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(reader);
    OTF2_GlobalDefReaderCallbacks *callbacks = xtf_otf2_definition_callbacks();
    OTF2_ErrorCode code = OTF2_SUCCESS;
    uint64_t n = DEFINITIONS_A_STEP;

    if (definitions == NULL)
        code = OTF2_ERROR_PROCESSED_WITH_FAULTS;
    else
        OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, &import->source);
    while (code == OTF2_SUCCESS && n == DEFINITIONS_A_STEP) {
        code = OTF2_Reader_ReadGlobalDefinitions(reader, definitions, DEFINITIONS_A_STEP, &n);
        atomic_fetch_add(&import->shared->heartbeat, 1);
    }
    OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    if (definitions != NULL)
        OTF2_Reader_CloseGlobalDefReader(reader, definitions); /* and its buffer */
    if (code == OTF2_SUCCESS)
        return true;
    if (import->options->keep_going && import->source.definitions.count > 0) {
        g_autoptr(GError) damage = NULL;
        xtf_otf2_set_error(&damage, XTF_ERROR_DAMAGED, code, "the definitions");
        xtf_otf2_warn(import, "only the first %" PRIu64 " definitions were imported: %s",
                      import->source.definitions.count, damage->message);
        return true;
    }
    xtf_otf2_set_error(error, XTF_ERROR_DAMAGED, code, "the archive's definitions");
    return false;
}

static void note_definitions(XtfOtf2Import *import, uint64_t doubled_locations)
{
    const XtfDefinitions *definitions = &import->source.definitions;

    for (unsigned tag = XTF_N_ARRAY_TYPES; tag < XTF_N_MODEL_SCHEMAS; tag++) {
        const XtfDefinitionTable *table = &definitions->tables[tag];
        if (table->conflicts > 0)
            xtf_otf2_warn(import, "%s: %" PRIu64 " ids are defined again, differently: the first definition is meant",
                          table->schema->name, table->conflicts);
    }
    if (definitions->string_conflicts > 0)
        xtf_otf2_warn(import, "strings: %" PRIu64 " ids are defined again, differently: the first definition is meant",
                      definitions->string_conflicts);
    if (doubled_locations > 0)
        xtf_otf2_warn(import, "locations: %" PRIu64 " ids are defined again: the first definition is meant",
                      doubled_locations);
    if (import->source.unknown > 0)
        g_ptr_array_add(import->left_out,
                        g_strdup_printf("%" PRIu64 " definitions of kinds that OTF2's library does not know",
                                        import->source.unknown));
}

/* After all look-ups: what events and definitions refer to, and nobody defines. */
static void note_undefined_ids(XtfOtf2Import *import)
{
    const XtfDefinitions *definitions = &import->source.definitions;
    uint64_t n = definitions->late_strings.count;
    g_autoptr(GString) kinds = g_string_new(n > 0 ? "strings" : NULL);

    for (unsigned tag = XTF_N_ARRAY_TYPES; tag < XTF_N_MODEL_SCHEMAS; tag++) {
        const XtfDefinitionTable *table = &definitions->tables[tag];
        uint32_t row, made_up = xtf_ref_map_find(&table->late_known, XTF_NONE32, &row); /* for one of these others */
        if (table->late_known.count > made_up)
            g_string_append_printf(kinds, "%s%s", kinds->len > 0 ? ", " : "", table->schema->name);
        n += table->late_known.count - made_up;
    }
    if (n > 0)
        xtf_otf2_warn(import, "%" PRIu64 " ids are used and not defined, of %s: they are named (undefined ...)", n,
                      kinds->str);
}

/* What is in an archive beside definitions and events. */
static void note_extras(XtfOtf2Import *import, OTF2_Reader *reader)
{
    uint32_t snapshots = 0, thumbnails = 0;
    g_autofree char *stem = xtf_otf2_folder(import->anchor);
    g_autofree char *markers = g_strconcat(stem, ".marker", NULL);

    OTF2_Reader_GetNumberOfSnapshots(reader, &snapshots);
    OTF2_Reader_GetNumberOfThumbnails(reader, &thumbnails);
    if (snapshots > 0)
        g_ptr_array_add(import->left_out,
                        g_strdup_printf("%" PRIu32 " snapshots: they repeat what events say", snapshots));
    if (thumbnails > 0)
        g_ptr_array_add(import->left_out, g_strdup_printf("%" PRIu32 " thumbnails: they summarize events", thumbnails));
    if (g_file_test(markers, G_FILE_TEST_EXISTS))
        g_ptr_array_add(import->left_out, g_strdup_printf("the markers in %s: no record type for them yet", markers));
}

static bool create_output(XtfOtf2Import *import, GError **error)
{
    XtfOtf2Definitions *source = &import->source;
    XtfWriterOptions options = {
        .page_size = import->options->page_size,
        .resolution_num = 1000000000,
        .resolution_den = 1,
        .origin = UINT64_MAX,
        .codec = import->options->codec,
        .level = import->options->level,
        .no_sync = import->options->no_sync,
    };

    if (source->has_clock && source->resolution > 0) {
        options.resolution_num = source->resolution;
        options.origin = source->origin;
    } else {
        xtf_otf2_warn(import, "the archive does not say how fast its clock runs: its ticks are taken as nanoseconds");
    }
    import->writer = xtf_writer_create(import->output, &options, error);
    for (unsigned i = 0; i < XTF_N_ARRAY_TYPES && import->writer != NULL; i++)
        if (!xtf_writer_add_schema(import->writer, xtf_model_schema(i), &import->schemas[i], error))
            return false;
    return import->writer != NULL;
}

static bool run(XtfOtf2Import *import, OTF2_Reader *reader, GError **error)
{
    XtfDefinitions *definitions = &import->source.definitions;

    OTF2_ErrorCode code = OTF2_Reader_SetSerialCollectiveCallbacks(reader);
    if (code != OTF2_SUCCESS) {
        xtf_otf2_set_error(error, XTF_ERROR_DAMAGED, code, "the archive's anchor file");
        return false;
    }
    if (!read_definitions(import, reader, error))
        return false;
    xtf_otf2_describe_archive(&import->source, reader);
    note_definitions(import, xtf_number_places(definitions));
    note_extras(import, reader);
    if (!xtf_otf2_find_locations(import, reader, error) || !create_output(import, error) ||
        !xtf_definitions_resolve(definitions, import->writer, error) || !xtf_otf2_read_events(import, error))
        return false;
    note_undefined_ids(import);
    return xtf_definitions_write(definitions, error) && xtf_writer_close(g_steal_pointer(&import->writer), error);
}

static GVariant *strings(const GPtrArray *texts, uint64_t n_more)
{
    GVariantBuilder builder;

    g_variant_builder_init(&builder, G_VARIANT_TYPE_STRING_ARRAY);
    for (guint i = 0; i < texts->len; i++) {
        g_autofree char *text = g_utf8_make_valid(g_ptr_array_index(texts, i), -1);
        g_variant_builder_add(&builder, "s", text);
    }
    if (n_more > 0) {
        g_autofree char *text = g_strdup_printf("... and %" PRIu64 " more such things", n_more);
        g_variant_builder_add(&builder, "s", text);
    }
    return g_variant_builder_end(&builder);
}

static GVariant *result_of(XtfOtf2Import *import)
{
    GVariantBuilder counts;
    uint64_t kept = 0;

    g_variant_builder_init(&counts, G_VARIANT_TYPE("a(uut)"));
    for (guint32 type = 0; type < XTF_N_RECORD_TYPES; type++) {
        for (guint32 event = 0; event < XTF_EVENTS_MAX; event++) {
            guint64 n = import->counts[type][event];
            kept += n;
            if (n > 0)
                g_variant_builder_add(&counts, "(uut)", type, event, n);
        }
    }
    return g_variant_new("(@a(uut)@as@astttt)", g_variant_builder_end(&counts), strings(import->left_out, 0),
                         strings(import->warnings, import->n_more_warnings), (guint64)import->read, (guint64)kept,
                         (guint64)import->n_with_events, (guint64)import->source.definitions.count);
}

GVariant *xtf_otf2_import(XtfSupervised *shared, void *data, GError **error)
{
    XtfOtf2Import *import = data;
    GVariant *result = NULL;

    xtf_otf2_catch_errors();
    import->shared = shared;
    import->locations = g_array_new(FALSE, FALSE, sizeof(XtfOtf2Location));
    import->warnings = g_ptr_array_new_with_free_func(g_free);
    import->left_out = g_ptr_array_new_with_free_func(g_free);
    g_mutex_init(&import->lock);
    xtf_definitions_init(&import->source.definitions);
    OTF2_Reader *reader = OTF2_Reader_Open(import->anchor);
    if (reader == NULL)
        xtf_otf2_set_error(error, XTF_ERROR_DAMAGED, OTF2_SUCCESS, import->anchor);
    else if (run(import, reader, error))
        result = result_of(import);
    if (reader != NULL)
        OTF2_Reader_Close(reader);
    xtf_writer_abort(import->writer);
    xtf_definitions_finish(&import->source.definitions);
    g_ptr_array_unref(import->warnings);
    g_ptr_array_unref(import->left_out);
    g_array_unref(import->locations);
    g_mutex_clear(&import->lock);
    return result;
}
