#include "src/cli/trace/archive-cache.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "libxtf/array.h"
#include "libxtf/error.h"
#include "libxtf/merge.h"
#include "libxtf/trace.h"
#include "src/cli/trace/cache-folder.h"
#include "src/cli/trace/companion.h"
#include "src/cli/trace/import-archive.h"
#include "src/cli/ui/interrupts.h"
#include "src/cli/ui/print.h"
#include "src/import/importer.h"
#include "src/model/part-name.h"
#include "src/trace/text/time-scale.h"

enum {
    DEPTH_MAX = 16, /* deepest folder that is read in an archive: links may make circles */
    /* Page cache of a command that prints and ends. It reads most pages once: filling a larger cache costs more time
     * than it saves. The upper pages of each array are read again and again. */
    CACHE_BYTES = 64 << 20,
    CACHE_BYTES_OF_ARRAY = 8 << 10,
};

static bool fail_errno(const char *path, GError **error)
{
    return xtf_fail(error, XTF_ERROR_IO, "'%s': %s", path, g_strerror(errno));
}

/* Adds a line for each file at or below a path: name, size, time. */
static void add_file_lines(GPtrArray *lines, const char *path, unsigned depth)
{
    struct stat attributes;

    if (stat(path, &attributes) != 0)
        return;
    if (S_ISREG(attributes.st_mode)) {
        g_ptr_array_add(lines, g_strdup_printf("%s %jd %jd.%09ld", path, (intmax_t)attributes.st_size,
                                               (intmax_t)attributes.st_mtim.tv_sec, attributes.st_mtim.tv_nsec));
    } else if (S_ISDIR(attributes.st_mode) && depth < DEPTH_MAX) {
        g_autoptr(GDir) folder = g_dir_open(path, 0, NULL);
        const char *name;
        while (folder && (name = g_dir_read_name(folder))) {
            g_autofree char *child = g_build_filename(path, name, NULL);
            add_file_lines(lines, child, depth + 1);
        }
    }
}

static int compare_file_lines(gconstpointer a, gconstpointer b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Returns a hash of the names, sizes and times of an archive's files, and of the versions of xtf and its format. The
 * caller frees it. */
static char *hash_archive(const XtfImporter *importer, const char *anchor)
{
    g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GChecksum) checksum = g_checksum_new(G_CHECKSUM_SHA256);
    g_autoptr(GPtrArray) files = xtf_importer_files(importer, anchor);

    for (guint i = 0; i < files->len; i++)
        add_file_lines(lines, files->pdata[i], 0);
    g_ptr_array_sort(lines, compare_file_lines);
    g_checksum_update(checksum, (const guchar *)XTF_VERSION, -1);
    g_checksum_update(checksum, (const guchar *)xtf_format_version(), -1);
    for (guint i = 0; i < lines->len; i++) {
        g_checksum_update(checksum, (const guchar *)"\n", 1);
        g_checksum_update(checksum, lines->pdata[i], -1);
    }
    return g_strndup(g_checksum_get_string(checksum), 16);
}

static bool import_to(const char *anchor, const char *output, bool quiet, GError **error)
{
    const XtfImportOptions options = {.force = true}; /* the file in the cache folder is one of xtf */
    g_auto(XtfImportReport) report;

    xtf_import_report_init(&report);
    if (!xtf_cli_import(NULL, anchor, output, &options, quiet, &report, error))
        return false;
    if (!quiet)
        xtf_cli_print_warnings(&report, anchor, anchor);
    for (guint i = 0; !quiet && i < report.left_out->len; i++)
        xtf_print_line(stderr, "xtf: remark: %s: left out: %s", anchor, (const char *)report.left_out->pdata[i]);
    return true;
}

/* Reports that the cache folder is full, and names the ways out. Other errors are passed on. Owns `problem`. */
static void report_full_cache(const char *anchor, const char *folder, const char *kept, GError *problem, GError **error)
{
    const char *message = problem->message;
    size_t length = strlen(kept);

    if (!g_error_matches(problem, XTF_ERROR, XTF_ERROR_IO) || strncmp(message, kept, length) != 0) {
        g_propagate_error(error, problem);
        return;
    }
    xtf_fail(error, XTF_ERROR_IO,
             "the import of '%s' does not fit the cache folder '%s'%s ('xtf cache --clear' empties it; name another "
             "by XTF_CACHE_DIR or mount's -o cachedir=; 'xtf import -o FILE' writes elsewhere)",
             anchor, folder, message + length);
    g_error_free(problem);
}

