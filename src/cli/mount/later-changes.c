#include "src/cli/mount/later-changes.h"

#include <limits.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libxtf/trace.h"
#include "src/cli/mount/same-records.h"
#include "src/cli/trace/companion.h"
#include "src/fs/fs.h"
#include "src/trace/text/escape.h"

enum {
    EVENT_BYTES = sizeof(struct inotify_event) + NAME_MAX + 1, /* size of the largest event */
    EVENTS_AT_ONCE = 16,
};

/* State of a file; it differs after any change. All zeros: the file does not exist. */
typedef struct {
    uint64_t device, inode, size;
    struct timespec modified, changed;
} Stamp;

struct XtfLaterChanges {
    char *path, *companion, *directory;
    XtfOpenOptions open;
    bool growing, given;
    uint8_t file_id[16]; /* id of the mounted trace, without its companion */
    Stamp trace, beside; /* states of the trace and its companion at the last look */
    int events;          /* inotify descriptor; -1: none */
    bool write_logged, analysis_logged;
};

/* ---- Messages. */

G_GNUC_PRINTF(2, 3) static void log_line(const XtfLaterChanges *changes, const char *format, ...)
{
    g_autofree char *path = g_shell_quote(changes->path);
    va_list arguments;

    va_start(arguments, format);
    g_autofree char *remark = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_autofree char *line = g_strdup_printf("%s %s", path, remark), *shown = xtf_text_shown(line, 2 * PATH_MAX);
    xtf_fs_log(shown);
}

/* Logs that the trace must be mounted again to show a change. Logs each kind of change once. */
static void log_remount_advice(const XtfLaterChanges *changes, const char *remark, bool *logged)
{
    g_autofree char *path = g_shell_quote(changes->path), *directory = g_shell_quote(changes->directory);

    if (!*logged)
        log_line(changes, "%s after it was mounted: xtf unmount %s && xtf mount %s %s shows the change", remark,
                 directory, path, directory);
    *logged = true;
}

/* ---- Changes of files. */

static Stamp read_stamp(const char *path)
{
    Stamp stamp;
    struct stat status;

    memset(&stamp, 0, sizeof stamp); /* stamps are compared as bytes */
    if (stat(path, &status) != 0)
        return stamp;
    stamp.device = status.st_dev;
    stamp.inode = status.st_ino;
    stamp.size = (uint64_t)status.st_size;
    stamp.modified = status.st_mtim;
    stamp.changed = status.st_ctim;
    return stamp;
}

static bool update_stamp(Stamp *stamp, const char *path)
{
    Stamp now = read_stamp(path);
    bool changed = memcmp(stamp, &now, sizeof now) != 0;

    *stamp = now;
    return changed;
}

static void read_events(const XtfLaterChanges *changes)
{
    _Alignas(struct inotify_event) char buffer[EVENTS_AT_ONCE * EVENT_BYTES];

    while (changes->events >= 0 && read(changes->events, buffer, sizeof buffer) > 0)
        continue; /* the files' stamps show what has changed */
}

/* ---- The analysis. */

/* True if a file is the one that was mounted, perhaps with rows added since. */
static bool is_of_mounted(const XtfLaterChanges *changes, const XtfTrace *trace)
{
    g_autoptr(XtfTrace) base = NULL;
    XtfTraceInfo info;

    xtf_trace_get_info(trace, &info);
    if (info.companion) {
        base = xtf_trace_open(changes->path, &changes->open, NULL);
        if (!base)
            return false;
        xtf_trace_get_info(base, &info);
    }
    return memcmp(info.file_id, changes->file_id, sizeof info.file_id) == 0;
}

static bool is_same_snapshot(const XtfTrace *a, const XtfTrace *b)
{
    XtfTraceInfo info_a, info_b;

    xtf_trace_get_info(a, &info_a);
    xtf_trace_get_info(b, &info_b);
    return info_a.commit == info_b.commit && memcmp(info_a.file_id, info_b.file_id, sizeof info_a.file_id) == 0;
}

/* Opens the trace as it is now. Returns NULL, and logs a line, if it cannot be read. */
static XtfTrace *open_changed(XtfLaterChanges *changes, bool beside_changed)
{
    g_autoptr(GError) left_out = NULL, problem = NULL;
    const XtfSourceOptions source_options = {.open = &changes->open, .quiet = true, .left_out = &left_out};
    XtfTrace *trace = xtf_companion_open(changes->path, &source_options, &problem);

    if (!trace)
        log_line(changes, "has changed after it was mounted, and cannot be read: %s", problem->message);
    else if (left_out && beside_changed)
        log_line(changes, "has an analysis beside it that is not used: %s", left_out->message);
    return trace;
}

