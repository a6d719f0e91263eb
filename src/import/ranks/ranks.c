#include "src/import/ranks/ranks.h"

#include <string.h>

#include "libxtf/merge.h"
#include "src/import/job.h"
#include "src/import/ranks/folder.h"

/* One import, in one of its ranks. */
typedef struct {
    XtfWorld *world;
    const XtfImporter *importer;
    char *anchor;
    XtfImportFolder folder;
    XtfReplaced replaced;
    const XtfImportOptions *callers_options;
    XtfImportOptions options; /* for the child process: cancelled by other ranks, too */
    atomic_bool cancel;       /* if the caller has none */
    XtfOutput *part;
    GVariant *result;       /* the report of this rank, and its share's result */
    XtfOutput *definitions; /* of rank 0 */
    GVariant *combined;     /* of rank 0: the report of all ranks, and their parts */
} RanksImport;

static unsigned own_rank(const RanksImport *import)
{
    return xtf_world_rank(import->world);
}

/* Returns the text of rank 0 in all ranks; NULL if it has none. The caller frees it. */
static char *share_text(XtfWorld *world, const char *text)
{
    g_autoptr(GBytes) own = g_bytes_new(text ? text : "", strlen(text ? text : "") + 1);
    g_autoptr(GBytes) shared = xtf_world_broadcast(world, own);
    const char *of_first = g_bytes_get_data(shared, NULL);

    return *of_first ? g_strdup(of_first) : NULL;
}

/* ---- Before. */

/* Checks that all ranks see the folder in which the output will be: rank 0 makes a folder there for a moment. */
static bool check_shared_place(RanksImport *import, GError **error)
{
    GError *own = NULL;
    g_autofree char *made = own_rank(import) == 0 ? xtf_import_folder_make(&import->folder, &own) : NULL;
    g_autofree char *shown = share_text(import->world, made);

    if (shown && own_rank(import) > 0 && !xtf_import_folder_sees(shown))
        xtf_fail(&own, XTF_ERROR_IO,
                 "%s: it lacks a folder that rank 0 has just made there: -o must be on a file system that all ranks "
                 "share",
                 import->folder.parent);
    bool good = xtf_world_have_succeeded(import->world, own, error);
    if (made)
        xtf_import_folder_remove(made);
    return good;
}

/* Checks the output's path in rank 0. All ranks get the identity of the import that the output will replace. */
static bool check_output(RanksImport *import, GError **error)
{
    GError *own = NULL;
    g_autofree char *identity = NULL;

    if (own_rank(import) == 0)
        xtf_import_folder_check(&import->folder, import->importer, import->callers_options->force, &identity, &own);
    if (!xtf_world_have_succeeded(import->world, own, error))
        return false;
    import->replaced = (XtfReplaced){.path = import->folder.path, .identity = share_text(import->world, identity)};
    return check_shared_place(import, error);
}

/* ---- The shares. */

/* Shows the progress of rank 0, and gives up if another rank has failed. */
static void watch_ranks(uint64_t events, double done, void *data)
{
    RanksImport *import = data;
    const XtfImportOptions *options = import->callers_options;

    if (xtf_world_were_warned(import->world))
        atomic_store(import->options.cancel, true);
    if (options->progress && own_rank(import) == 0)
        options->progress(events, done, options->progress_data);
}

static void set_options(RanksImport *import, const XtfImportOptions *options)
{
    import->callers_options = options;
    import->options = *options;
    import->options.progress = watch_ranks;
    import->options.progress_data = import;
    if (!options->cancel)
        import->options.cancel = &import->cancel;
    if (options->jobs == 0)
        import->options.jobs = 1; /* users start a rank for each core */
}

/* Runs the importer: for the share of this rank or, with the results of all ranks, to combine them. */
static GVariant *run_importer(RanksImport *import, const XtfOutput *output, GPtrArray *results, GError **error)
{
    XtfShare share;
    XtfImportJob job = {.importer = import->importer,
                        .anchor = import->anchor,
                        .output = output,
                        .options = &import->options,
                        .replaced = &import->replaced,
                        .share = &share};

    xtf_share_init(&share, own_rank(import), xtf_world_size(import->world), results);
    GVariant *result = xtf_import_read(&job, error);
    xtf_share_finish(&share);
    return result;
}

