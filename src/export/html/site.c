#include "src/export/html/site.h"

#include <string.h>

#include "src/trace/text/time-scale.h"

static const char front_page[] = "index.html";

enum { ROUNDING = 1 /* ticks by which neighbouring tenths of a window differ in width */ };

void xtf_site_init(XtfSite *site, const XtfTimeScale *scale, const char *root, const char *root_window)
{
    *site = (XtfSite){
        .scale = scale,
        .root = g_strdup(root),
        .root_window = g_strdup(root_window),
        .files = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free),
        .paths = g_ptr_array_new(),
        .windows = g_array_new(FALSE, FALSE, sizeof(XtfSiteWindow)),
    };
}

void xtf_site_finish(XtfSite *site)
{
    g_free(site->root);
    g_free(site->root_window);
    g_hash_table_unref(site->files);
    g_ptr_array_unref(site->paths);
    g_array_unref(site->windows);
}

static bool has_extension(const char *path)
{
    return g_str_has_suffix(path, ".html") || g_str_has_suffix(path, ".svg") || g_str_has_suffix(path, ".png");
}

/* Returns the path in the output folder: files beside the root page are at its top. */
static char *place_file(const XtfSite *site, const char *path)
{
    const char *below = g_str_has_prefix(path, site->root) ? path + strlen(site->root) : path;

    return has_extension(path) ? g_strdup(below) : g_strconcat(below, ".txt", NULL);
}

bool xtf_site_add(XtfSite *site, const char *path)
{
    if (site->paths->len >= XTF_SITE_FILES_MAX || g_hash_table_contains(site->files, path))
        return false;
    char *key = g_strdup(path);
    g_hash_table_insert(site->files, key, place_file(site, path));
    g_ptr_array_add(site->paths, key);
    return true;
}

bool xtf_site_add_window(XtfSite *site, const char *directory, uint64_t from, uint64_t to, unsigned level)
{
    g_autofree char *path = g_strconcat(directory, front_page, NULL);

    if (!xtf_site_add(site, path))
        return false;
    const XtfSiteWindow window = {
        .from = from, .to = to, .path = g_ptr_array_index(site->paths, site->paths->len - 1), .level = level};
    g_array_append_val(site->windows, window);
    return true;
}

/* ---- Links. */

/* Appends the components of a relative path to `components`, of strings; ".." removes the last one. */
static void follow_components(GPtrArray *components, const char *path)
{
    g_auto(GStrv) parts = g_strsplit(path, "/", -1);

    for (char **part = parts; *part; part++) {
        if (g_str_equal(*part, "..") && components->len > 0)
            g_ptr_array_set_size(components, (gint)components->len - 1);
        else if (**part != '\0' && !g_str_equal(*part, "."))
            g_ptr_array_add(components, g_strdup(*part));
    }
}

/* Returns the path of a link in the tree, whichever way it names the root page's window. */
static char *join_link(const char *page, const char *link)
{
    g_autoptr(GPtrArray) components = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *unescaped = g_uri_unescape_string(link, NULL);

    follow_components(components, page);
    if (components->len > 0) /* the page's own name */
        g_ptr_array_set_size(components, (gint)components->len - 1);
    follow_components(components, unescaped ? unescaped : link);
    g_ptr_array_add(components, NULL);
    return g_strjoinv("/", (char **)components->pdata);
}

char *xtf_site_resolve(const XtfSite *site, const char *page, const char *link)
{
    if (link[0] == '#' || strstr(link, "://"))
        return NULL;
    g_autofree char *path = join_link(page, link);
    if (!g_str_has_prefix(path, site->root_window))
        return g_steal_pointer(&path);
    return g_strconcat(site->root, path + strlen(site->root_window), NULL);
}

/* Returns the window of a path below time/ as [*from, *to). False if the path names none. */
static bool parse_window(const XtfSite *site, const char *path, uint64_t *from, uint64_t *to)
{
    g_auto(GStrv) parts = g_strsplit(path, "/", 3);

    return parts[0] && parts[1] && parts[2] && g_str_equal(parts[0], xtf_time_scale_name(site->scale)) &&
           xtf_time_scale_parse_window(site->scale, parts[1], from, to, NULL);
}

/* Returns the smallest window that has [from, to), and more than `above` ticks. Its bounds may be off by ROUNDING.
 * Returns NULL if there is none. */
static const XtfSiteWindow *find_enclosing(const XtfSite *site, uint64_t from, uint64_t to, uint64_t above)
{
    const XtfSiteWindow *best = NULL;

    for (guint i = 0; i < site->windows->len; i++) {
        const XtfSiteWindow *window = &g_array_index(site->windows, XtfSiteWindow, i);
        uint64_t width = window->to - window->from;
        if (window->from <= from + ROUNDING && to <= window->to + ROUNDING && width > above &&
            (!best || width < best->to - best->from))
            best = window;
    }
    return best;
}

/* Returns the front page that replaces that of the window [from, to) in the page at `page`. A wider window than the
 * page's own becomes the next wider one, another the smallest one around it. NULL: that is the page itself. */
static const char *replace_window(const XtfSite *site, const char *page, uint64_t from, uint64_t to)
{
    const XtfSiteWindow *root = &g_array_index(site->windows, XtfSiteWindow, 0), *found;
    uint64_t page_from, page_to;

    if (!parse_window(site, page, &page_from, &page_to)) {
        page_from = root->from;
        page_to = root->to;
    }
    uint64_t width = page_to - page_from;
    bool is_wider = to - from > width + ROUNDING;
    found = is_wider ? find_enclosing(site, page_from, page_to, width + ROUNDING) : find_enclosing(site, from, to, 0);
    if (!found || g_str_equal(found->path, page) || (!is_wider && found->to - found->from > width + ROUNDING))
        return NULL;
    return found->path;
}

