#include "src/cli/mount/mount.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "libxtf/merge.h"
#include "libxtf/trace.h"
#include "src/cli/mount/await.h"
#include "src/cli/mount/confine.h"
#include "src/cli/mount/daemon.h"
#include "src/cli/mount/later-changes.h"
#include "src/cli/mount/mount-point.h"
#include "src/cli/mount/readahead.h"
#include "src/cli/mount/unmounter.h"
#include "src/cli/trace/archive-cache.h"
#include "src/cli/trace/companion.h"
#include "src/cli/trace/merged-file.h"
#include "src/cli/ui/common.h"
#include "src/fs/fs.h"
#include "src/model/part-name.h"
#include "src/trace/text/escape.h"

/* Data of the server's hooks. */
typedef struct {
    XtfDaemon *daemon;
    bool quiet;         /* only the log has the remark on clocks; else the user waits for it */
    GMutex remark_lock; /* guards the field below */
    bool clocks_reported;
    XtfUnmounter unmounter;
    XtfConfinement confinement;
    XtfLaterChanges *changes; /* NULL: the mount looks for no analysis */
    XtfMergedFile *merged;    /* NULL: the mount looks for no merged file */
    bool merged_logged, merged_shown;
    const char *directory;
} Serving;

static void report_ready(void *data)
{
    Serving *serving = data;

    xtf_daemon_ready(serving->daemon, !serving->quiet);
}

/* Reports, in the log and to the user who mounts, that clocks contradict each other. If clocks cannot be read, the
 * readers of records get the error. Only the first call reports; others wait for it. */
static void report_clocks(Serving *serving, XtfTree *tree)
{
    if (serving->clocks_reported)
        return;
    serving->clocks_reported = true;
    g_autofree char *sentence = xtf_tree_clocks_contradict(tree) ? xtf_tree_clock_sentence(tree) : NULL;
    if (sentence)
        xtf_fs_log(sentence);
    if (sentence && !serving->quiet)
        xtf_daemon_remark(serving->daemon, sentence);
}

/* Reports on clocks while the mount answers requests, since that takes thousands of matches. Then lets the user's
 * command end. */
static void add_clock_remark(void *data, XtfTree *tree)
{
    Serving *serving = data;

    g_mutex_lock(&serving->remark_lock);
    report_clocks(serving, tree);
    xtf_daemon_release(serving->daemon);
    g_mutex_unlock(&serving->remark_lock);
}

static bool confine_server(void *data, GError **error)
{
    Serving *serving = data;
    g_autoptr(GError) problem = NULL;

    if (xtf_unmounter_start(&serving->unmounter, serving->directory, &problem))
        return xtf_confine(&serving->confinement, error);
    g_warning("%s: the mount keeps all rights", problem->message);
    return true;
}

static bool end_unmounter(void *data)
{
    return xtf_unmounter_end(&((Serving *)data)->unmounter, true);
}

static XtfTree *find_analysed(void *data, XtfTree *shown)
{
    return xtf_later_changes_find(((Serving *)data)->changes, shown);
}

/* Logs what the mount shows from now on. */
static void log_merged(const XtfMergedFile *file, bool found)
{
    g_autofree char *line =
        found
            ? g_strdup_printf("the parts were merged into '%s': the mount shows this file", file->path)
            : g_strdup_printf("the folder '%s' is gone, and '%s' is not its merged file: the mount cannot read records "
                              "any more",
                              file->folder, file->path);
    g_autofree char *shown = xtf_text_shown(line, 2 * PATH_MAX);

    xtf_fs_log(shown);
}

/* Returns the tree of the merged file once, when the folder is gone; NULL otherwise. */
static XtfTree *find_merged(void *data)
{
    Serving *serving = data;

    if (serving->merged_shown || !xtf_merged_file_is_due(serving->merged))
        return NULL;
    g_autoptr(XtfTrace) trace = xtf_merged_file_open(serving->merged);
    XtfTree *tree = trace ? xtf_tree_new_growing(trace, NULL) : NULL;
    if (tree || !serving->merged_logged)
        log_merged(serving->merged, tree);
    serving->merged_logged = true;
    serving->merged_shown = tree;
    return tree;
}

/* Returns the folder of the files that will be opened while the trace is served. */
static char *folder_of(const char *path, bool is_folder)
{
    g_autofree char *real = realpath(path, NULL);
    const char *real_path = real ? real : path;

    return is_folder ? g_strdup(real_path) : g_path_get_dirname(real_path);
}