/* Opens the kept import of an archive, or imports it now. The caller holds the archive's lock. */
static XtfTrace *open_kept(const XtfImporter *importer, const char *anchor, const char *folder, const char *prefix,
                           const XtfSourceOptions *source_options, char **path, GError **error)
{
    g_autofree char *state = hash_archive(importer, anchor);
    g_autofree char *name = g_strdup_printf("%s-%s.xtf", prefix, state);
    g_autofree char *kept = g_build_filename(folder, name, NULL);
    GError *problem = NULL;

    xtf_cache_note(folder, prefix, anchor);
    /* An import that cannot be read is made again. */
    XtfTrace *trace = xtf_cache_has(kept) ? xtf_trace_open(kept, source_options->open, NULL) : NULL;
    if (!trace && import_to(anchor, kept, source_options->quiet, &problem)) {
        xtf_cache_keep(folder, prefix, kept);
        trace = xtf_trace_open(kept, source_options->open, error);
    } else if (problem) {
        xtf_cache_drop_note(folder, prefix);
        report_full_cache(anchor, folder, kept, problem, error);
    }
    if (trace)
        *path = g_steal_pointer(&kept);
    return trace;
}

/* Opens the import of an archive; imports it if there is none. */
static XtfTrace *open_import(const XtfImporter *importer, const char *anchor, const XtfSourceOptions *source_options,
                             char **path, GError **error)
{
    g_autofree char *folder = xtf_cache_folder(source_options->cache_folder, error);
    if (!folder)
        return NULL;
    g_autofree char *prefix = xtf_cache_prefix(anchor);
    /* Signals are caught, so that none leaves a lock behind. */
    XtfInterrupts interrupts;
    const atomic_bool *cancel = xtf_interrupts_catch(&interrupts);
    int lock = xtf_cache_lock(folder, prefix, cancel, error);
    XtfTrace *trace = lock >= 0 ? open_kept(importer, anchor, folder, prefix, source_options, path, error) : NULL;
    if (lock >= 0)
        xtf_cache_unlock(folder, prefix, lock);
    xtf_interrupts_release(&interrupts);
    if (!trace || !atomic_load(cancel))
        return trace;
    xtf_fail(error, XTF_ERROR_CANCELLED, "interrupted");
    g_clear_pointer(path, g_free);
    xtf_trace_unref(trace);
    return NULL;
}

/* True if the folder holds a trace of another format. */
static bool is_foreign(const char *folder)
{
    const XtfImporter *importer;
    g_autofree char *found = xtf_import_detect(folder, &importer, NULL);

    return found != NULL;
}

/* True if no companion is named. Only an .xtf file, or a folder with an anchor, can have a companion. */
static bool has_no_companion(const char *path, const char *kind, const XtfSourceOptions *source_options, GError **error)
{
    if (!source_options->companion)
        return true;
    return xtf_fail(error, XTF_ERROR_INVALID, "'%s' is %s, but '%s' can only be an analysis of an .xtf file", path,
                    kind, source_options->companion);
}

/* Reports which parts are left out, and which ended early. Parts without a commit may still be in the making. */
static void print_part_remarks(const XtfTrace *trace)
{
    size_t n;
    const XtfPartRemark *const *remarks = xtf_trace_part_remarks(trace, &n);

    for (size_t i = 0; i < n; i++) {
        g_autofree char *line = xtf_part_remark_line(remarks[i]);
        if (remarks[i]->kind != XTF_PART_WITHOUT_COMMIT)
            xtf_print_line(stderr, "xtf: remark: %s%s", line,
                           remarks[i]->kind == XTF_PART_LEFT_OUT ? "; it is left out" : "");
    }
}

static XtfTrace *open_parts(const char *path, const XtfSourceOptions *source_options, GError **error)
{
    XtfOpenOptions options = source_options->open ? *source_options->open : (XtfOpenOptions){0};

    options.incomplete |= source_options->incomplete;
    XtfTrace *trace = xtf_folder_open(path, &options, error);
    if (trace && !source_options->quiet)
        print_part_remarks(trace);
    if (trace)
        xtf_companion_report_left(path, source_options);
    return trace;
}

/* Says from which time on there are records, if the first volumes were removed. */
static void print_kept_time(const XtfTrace *trace, const char *path)
{
    uint64_t kept = xtf_trace_kept_from(trace);
    char text[XTF_TIME_TEXT_MAX] = "";
    XtfTimeScale scale;

    if (kept == 0)
        return;
    xtf_time_scale_init(&scale, xtf_trace_clock(trace));
    xtf_print_line(stderr, "xtf: remark: %s begins at %s %s: earlier records were in volumes that were removed", path,
                   xtf_time_scale_put(&scale, kept - MIN(kept, scale.origin), text + sizeof text - 1),
                   xtf_time_scale_unit(&scale));
}

