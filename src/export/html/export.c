/*
 * Exports web pages for any web server. A site has the front page of a selection, the tenths of its window, and the
 * tenths of these. It also has pictures and tables that these pages link.
 *
 * A front page links thousands of other windows. The site has at most XTF_SITE_FILES_MAX files. The exporter adds the
 * front pages of windows first, then files that the root page links. Files that the ten windows below it link are last,
 * one of each window by turns.
 */
#include "src/export/html/exporter.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "libxtf/error.h"
#include "src/export/html/site.h"
#include "src/export/job.h"
#include "src/pictures/drawing/picture-links.h"
#include "src/tables/totals/selected-locations.h"

enum {
    PARTS = 10, /* windows below a window */
    LEVELS = 2,
    TABLE_MAX = 16 << 20,  /* bytes of the longest table to copy */
    LISTED_MAX = 20 << 20, /* most records of a selection whose rows are copied one by one */
    FOLDER_MODE = 0777,
};

static const char front_page[] = "index.html";

typedef struct {
    XtfExportJob *job;
    XtfSite site;
    uint64_t from, to;     /* window of the root page; ticks */
    XtfPictureLinks links; /* of the root page's selection, from the root of the tree */
    GPtrArray *linked;     /* of GPtrArray of paths: what the page of each window links, while files are chosen */
    GHashTable *drawn;     /* path -> GString: pages that were drawn for their links, until they are copied */
    uint64_t too_long;     /* tables that are longer than TABLE_MAX, or have too many rows */
} Export;

/* ---- Files of the tree. */

/* Returns the content of a file of the tree, NULL on error. Returns an empty text and sets *too_long for a file of more
 * than `size_max` bytes. */
static GString *read_file(XtfTree *tree, const char *path, uint64_t size_max, bool *too_long, GError **error)
{
    g_autoptr(XtfNode) node = xtf_tree_resolve(tree, path, error);
    size_t length = 0;

    if (!node)
        return NULL;
    g_autoptr(GString) text = g_string_new(NULL);
    *too_long = xtf_node_size(node) > size_max;
    if (*too_long)
        return g_steal_pointer(&text);
    g_string_set_size(text, (gsize)xtf_node_size(node));
    if (!xtf_node_read(node, 0, text->str, text->len, &length, error))
        return NULL;
    return g_string_truncate(g_steal_pointer(&text), length);
}

/* Reads a page that the exporter copies at any length. */
static GString *read_page(XtfTree *tree, const char *path, GError **error)
{
    bool too_long;

    return read_file(tree, path, UINT64_MAX, &too_long, error);
}

/* ---- Choice of files. */

/* Returns the directory of the root page's selection in another window, unescaped. The caller frees it. */
static char *name_window(const Export *export, uint64_t from, uint64_t to)
{
    g_autofree char *link = xtf_picture_link(&export->links, from, to, NULL);

    return g_uri_unescape_string(link, NULL);
}

/* Adds the front pages of the parts of each window of a level. Windows are at least a tick long. */
static void add_level(Export *export, unsigned level)
{
    guint n = export->site.windows->len;

    for (guint i = 0; i < n; i++) {
        const XtfSiteWindow window = g_array_index(export->site.windows, XtfSiteWindow, i);
        if (window.level + 1 != level || window.to - window.from < PARTS)
            continue;
        for (unsigned part = 0; part < PARTS; part++) {
            uint64_t from = xtf_time_bin_bound(window.from, window.to, part, PARTS),
                     to = xtf_time_bin_bound(window.from, window.to, part + 1, PARTS);
            g_autofree char *directory = name_window(export, from, to);
            xtf_site_add_window(&export->site, directory, from, to, level);
        }
    }
}

static void append_link(const char *path, void *data)
{
    g_ptr_array_add(data, g_strdup(path));
}

/* Returns the paths that the page of a window links, and keeps the page until it is copied. NULL on error. */
static GPtrArray *list_links(Export *export, const XtfSiteWindow *window, GError **error)
{
    GString *text = read_page(export->job->tree, window->path, error);

    if (!text)
        return NULL;
    GPtrArray *paths = g_ptr_array_new_with_free_func(g_free);
    xtf_site_visit_links(&export->site, window->path, text->str, append_link, paths);
    g_hash_table_insert(export->drawn, (char *)window->path, text);
    xtf_export_beat(export->job);
    return paths;
}

/* True if the site may have a file. A front page must be of the window of the page that links it. No file is a single
 * record or a list of too many records. `pages` chooses between front pages, and pictures and tables. */