/* Adds the folders of a linked anchor: that of its target, where the parts are, and that of the link, where its
 * companion is. */
static void add_linked_anchor(GPtrArray *targets, const char *base)
{
    g_autofree char *real = g_file_test(base, G_FILE_TEST_IS_SYMLINK) ? realpath(base, NULL) : NULL;

    if (!real)
        return;
    g_ptr_array_add(targets, g_path_get_dirname(real));
    g_ptr_array_add(targets, g_path_get_dirname(base));
}

/* Returns the targets of links among the base's parts, the folders of a linked base, and that of the merged file,
 * NULL-terminated. Links that are made later lead nowhere in a confined daemon. */
static char **linked_parts(const XtfTrace *trace, const char *base, const char *folder, const XtfMergedFile *merged)
{
    XtfTraceInfo info;

    xtf_trace_get_info(trace, &info);
    g_auto(GStrv) parts = info.joined ? xtf_folder_parts(folder, NULL) : xtf_trace_part_paths(trace, true);
    GPtrArray *targets = g_ptr_array_new();
    for (char **part = parts; part && *part; part++) {
        g_autofree char *real = g_file_test(*part, G_FILE_TEST_IS_SYMLINK) ? realpath(*part, NULL) : NULL;
        if (real && g_file_test(real, G_FILE_TEST_IS_REGULAR))
            g_ptr_array_add(targets, g_strdup(real));
    }
    add_linked_anchor(targets, base);
    if (merged)
        g_ptr_array_add(targets, g_path_get_dirname(merged->path));
    g_ptr_array_add(targets, NULL);
    return (char **)g_ptr_array_free(targets, FALSE);
}

/* Returns the file's target if it is a link, since it is opened again for a later analysis. NULL-terminated. */
static char **linked_file(const char *path)
{
    char **targets = g_new0(char *, 2);

    if (g_file_test(path, G_FILE_TEST_IS_SYMLINK))
        targets[0] = realpath(path, NULL);
    return targets;
}

/* Serves a tree, which it owns, and gives up the rights that serving does not need. */
static bool serve_confined(XtfTree *tree, const XtfLaterChangesOptions *later, const XtfFsOptions *options,
                           const XtfMountManner *manner, XtfDaemon *daemon, GError **error)
{
    const char *path = later->path, *directory = later->directory;
    bool is_folder = g_file_test(path, G_FILE_TEST_IS_DIR);
    XtfTraceInfo info;

    xtf_trace_get_info(xtf_tree_trace(tree), &info);
    bool is_one = !is_folder && info.parts <= (info.companion ? 1 : 0);
    bool opens_more = options->follow || !is_one || info.volumes > 0;
    g_autofree char *base = xtf_companion_base(path);
    XtfLaterChangesOptions later_of_base = *later;
    later_of_base.path = base;
    g_autofree char *folder = opens_more ? folder_of(path, is_folder) : g_path_get_dirname(path);
    g_autoptr(XtfMergedFile) merged =
        options->follow && is_folder ? xtf_merged_file_new(path, xtf_tree_trace(tree), later->open) : NULL;
    g_auto(GStrv) linked = opens_more ? linked_parts(xtf_tree_trace(tree), base, folder, merged) : linked_file(path);
    g_autoptr(XtfLaterChanges) changes =
        info.joined ? NULL : xtf_later_changes_new(&later_of_base, xtf_tree_trace(tree));
    Serving serving = {.daemon = daemon,
                       .quiet = manner->quiet,
                       .changes = changes,
                       .merged = merged,
                       .unmounter = {.socket = -1},
                       .directory = directory,
                       .confinement = {.folder = folder, .files = linked, .opens_more = opens_more}};
    bool confined = xtf_confine_is_wanted();
    const XtfFsHooks hooks = {.mounted = confined ? confine_server : NULL,
                              .ready = report_ready,
                              .remark = add_clock_remark,
                              .remarks_at_once = !manner->quiet,
                              .analysed = changes ? find_analysed : NULL,
                              .merged = merged ? find_merged : NULL,
                              .changes = changes ? xtf_later_changes_descriptor(changes) : -1,
                              .unmount = confined ? end_unmounter : NULL,
                              .data = &serving};
    /* Later commits may overwrite the records of this one. And in the foreground, the user waits for no command. */
    if (options->follow || (manner->foreground && !manner->quiet))
        report_clocks(&serving, tree);
    bool served = xtf_fs_serve(tree, directory, options, &hooks, error);
    xtf_unmounter_end(&serving.unmounter, false);
    return served;
}