/* Returns a link from one file of the output folder to another, escaped for URLs and XML. */
static char *relate_files(const char *from, const char *to)
{
    g_autoptr(GString) link = g_string_new(NULL);

    for (const char *slash = strchr(from, '/'); slash; slash = strchr(slash + 1, '/'))
        g_string_append(link, "../");
    g_string_append_uri_escaped(link, to, "/", FALSE);
    return g_strdup(link->str);
}

/* Returns the new target of a link of the page at `page`; NULL if the link loses its target. The caller frees it. */
static char *replace_link(const XtfSite *site, const char *page, const char *link)
{
    g_autofree char *path = xtf_site_resolve(site, page, link);
    const char *file = path ? g_hash_table_lookup(site->files, path) : NULL;
    uint64_t from, to;

    if (!path)
        return g_strdup(link);
    if (!file && g_str_has_suffix(path, front_page) && parse_window(site, path, &from, &to)) {
        const char *replacement = replace_window(site, page, from, to);
        file = replacement ? g_hash_table_lookup(site->files, replacement) : NULL;
    }
    return file ? relate_files(g_hash_table_lookup(site->files, page), file) : NULL;
}

/* ---- Pages. */

static const char attribute[] = " href=\"";
static const char links_heading[] = "<h2>Further</h2>\n";
static const char remark[] =
    "<h2>Further</h2>\n<p>This is a copy of a part of the trace. A mount has all windows, processes and tables.</p>\n";

/* Appends the windows of the site to a page's settings of its script: [from, to, link] in seconds. */
static void append_windows(const XtfSite *site, const char *page, GString *out)
{
    const char *file = g_hash_table_lookup(site->files, page);
    char text[XTF_WINDOW_TEXT_MAX];

    g_string_append(out, "\"windows\":[");
    for (guint i = 0; i < site->windows->len; i++) {
        const XtfSiteWindow *window = &g_array_index(site->windows, XtfSiteWindow, i);
        g_autofree char *link = relate_files(file, g_hash_table_lookup(site->files, window->path));
        xtf_time_scale_print_window(site->scale, window->from, window->to, text);
        g_auto(GStrv) ends = g_strsplit(text, "-", 2);
        g_string_append_printf(out, "%s[%s,%s,\"%s\"]", i > 0 ? "," : "", ends[0], ends[1], link);
    }
    g_string_append(out, "],");
}

GString *xtf_site_rewrite(XtfSite *site, const char *page, const char *text)
{
    static const char settings[] = "id=\"xt-window\">{";
    GString *out = g_string_sized_new(strlen(text));
    const char *script = strstr(text, settings), *unread = text, *found;

    while ((found = strstr(unread, attribute)) && (!script || found < script)) {
        const char *link = found + strlen(attribute), *end = strchr(link, '"');
        if (!end)
            break;
        g_autofree char *old = g_strndup(link, (gsize)(end - link)), *new = replace_link(site, page, old);
        g_string_append_len(out, unread, found - unread);
        if (new)
            g_string_append_printf(out, "%s%s\"", attribute, new);
        site->dropped += !new;
        unread = end + 1;
    }
    if (script) {
        script += strlen(settings);
        g_string_append_len(out, unread, script - unread);
        append_windows(site, page, out);
        unread = script;
    }
    g_string_append(out, unread);
    g_string_replace(out, links_heading, remark, 1);
    return out;
}

void xtf_site_visit_links(const XtfSite *site, const char *page, const char *text,
                          void (*visit)(const char *path, void *data), void *data)
{
    for (const char *found = strstr(text, attribute); found; found = strstr(found + 1, attribute)) {
        const char *link = found + strlen(attribute), *end = strchr(link, '"');
        if (!end)
            return;
        g_autofree char *target = g_strndup(link, (gsize)(end - link));
        g_autofree char *path = g_str_has_suffix(target, "/") ? NULL : xtf_site_resolve(site, page, target);
        if (path)
            visit(path, data);
    }
}

/* ---- The list of files. */

static const char list_begin[] = "<!-- files of xtf export html\n", list_end[] = "-->\n";

char *xtf_site_list_escape(const char *file)
{
    g_autoptr(GString) escaped = g_string_new(NULL);

    g_string_append_uri_escaped(escaped, file, "/", FALSE);
    g_string_replace(escaped, "-", "%2D", 0); /* two of them would end the comment */
    return g_strdup(escaped->str);
}

void xtf_site_list_append(const XtfSite *site, GString *page)
{
    g_string_append(page, list_begin);
    for (guint i = 0; i < site->paths->len; i++) {
        g_autofree char *line =
            xtf_site_list_escape(g_hash_table_lookup(site->files, g_ptr_array_index(site->paths, i)));
        g_string_append_printf(page, "%s\n", line);
    }
    g_string_append(page, list_end);
}

GHashTable *xtf_site_list_read(const char *page)
{
    const char *begin = g_strrstr(page, list_begin);

    if (!begin)
        return NULL;
    g_auto(GStrv) lines = g_strsplit(begin + strlen(list_begin), "\n", XTF_SITE_FILES_MAX + 1);
    GHashTable *files = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (char **line = lines; *line && !g_str_has_prefix(*line, "-->"); line++)
        g_hash_table_add(files, g_strdup(*line));
    return files;
}