static bool is_wanted(Export *export, const XtfSiteWindow *window, const char *path, bool pages)
{
    static const char *const lists[] = {"messages", "operations", "longest", "unmatched", NULL};
    g_autofree char *directory = g_path_get_dirname(window->path), *name = g_path_get_basename(path);
    size_t length = strlen(directory);
    const char *below = g_str_equal(directory, ".")                                ? path
                        : g_str_has_prefix(path, directory) && path[length] == '/' ? path + length + 1
                                                                                   : NULL;
    bool is_page = g_str_equal(name, front_page);
    if (!below || (is_page && g_str_has_prefix(below, "time/")) || strstr(below, "num/") ||
        g_str_equal(name, "records"))
        return false;
    return is_page == pages && (!g_strv_contains(lists, name) || export->job->total <= LISTED_MAX);
}

/* Adds the i-th link of each listed window until the site is full or no window has more links. `pages` is as in
 * is_wanted(). */
static void add_linked_files(Export *export, guint first_window, bool pages)
{
    bool more = true;

    for (guint i = 0; more && export->site.paths->len < XTF_SITE_FILES_MAX; i++) {
        more = false;
        for (guint w = 0; w < export->linked->len; w++) {
            const GPtrArray *paths = g_ptr_array_index(export->linked, w);
            const XtfSiteWindow *window = &g_array_index(export->site.windows, XtfSiteWindow, first_window + w);
            if (i >= paths->len)
                continue;
            more = true;
            const char *path = g_ptr_array_index(paths, i);
            if (is_wanted(export, window, path, pages))
                xtf_site_add(&export->site, path);
        }
    }
}

/* Adds the files that the pages of a level link, one of each window by turns. */
static bool add_linked(Export *export, unsigned level, GError **error)
{
    guint first = 0;

    g_ptr_array_set_size(export->linked, 0);
    for (guint i = 0; i < export->site.windows->len; i++) {
        const XtfSiteWindow *window = &g_array_index(export->site.windows, XtfSiteWindow, i);
        if (window->level != level)
            continue;
        GPtrArray *paths = list_links(export, window, error);
        if (!paths)
            return false;
        first = export->linked->len == 0 ? i : first;
        g_ptr_array_add(export->linked, paths);
    }
    add_linked_files(export, first, false);
    add_linked_files(export, first, true);
    return true;
}

/* ---- Output. */

static bool write_file(const Export *export, const char *file, const GString *text, GError **error)
{
    g_autofree char *path = g_build_filename(export->job->output, file, NULL), *folder = g_path_get_dirname(path);
    GError *cause = NULL;

    if (g_mkdir_with_parents(folder, FOLDER_MODE) != 0)
        return xtf_fail(error, XTF_ERROR_IO, "%s: the folder cannot be created: %s", folder, g_strerror(errno));
    if (g_file_set_contents(path, text->str, (gssize)text->len, &cause))
        return true;
    xtf_fail(error, XTF_ERROR_IO, "%s", cause->message);
    g_error_free(cause);
    return false;
}

/* Copies a table. A table that is too long is replaced by a line that says so. */
static bool copy_table(Export *export, const char *path, const char *file, GError **error)
{
    bool too_long;
    g_autoptr(GString) text = read_file(export->job->tree, path, TABLE_MAX, &too_long, error);

    if (!text)
        return false;
    if (too_long) {
        export->too_long++;
        g_string_printf(text, "This table has more than %d MiB, and was not exported: xtf cat TRACE '%s' prints it.\n",
                        TABLE_MAX >> 20, path);
    }
    return write_file(export, file, text, error);
}

/* Copies a page or a picture with the links of the site. The first page also lists the files. */
static bool copy_page(Export *export, const char *path, const char *file, GError **error)
{
    const GString *drawn = g_hash_table_lookup(export->drawn, path);
    g_autoptr(GString) read = drawn ? NULL : read_page(export->job->tree, path, error);

    if (!drawn && !read)
        return false;
    g_autoptr(GString) page = xtf_site_rewrite(&export->site, path, drawn ? drawn->str : read->str);
    if (g_str_equal(path, g_array_index(export->site.windows, XtfSiteWindow, 0).path))
        xtf_site_list_append(&export->site, page);
    g_hash_table_remove(export->drawn, path);
    return write_file(export, file, page, error);
}

static bool copy_file(Export *export, const char *path, GError **error)
{
    const char *file = g_hash_table_lookup(export->site.files, path);

    return g_str_has_suffix(file, ".txt") ? copy_table(export, path, file, error)
                                          : copy_page(export, path, file, error);
}