/* Reads the share of this rank into a part. A rank that fails warns the others, which then give up. */
static bool read_share(RanksImport *import, GError **error)
{
    g_autofree char *path = xtf_import_folder_part(import->folder.path, own_rank(import));
    GError *own = NULL;

    import->part = xtf_output_begin_in(import->folder.parent, path, &own);
    if (import->part)
        import->result = run_importer(import, import->part, NULL, &own);
    if (import->result && !xtf_output_sync(import->part, &own))
        g_clear_pointer(&import->result, g_variant_unref);
    if (own)
        xtf_world_warn(import->world);
    return xtf_world_have_succeeded(import->world, own, error);
}

/* Returns the share's result in that of a job. The caller unrefs it. */
static GVariant *result_of_share(GVariant *result)
{
    g_autoptr(GVariant) boxed = g_variant_get_child_value(result, 1);

    return g_variant_get_variant(boxed);
}

/* Returns the result of a rank's share, as received; NULL with an error. The caller unrefs it. */
static GVariant *unpack_result(GBytes *bytes, unsigned rank, GError **error)
{
    g_autoptr(GVariant) result = g_variant_ref_sink(g_variant_new_from_bytes(XTF_SHARE_TYPE, bytes, FALSE));

    if (g_variant_is_normal_form(result))
        return g_steal_pointer(&result);
    xtf_fail(error, XTF_ERROR_IO, "rank %u sent a wrong result", rank);
    return NULL;
}

static void unref_variant(gpointer variant)
{
    g_variant_unref(variant);
}

/* Writes the definitions of all ranks, in rank 0. */
static bool combine_results(RanksImport *import, const GPtrArray *received, GPtrArray *results, GError **error)
{
    g_autofree char *path = xtf_import_folder_definitions(import->folder.path);

    for (guint i = 0; i < received->len; i++) {
        GVariant *result = unpack_result(received->pdata[i], i, error);
        if (!result)
            return false;
        g_ptr_array_add(results, result);
    }
    import->definitions = xtf_output_begin_in(import->folder.parent, path, error);
    if (import->definitions)
        import->combined = run_importer(import, import->definitions, results, error);
    return import->combined && xtf_output_sync(import->definitions, error);
}

/* Combines the results of all ranks. `results` gets them in rank 0. */
static bool combine_shares(RanksImport *import, GPtrArray *results, GError **error)
{
    g_autoptr(GVariant) result = result_of_share(import->result);
    g_autoptr(GBytes) bytes = g_variant_get_data_as_bytes(result);
    g_autoptr(GPtrArray) received = xtf_world_gather(import->world, bytes);
    GError *own = NULL;

    if (received)
        combine_results(import, received, results, &own);
    return xtf_world_have_succeeded(import->world, own, error);
}

/* ---- The folder. */

static bool has_locations(GVariant *result)
{
    guint64 n = 0;

    return g_variant_lookup(result, "dealt", "t", &n) && n > 0;
}

/* Gives the part of this rank its name in the new folder, unless the rank has no locations. */
static bool place_part(RanksImport *import, const char *folder, GError **error)
{
    g_autofree char *path = xtf_import_folder_part(folder, own_rank(import));
    g_autoptr(GVariant) result = result_of_share(import->result);
    GError *own = NULL;

    if (has_locations(result)) {
        xtf_output_redirect(import->part, path);
        xtf_output_end(g_steal_pointer(&import->part), true, &own);
    }
    return xtf_world_have_succeeded(import->world, own, error);
}

/* Lists the parts of an anchor: the definitions, and the parts of ranks with locations. `numbers`, by rank, has the
 * numbers of their rows. */
static GArray *list_parts(const RanksImport *import, const char *folder, const GPtrArray *results, GPtrArray *numbers)
{
    g_autoptr(GVariant) described = result_of_share(import->combined);
    GArray *parts = g_array_new(FALSE, FALSE, sizeof(XtfMergePart));
    const XtfMergePart definitions = {.path = xtf_import_folder_definitions(folder)};

    g_array_append_val(parts, definitions);
    for (guint rank = 0; rank < results->len; rank++) {
        GArray *tables = g_array_new(FALSE, FALSE, sizeof(XtfMergeRows));
        g_autoptr(GVariantIter) maps = NULL;
        gboolean own_strings;
        const char *table;
        GVariant *map;
        g_variant_get_child(described, rank, "(ba(sau))", &own_strings, &maps);
        while (g_variant_iter_next(maps, "(&s@au)", &table, &map)) {
            gsize n;
            const uint32_t *rows = g_variant_get_fixed_array(map, &n, sizeof *rows);
            const XtfMergeRows of_table = {.table = table, .rows = rows, .n = (uint32_t)n};
            g_array_append_val(tables, of_table);
            g_variant_unref(map); /* `combined` keeps its bytes */
        }
        g_ptr_array_add(numbers, tables);
        const XtfMergePart part = {.path = xtf_import_folder_part(folder, rank),
                                   .rows = (const XtfMergeRows *)tables->data,
                                   .n_rows = tables->len,
                                   .own_strings = own_strings};
        if (has_locations(results->pdata[rank]))
            g_array_append_val(parts, part);
        else
            g_free((char *)part.path);
    }
    return parts;
}