static XtfTrace *open_xtf(const char *path, const XtfSourceOptions *source_options, GError **error)
{
    bool is_folder = g_file_test(path, G_FILE_TEST_IS_DIR), is_readable = !is_folder || !is_foreign(path);
    g_autofree char *base = xtf_companion_base(path);

    if (is_readable && (!is_folder || !g_str_equal(base, path)))
        return xtf_companion_open(base, source_options, error);
    if (is_readable)
        return has_no_companion(path, "a folder without an anchor", source_options, error)
                   ? open_parts(path, source_options, error)
                   : NULL;
    xtf_fail(error, XTF_ERROR_NOT_XTF, "%s: is the folder of a trace in another format", path);
    return NULL;
}

XtfTrace *xtf_cli_open_xtf(const char *path, const XtfSourceOptions *source_options, GError **error)
{
    XtfTrace *trace = open_xtf(path, source_options, error);

    if (trace && !source_options->quiet)
        print_kept_time(trace, path);
    return trace;
}

static bool is_folder_of_parts(const char *path)
{
    if (!g_file_test(path, G_FILE_TEST_IS_DIR) || is_foreign(path))
        return false;
    g_autofree char *anchor = g_build_filename(path, XTF_ANCHOR_NAME, NULL);
    g_auto(GStrv) parts = xtf_folder_parts(path, NULL);
    return (parts && parts[0]) || g_file_test(anchor, G_FILE_TEST_EXISTS);
}

XtfTrace *xtf_cli_open_source(const char *source, const XtfSourceOptions *source_options, char **path, GError **error)
{
    static const XtfSourceOptions defaults;
    g_autoptr(GError) refusal = NULL;

    source_options = source_options ? source_options : &defaults;
    bool is_folder = g_file_test(source, G_FILE_TEST_IS_DIR);
    if (!is_folder || is_folder_of_parts(source)) {
        XtfTrace *trace = xtf_cli_open_xtf(source, source_options, &refusal);
        if (trace || is_folder || !g_error_matches(refusal, XTF_ERROR, XTF_ERROR_NOT_XTF)) {
            if (trace)
                *path = g_canonicalize_filename(source, NULL);
            else
                g_propagate_error(error, g_steal_pointer(&refusal));
            return trace;
        }
    }
    const XtfImporter *importer;
    GError *problem = NULL;
    g_autofree char *found = xtf_import_detect(source, &importer, &problem);
    bool no_format = !found && refusal && g_error_matches(problem, XTF_ERROR, XTF_ERROR_NOT_XTF);
    if (no_format && strstr(refusal->message, "damaged")) { /* the path is a damaged XTF file */
        g_error_free(problem);
        problem = g_steal_pointer(&refusal);
    } else if (no_format) {
        g_autofree char *formats = xtf_import_formats(), *advice = xtf_import_advice(source);
        g_clear_error(&problem);
        xtf_fail(&problem, XTF_ERROR_NOT_XTF, "%s: is not an XTF file (or has no complete commit), and not %s%s%s",
                 source, formats, advice ? "; " : "", advice ? advice : "");
    }
    if (!found) {
        g_propagate_error(error, problem);
        return NULL;
    }
    if (!has_no_companion(source, "not an .xtf file", source_options, error))
        return NULL;
    g_autofree char *anchor = realpath(found, NULL);
    if (!anchor) {
        fail_errno(found, error);
        return NULL;
    }
    return open_import(importer, anchor, source_options, path, error);
}

/* Bounds the page cache as a command without a mount needs it; never above the default. */
static void bound_cache(XtfTrace *trace)
{
    XtfCounters counters;

    xtf_trace_get_counters(trace, &counters);
    xtf_trace_set_cache_bytes(
        trace, MIN(counters.cache_limit, CACHE_BYTES + xtf_trace_n_arrays(trace) * CACHE_BYTES_OF_ARRAY));
}

XtfTree *xtf_cli_open_tree(const char *source, bool incomplete, GError **error)
{
    const XtfSourceOptions source_options = {.incomplete = incomplete};
    g_autofree char *path = NULL;
    g_autoptr(XtfTrace) trace = xtf_cli_open_source(source, &source_options, &path, error);

    if (!trace)
        return NULL;
    bound_cache(trace);
    XtfTraceInfo info;
    xtf_trace_get_info(trace, &info);
    if (!info.closed)
        xtf_print_line(stderr, "xtf: '%s' is not closed by its writer: this is commit %" PRIu64, path, info.commit);
    XtfTree *tree = xtf_tree_new(trace, error);
    if (tree)
        xtf_tree_name_after(tree, source);
    return tree;
}

XtfNode *xtf_cli_resolve(XtfTree *tree, const char *path, const char *name, GError **error)
{
    XtfNode *node = xtf_tree_resolve(tree, path, error);
    g_autofree char *remark = node ? xtf_node_remark(node) : NULL;

    if (remark)
        xtf_print_line(stderr, "xtf: warning: %s: %s", name, remark);
    return node;
}