/* Logs the remarks on the parts of a folder, for users of the mount who did not record it. */
static void log_parts(const XtfTrace *trace)
{
    size_t n;
    const XtfPartRemark *const *remarks = xtf_trace_part_remarks(trace, &n);

    for (size_t i = 0; i < n; i++) {
        g_autofree char *line = xtf_part_remark_line(remarks[i]);
        g_autofree char *shown = xtf_text_shown(line, PATH_MAX);
        xtf_fs_log(shown);
    }
}

static bool serve_trace(XtfTrace *trace, const char *path, const char *source, const char *directory,
                        const XtfMountOptions *options, const XtfMountManner *manner, XtfDaemon *daemon, GError **error)
{
    g_autofree char *shown = g_canonicalize_filename(source, NULL); /* the archive's path, not that of its import */
    bool follow = options->follow && xtf_trace_clock(trace)->complete != UINT64_MAX;
    g_autoptr(XtfTree) tree = follow ? xtf_tree_new_growing(trace, error) : xtf_tree_new(trace, error);
    struct stat attributes = {0};

    if (!tree)
        return false;
    xtf_tree_name_after(tree, shown);
    g_autofree char *mount_remark = g_strdup_printf("'%s' is mounted%s", shown, follow ? ", and followed" : "");
    g_autofree char *first_line = xtf_text_shown(mount_remark, PATH_MAX);
    xtf_fs_log(first_line);
    log_parts(trace);
    if (stat(path, &attributes) != 0)
        return xtf_fail(error, XTF_ERROR_IO, "'%s': %s", path, g_strerror(errno));
    const XtfFsOptions fs = {
        .source = shown,
        .kernel_options = options->kernel->str,
        .uid = options->uid,
        .gid = options->gid,
        .mtime = attributes.st_mtim,
        .size = (uint64_t)attributes.st_size,
        .max_nodes = options->max_nodes,
        .max_threads = options->threads,
        .idle_seconds = options->idle,
        .follow = follow,
        .debug = manner->debug,
    };
    const XtfOpenOptions open = {.cache_bytes = options->cache_bytes};
    const XtfLaterChangesOptions later = {
        .path = path, .directory = directory, .open = &open, .growing = follow, .given = options->companion};
    return serve_confined(g_steal_pointer(&tree), &later, &fs, manner, daemon, error);
}

/* Raises the limit of descriptors. A followed folder keeps descriptors for each snapshot that is still in use. */
static void raise_descriptors(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit); /* a failure leaves the limit as it is */
    }
}

int xtf_mount(const char *source, const char *directory, const XtfMountOptions *options, const XtfMountManner *manner)
{
    const XtfOpenOptions open_options = {.cache_bytes = options->cache_bytes, .incomplete = options->incomplete};
    g_autofree char *path = NULL;
    g_autoptr(XtfTrace) trace = NULL;
    GError *error = NULL;
    XtfDaemon daemon;
    int status;

    g_autofree char *target = xtf_mount_point(directory, options->nonempty, &error);
    if (!target)
        return xtf_cli_fail(error);
    if (!xtf_daemon_start(&daemon, manner->foreground, &status)) {
        if (status == XTF_EXIT_DONE) {
            xtf_readahead_widen(target);
            xtf_daemon_await_release(&daemon);
        }
        return status;
    }
    raise_descriptors();
    if (options->follow && options->companion) {
        xtf_fail(&error, XTF_ERROR_INVALID, "only a finished trace has an analysis: leave out -o analysis, or follow");
    } else if (options->follow) {
        path = g_canonicalize_filename(source, NULL);
        trace = xtf_cli_await_trace(source, &open_options, manner->quiet, &error);
    } else {
        const XtfSourceOptions source_options = {.open = &open_options,
                                                 .cache_folder = options->cache_folder,
                                                 .quiet = manner->quiet,
                                                 .companion = options->companion};
        trace = xtf_cli_open_source(source, &source_options, &path, &error);
    }
    if (!trace || !serve_trace(trace, path, source, target, options, manner, &daemon, &error))
        return xtf_cli_fail(error);
    return XTF_EXIT_DONE;
}