/* True if the trace as it is now differs from the shown one only by an analysis. */
static bool adds_analysis(XtfLaterChanges *changes, XtfTrace *shown, XtfTrace *now)
{
    XtfTraceInfo info;

    xtf_trace_get_info(shown, &info);
    if (is_same_snapshot(shown, now))
        return false;
    bool analysed = xtf_has_derived(now), lost = info.companion && !analysed; /* the mount then keeps its analysis */
    /* A trace that is shown with a companion includes the rows of the companion's tables. */
    bool same = lost ? xtf_same_records(now, shown) : xtf_same_records(shown, now);
    if (!is_of_mounted(changes, now) || !same || !(analysed || lost)) {
        log_remount_advice(changes, "was written to, or replaced,", &changes->write_logged);
        return false;
    }
    return analysed;
}

/* Logs changes of a mount whose analysis the user has named, which therefore stays. */
static void log_changes(XtfLaterChanges *changes, bool beside_changed, bool trace_changed)
{
    if (beside_changed && changes->beside.inode)
        log_remount_advice(changes, "was analysed", &changes->analysis_logged);
    if (trace_changed)
        log_remount_advice(changes, "was written to, or replaced,", &changes->write_logged);
}

XtfTree *xtf_later_changes_find(XtfLaterChanges *changes, XtfTree *shown)
{
    g_autoptr(GError) problem = NULL;

    read_events(changes);
    bool beside_changed = update_stamp(&changes->beside, changes->companion);
    bool trace_changed = update_stamp(&changes->trace, changes->path);
    if (!changes->trace.inode || !(trace_changed || (beside_changed && changes->beside.inode)))
        return NULL;
    if (changes->given) {
        log_changes(changes, beside_changed, trace_changed);
        return NULL;
    }
    g_autoptr(XtfTrace) now = open_changed(changes, beside_changed);
    if (!now || !adds_analysis(changes, xtf_tree_trace(shown), now))
        return NULL;
    g_autoptr(XtfTree) tree = changes->growing ? xtf_tree_new_growing(now, &problem) : xtf_tree_new(now, &problem);
    if (!tree || !xtf_tree_is_final(tree)) {
        log_line(changes, "has an analysis that is not used: %s", problem ? problem->message : "it is not finished");
        return NULL;
    }
    log_line(changes, "was analysed after it was mounted: the mount shows the analysis from now on");
    return g_steal_pointer(&tree);
}

/* ---- The watch. */

static int watch_folder(const char *path)
{
    g_autofree char *folder = g_path_get_dirname(path);
    int events = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);

    if (events >= 0 && inotify_add_watch(events, folder, IN_CREATE | IN_MOVED_TO | IN_CLOSE_WRITE | IN_ONLYDIR) < 0) {
        close(events);
        return -1;
    }
    return events;
}

/* Sets *info to that of the file. The shown trace may be a companion of it. */
static bool read_file_info(const XtfLaterChangesOptions *options, const XtfTrace *shown, XtfTraceInfo *info)
{
    xtf_trace_get_info(shown, info);
    g_autoptr(XtfTrace) base = info->companion ? xtf_trace_open(options->path, options->open, NULL) : NULL;
    if (base)
        xtf_trace_get_info(base, info);
    return base || !info->companion;
}

XtfLaterChanges *xtf_later_changes_new(const XtfLaterChangesOptions *options, const XtfTrace *shown)
{
    XtfTraceInfo info;

    if (!read_file_info(options, shown, &info))
        return NULL;
    XtfLaterChanges *changes = g_new0(XtfLaterChanges, 1);
    changes->path = g_strdup(options->path);
    changes->companion = xtf_companion_beside(options->path);
    changes->directory = g_strdup(options->directory);
    changes->open = *options->open;
    changes->growing = options->growing;
    changes->given = options->given;
    memcpy(changes->file_id, info.file_id, sizeof info.file_id);
    changes->events = watch_folder(options->path);
    changes->beside = read_stamp(changes->companion);
    changes->trace = read_stamp(changes->path);
    return changes;
}

void xtf_later_changes_free(XtfLaterChanges *changes)
{
    if (!changes)
        return;
    if (changes->events >= 0)
        close(changes->events);
    g_free(changes->path);
    g_free(changes->companion);
    g_free(changes->directory);
    g_free(changes);
}

int xtf_later_changes_descriptor(const XtfLaterChanges *changes)
{
    return changes->events;
}
