/*
 * Imports OpenTS's XML. Each rank is a process with one location. Each element of a slice is a record of its location,
 * at the slice's time. docs/OPENTS.md lists the records of each element.
 */
#include "src/import/opents/import.h"

#include <inttypes.h>
#include <string.h>

#include "src/files/head.h"
#include "src/import/opents/importer.h"

enum {
    IDENTITY_BYTES = 64 << 10, /* bytes of the file that identify the trace */
};

/* Adds a property that is known only at the end. */
static void add_late_property(XtfOpentsImport *import, const char *name, const char *value)
{
    const XtfPropertyRow row = {.name = xtf_definitions_late_string(&import->definitions, name),
                                .value = xtf_definitions_late_string(&import->definitions, value)};

    xtf_definitions_add_part(&import->definitions, XTF_MODEL_PROPERTIES, &row);
}

/* ---- The end. */

static void list_unknown_items(XtfOpentsImport *import)
{
    g_autoptr(GList) names = g_list_sort(g_hash_table_get_keys(import->unknown), (GCompareFunc)strcmp);

    for (GList *name = names; name; name = name->next)
        xtf_import_note_left_out(import->job, "%" PRIu64 " %s, which a trace of OpenTS does not have",
                                 *(uint64_t *)g_hash_table_lookup(import->unknown, name->data), (char *)name->data);
    if (import->n_unlisted > 0)
        xtf_import_note_left_out(import->job,
                                 "%" PRIu64 " unknown elements, attributes and other items with further names",
                                 import->n_unlisted);
}

static void add_final_remarks(XtfOpentsImport *import, bool cut)
{
    g_autofree char *slices = xtf_import_quantity(import->rows.n_slices, "whole slice");
    g_autofree char *text = NULL;
    bool mixed;
    int line;

    g_markup_parse_context_get_position(import->markup, &line, NULL);
    if (cut)
        xtf_import_warn(import->job, "line %d: the file ends before the trace does: it has %s", line, slices);
    if (import->rows.backward > 0)
        xtf_import_note_repair(
            import->job,
            "%" PRIu64 " records have times before the time of the preceding slice: they are shown at that time",
            import->rows.backward);
    if (import->rounded > 0)
        xtf_import_note_repair(import->job,
                               "%" PRIu64 " times have more than nine decimals: they were rounded to nanoseconds",
                               import->rounded);
    text = xtf_notation_text(&import->notation, &mixed);
    add_late_property(import, XTF_OPENTS_DECIMALS, text);
    if (mixed)
        xtf_import_note_repair(
            import->job, "numbers of one attribute are written in different ways: an export writes all of them with "
                         "as many decimals as they need");
    list_unknown_items(import);
}

/* Writes the definitions and closes the output. */
static bool finish_output(XtfOpentsImport *import, bool cut, GError **error)
{
    XtfImportJob *job = import->job;
    const char *values = job->options->values;

    if (!xtf_opents_rows_close(&import->rows, error))
        return false;
    add_late_property(import, "values", values ? values : import->rows.falls ? "per-frame" : "cumulative");
    for (guint i = 0; i < import->kind_names->len; i++) {
        const XtfMessageTypeRow row = {
            .name = xtf_definitions_late_string(&import->definitions, import->kind_names->pdata[i])};
        xtf_definitions_add_part(&import->definitions, XTF_MODEL_MESSAGE_TYPES, &row);
    }
    add_final_remarks(import, cut);
    xtf_import_store_remarks(job, &import->definitions);
    return xtf_definitions_write(&import->definitions, error) && xtf_writer_close(g_steal_pointer(&job->writer), error);
}

/* Reads the file. With --keep-going a fault is only a warning, and keeps the part before it. */
static bool read_file(XtfOpentsImport *import, bool *cut, GError **error)
{
    g_autoptr(GError) fault = NULL;

    *cut = false;
    if (xtf_opents_feed(import, cut, &fault))
        return true;
    if (!import->keep_going || !import->last_slice || fault->code != XTF_ERROR_DAMAGED) {
        g_propagate_error(error, g_steal_pointer(&fault));
        return false;
    }
    const char *message = fault->message;
    if (g_str_has_prefix(message, import->job->anchor))
        message += strlen(import->job->anchor) + strlen(": ");
    xtf_import_warn(import->job, "%s; everything after that is left out", message);
    return true;
}

bool xtf_opents_import(XtfImportJob *job, GError **error)
{
    XtfOpentsImport import = {.job = job, .keep_going = job->options->keep_going};
    bool cut;

    import.identity = xtf_file_hash_head(job->anchor, IDENTITY_BYTES, error);
    if (!import.identity || !xtf_import_may_replace(job, import.identity, error)) {
        g_free(import.identity);
        return false;
    }
    xtf_definitions_init(&import.definitions);
    import.kinds = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    import.kind_names = g_ptr_array_new();
    import.unknown = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    import.markup = g_markup_parse_context_new(&xtf_opents_parser, 0, &import, NULL);
    bool good = read_file(&import, &cut, error) && finish_output(&import, cut, error);
    job->report.definitions = import.definitions.count;
    g_markup_parse_context_free(import.markup);
    g_hash_table_destroy(import.unknown);
    g_ptr_array_free(import.kind_names, TRUE);
    g_hash_table_destroy(import.kinds);
    g_free(import.last_slice);
    xtf_opents_rows_finish(&import.rows);
    xtf_definitions_finish(&import.definitions);
    g_free(import.identity);
    return good;
}
