#include "src/cli/watch/live-tree.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "libxtf/error.h"
#include "libxtf/trace.h"
#include "src/cli/trace/archive-cache.h"
#include "src/record/job.h"
#include "src/record/launch/folder.h"

enum { PART_DIGITS = 6 /* at least, in the name of a part */ };

/* Replaces *newest by a folder of the user, if it was changed later. */
static void keep_newer(const char *folder, char **newest, gint64 *changed)
{
    GStatBuf info;

    if (g_lstat(folder, &info) != 0 || !S_ISDIR(info.st_mode) || info.st_uid != geteuid())
        return;
    gint64 time = (gint64)info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec;
    if (*newest && time <= *changed)
        return;
    g_free(*newest);
    *newest = g_strdup(folder);
    *changed = time;
}

/* True if a folder has a part of a process: "000012.xtf". */
static bool has_part(const char *folder)
{
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    const char *name;

    while (dir && (name = g_dir_read_name(dir))) {
        size_t digits = strspn(name, "0123456789");
        if (digits >= PART_DIGITS && g_str_equal(name + digits, ".xtf"))
            return true;
    }
    return false;
}

/* A search for the newest folder with parts. */
typedef struct {
    char *newest; /* NULL: none so far */
    gint64 changed;
} RunSearch;

/* Searches the folders in a place whose names have a beginning and an end. */
static void search_place(RunSearch *search, const char *place, const char *prefix, const char *suffix)
{
    g_autoptr(GDir) dir = g_dir_open(place, 0, NULL);
    const char *name;

    while (dir && (name = g_dir_read_name(dir))) {
        g_autofree char *folder = g_build_filename(place, name, NULL);
        if (g_str_has_prefix(name, prefix) && g_str_has_suffix(name, suffix) && has_part(folder))
            keep_newer(folder, &search->newest, &search->changed);
    }
}

char *xtf_live_run_find(const char *named, GError **error)
{
    if (named)
        return g_strdup(named);
    g_autofree char *pattern = xtf_folder_name(""); /* "/tmp/xtf-" */
    g_autofree char *place = g_path_get_dirname(pattern), *prefix = g_path_get_basename(pattern);
    RunSearch search = {0};

    search_place(&search, place, prefix, "");
    search_place(&search, ".", "", ".xtf.d");
    if (!search.newest)
        xtf_fail(error, XTF_ERROR_NOT_FOUND,
                 "no run is being recorded in %s, and the current folder has no NAME.xtf.d: name the folder of parts",
                 place);
    return search.newest;
}

/* Makes the tree of a trace, which takes a reference to the trace. */
static XtfTree *tree_of(XtfTrace *trace, GError **error)
{
    XtfTraceInfo info;

    xtf_trace_get_info(trace, &info);
    return info.closed ? xtf_tree_new(trace, error) : xtf_tree_new_growing(trace, error);
}

/* Returns the folder of parts if the trace itself does not exist yet, else the trace. The caller frees it. */
static char *existing_source(const char *source)
{
    g_autofree char *parts = g_strconcat(source, ".d", NULL);
    bool only_parts = !g_file_test(source, G_FILE_TEST_EXISTS) && g_file_test(parts, G_FILE_TEST_IS_DIR);

    return only_parts ? g_steal_pointer(&parts) : g_strdup(source);
}

void xtf_live_run_mark_watched(const char *source)
{
    g_autofree char *path = existing_source(source);
    const struct timespec times[2] = {{.tv_sec = time(NULL) + XTF_JOB_WATCHED_SECONDS}, {.tv_nsec = UTIME_OMIT}};

    if (g_file_test(path, G_FILE_TEST_IS_DIR))
        utimensat(AT_FDCWD, path, times, 0); /* only the owner may: others see the run a little later */
}

XtfTree *xtf_live_tree_open(const char *source, XtfMergedFile **merged, GError **error)
{
    const XtfOpenOptions open = {0};
    const XtfSourceOptions options = {.no_companion = true};
    g_autofree char *path = NULL, *existing = existing_source(source);
    g_autoptr(XtfTrace) trace = xtf_cli_open_source(existing, &options, &path, error);
    XtfTree *tree = trace ? tree_of(trace, error) : NULL;

    if (merged)
        *merged =
            tree && g_file_test(existing, G_FILE_TEST_IS_DIR) ? xtf_merged_file_new(existing, trace, &open) : NULL;
    return tree;
}

bool xtf_live_tree_renew(XtfTree *tree, const XtfMergedFile *merged, XtfTree **later, GError **error)
{
    g_autoptr(XtfTrace) trace = NULL;
    g_autoptr(GError) fault = NULL;

    *later = NULL;
    if (xtf_tree_is_final(tree))
        return true;
    if (!xtf_trace_refresh(xtf_tree_trace(tree), &trace, &fault))
        trace = merged ? xtf_merged_file_open(merged) : NULL;
    if (trace)
        *later = tree_of(trace, error);
    else if (fault)
        g_propagate_error(error, g_steal_pointer(&fault));
    return trace ? *later != NULL : !fault;
}