static void unref_array(gpointer array)
{
    g_array_unref(array);
}

/* Writes definitions and anchor into the new folder, checks it, and moves it to its path. */
static bool complete_folder(RanksImport *import, const char *folder, const GPtrArray *results, XtfImportReport *report,
                            GError **error)
{
    g_autoptr(GPtrArray) numbers = g_ptr_array_new_with_free_func(unref_array);
    g_autoptr(GArray) parts = list_parts(import, folder, results, numbers);
    g_autoptr(GVariant) packed = g_variant_get_child_value(import->combined, 0);

    xtf_output_redirect(import->definitions, g_array_index(parts, XtfMergePart, 0).path);
    bool good = xtf_output_end(g_steal_pointer(&import->definitions), true, error) &&
                xtf_merge_anchor_shared(folder, (const XtfMergePart *)parts->data, parts->len, NULL, NULL, error);
    for (guint i = 0; i < parts->len; i++)
        g_free((char *)g_array_index(parts, XtfMergePart, i).path);
    if (!good)
        return false;
    xtf_import_report_unpack(report, packed);
    report->format = import->importer->name;
    return xtf_import_folder_has(folder, report->kept, error) &&
           xtf_import_folder_publish(&import->folder, folder, error);
}

/* Makes the folder of all parts. */
static bool make_folder(RanksImport *import, const GPtrArray *results, XtfImportReport *report, GError **error)
{
    GError *own = NULL;
    g_autofree char *made = own_rank(import) == 0 ? xtf_import_folder_make(&import->folder, &own) : NULL;

    if (!xtf_world_have_succeeded(import->world, own, error))
        return false;
    own = NULL;
    g_autofree char *folder = share_text(import->world, made);
    bool good = place_part(import, folder, error);
    if (good && made)
        complete_folder(import, folder, results, report, &own);
    good = good && xtf_world_have_succeeded(import->world, own, error);
    if (!good && made)
        xtf_import_folder_remove(made);
    return good;
}

static bool import_shares(RanksImport *import, XtfImportReport *report, GError **error)
{
    g_autoptr(GPtrArray) results = g_ptr_array_new_with_free_func(unref_variant);

    return check_output(import, error) && read_share(import, error) && combine_shares(import, results, error) &&
           make_folder(import, results, report, error);
}

static void finish_import(RanksImport *import)
{
    XtfOutput *outputs[] = {import->part, import->definitions};

    for (size_t i = 0; i < G_N_ELEMENTS(outputs); i++)
        if (outputs[i])
            xtf_output_end(outputs[i], false, NULL);
    g_clear_pointer(&import->result, g_variant_unref);
    g_clear_pointer(&import->combined, g_variant_unref);
    g_free(import->replaced.identity);
    g_free(import->anchor);
    xtf_import_folder_finish(&import->folder);
}

/* Imports all in rank 0, while the others wait. */
static bool import_alone(RanksImport *import, const char *path, const char *output, XtfImportReport *report,
                         GError **error)
{
    GError *own = NULL;

    if (own_rank(import) == 0)
        xtf_import(path, output, import->callers_options, report, &own);
    return xtf_world_have_succeeded(import->world, own, error);
}

bool xtf_import_by_ranks(XtfWorld *world, const char *path, const char *output, const XtfImportOptions *options,
                         XtfImportReport *report, GError **error)
{
    RanksImport import = {.world = world};
    GError *own = NULL;

    set_options(&import, options);
    xtf_import_folder_init(&import.folder, output);
    import.anchor = options->format ? xtf_import_of_format(path, options->format, &import.importer, &own)
                                    : xtf_import_detect(path, &import.importer, &own);
    if (import.anchor && options->values && !import.importer->has_values)
        xtf_fail(&own, XTF_ERROR_INVALID, "%s: --values is for traces of OpenTS, but this is a trace of %s", path,
                 import.importer->name);
    bool good = xtf_world_have_succeeded(world, own, error) &&
                (import.importer->shares ? import_shares(&import, report, error)
                                         : import_alone(&import, path, output, report, error));
    finish_import(&import);
    return good;
}