static bool copy_files(Export *export, GError **error)
{
    guint n = export->site.paths->len;
    uint64_t total = export->job->total;

    for (guint i = 0; i < n; i++) {
        if (!copy_file(export, g_ptr_array_index(export->site.paths, i), error))
            return false;
        xtf_export_beat(export->job);
        xtf_export_advance(export->job, total / n + (i < total % n));
    }
    return true;
}

static void add_notes(const Export *export)
{
    xtf_export_note(export->job, "%u files, %u of them front pages of windows: begin with %s/%s",
                    export->site.paths->len, export->site.windows->len, export->job->final_path, front_page);
    if (export->too_long > 0)
        xtf_export_note(export->job, "%" PRIu64 " tables are longer than %d MiB: their files only say so",
                        export->too_long, TABLE_MAX >> 20);
    if (export->site.dropped > 0)
        xtf_export_note(export->job, "%" PRIu64 " links lead to no file here, and lost their target: a mount has all",
                        export->site.dropped);
}

/* ---- The exporter. */

/* Initializes the site with its root page. Fails if no directory has the selection in other windows. */
static bool begin_site(Export *export, GError **error)
{
    const XtfSelection *selection = export->job->selection;
    const XtfTimeScale *scale = &export->job->tree->context.scale;

    xtf_picture_links_init(&export->links, &export->job->tree->context, selection, 0);
    xtf_selection_window(selection, scale, &export->from, &export->to);
    g_autofree char *whole = xtf_picture_link_whole(&export->links);
    if (!whole)
        return xtf_fail(error, XTF_ERROR_INVALID, "no directory below time/ has this selection, so it has no windows");
    g_autofree char *window = name_window(export, export->from, export->to);
    bool is_window = !selection->endless || selection->time_from > scale->origin;
    g_autofree char *root = is_window ? g_strdup(window) : g_uri_unescape_string(whole, NULL);
    xtf_site_init(&export->site, scale, root, window);
    xtf_site_add_window(&export->site, root, export->from, export->to, 0);
    return true;
}

static bool count_locations(XtfExportJob *job, GError **error)
{
    g_auto(XtfSelectedLocations) selected = {0};

    if (!xtf_selected_locations_init(&selected, &job->tree->context, job->selection, error))
        return false;
    job->report.locations = selected.n;
    return true;
}

static bool export_site(Export *export, GError **error)
{
    for (unsigned level = 1; level <= LEVELS; level++)
        add_level(export, level);
    if (!add_linked(export, 0, error) || !add_linked(export, 1, error) || !copy_files(export, error) ||
        !count_locations(export->job, error))
        return false;
    add_notes(export);
    return true;
}

static void free_text(void *text)
{
    g_string_free(text, TRUE);
}

static bool export_pages(XtfExportJob *job, GError **error)
{
    Export export = {.job = job,
                     .linked = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref),
                     .drawn = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, free_text)};

    xtf_tree_draw_first(job->tree);
    bool good = begin_site(&export, error) && export_site(&export, error);
    g_ptr_array_unref(export.linked);
    g_hash_table_unref(export.drawn);
    xtf_picture_links_finish(&export.links);
    if (export.site.files)
        xtf_site_finish(&export.site);
    return good;
}

/* True if all files below the folder are in the set. `prefix` is the folder's path in the site. */
static bool has_files_only(const char *folder, const char *prefix, GHashTable *files)
{
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    const char *name;

    while (dir && (name = g_dir_read_name(dir))) {
        g_autofree char *path = g_build_filename(folder, name, NULL), *file = g_strconcat(prefix, name, NULL),
                        *inner = g_strconcat(file, "/", NULL), *escaped = xtf_site_list_escape(file);
        struct stat info;
        if (lstat(path, &info) != 0 || !(S_ISDIR(info.st_mode) || S_ISREG(info.st_mode)))
            return false;
        if (S_ISDIR(info.st_mode) ? !has_files_only(path, inner, files) : !g_hash_table_contains(files, escaped))
            return false;
    }
    return dir;
}

/* True if the folder is an export of web pages, or the beginning of one. Its first page lists all files. A folder
 * without any file is one in which the export had just begun. */
static bool is_site(const char *path)
{
    g_autofree char *root = g_build_filename(path, front_page, NULL), *text = NULL;
    g_autoptr(GHashTable) files = g_file_get_contents(root, &text, NULL, NULL) ? xtf_site_list_read(text) : NULL;

    if (!files)
        files = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    return has_files_only(path, "", files);
}

const XtfExporter xtf_html_exporter = {
    .name = "html",
    .description = "a folder of web pages",
    .folder = true,
    .may_replace = is_site,
    .run = export_pages,
};
