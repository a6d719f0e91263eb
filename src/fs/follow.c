/*
 * Following a trace that grows: a thread looks for a later commit LOOKS_A_SECOND times a second. From then on names are
 * looked up in the tree of that commit.
 *
 * For a finished trace the thread looks for an analysis: when the analysis hook's descriptor is readable, or a request
 * arrives. The reaper then makes the kernel drop its caches, which it otherwise keeps for a finished trace.
 *
 * When the parts of a folder are gone, the follower looks for the file that they were merged into.
 *
 * While a trace grows, nothing is reported to the kernel, which looks up each name that may change on every access.
 * Reads of growing files bypass its page cache, whose last page would be out of date. An open file keeps its content. A
 * file that changes is rendered when it is opened. A file that grows keeps its length until its reader has read to its
 * end.
 *
 * The writer may overwrite a snapshot when the time that the file declares for it has passed. A request that meets
 * damage therefore switches to the latest commit, and tries again there.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "libxtf/error.h"
#include "libxtf/trace.h"
#include "src/fs/fs-private.h"
#include "src/model/part-name.h"

enum {
    LOOKS_A_SECOND = 8,
    PAUSES_TO_LOOKS = 4, /* a pause lasts 4 times as long as a look, or longer, as a look may be slow */
};

struct XtfFollower {
    XtfFs *fs;
    GThread *thread;
    GMutex lock; /* held while looking for a commit */
    atomic_bool stopped;
    bool failed; /* the last look failed, and the log says so */
};

static bool is_closed(const XtfTrace *trace)
{
    XtfTraceInfo info;

    xtf_trace_get_info(trace, &info);
    return info.closed;
}

static bool has_remark(const XtfTrace *earlier, const XtfPartRemark *remark)
{
    size_t n;
    const XtfPartRemark *const *remarks = xtf_trace_part_remarks(earlier, &n);

    for (size_t i = 0; i < n; i++)
        if (remarks[i]->kind == remark->kind && g_str_equal(remarks[i]->path, remark->path))
            return true;
    return false;
}

/* Logs which parts ended early, or are left out, since the earlier commit. */
static void log_new_remarks(const XtfTrace *earlier, const XtfTrace *later)
{
    size_t n;
    const XtfPartRemark *const *remarks = xtf_trace_part_remarks(later, &n);

    for (size_t i = 0; i < n; i++) {
        g_autofree char *line = xtf_part_remark_line(remarks[i]);
        if (remarks[i]->kind != XTF_PART_WITHOUT_COMMIT && !has_remark(earlier, remarks[i]))
            g_warning("%s", line);
    }
}

/* Shows another tree from now on. */
static void show_tree(const XtfFs *fs, const XtfGeneration *current, XtfTree *tree, bool adds_analysis)
{
    xtf_tree_name_as(tree, current->tree);
    g_autoptr(XtfGeneration) next = xtf_generation_new(current->number + 1, tree);
    g_autoptr(XtfNode) root = xtf_tree_root(tree);

    if (adds_analysis)
        xtf_inodes_replace(fs->inodes, next, root);
    else
        xtf_inodes_renew(fs->inodes, next, root);
}

/* Shows an analysis of a finished trace, if there is one that is not shown yet. The caller holds the lock. */
static void look_for_analysis(const XtfFs *fs, const XtfGeneration *current)
{
    XtfTree *tree = fs->hooks->analysed ? fs->hooks->analysed(fs->hooks->data, current->tree) : NULL;

    if (tree)
        show_tree(fs, current, tree, true);
}

/* Shows the file that the parts were merged into, if they are gone. It has the same records, so files stay as the
 * kernel has cached them. Returns true if it was found now. The caller holds the lock. */
static bool look_for_merged(const XtfFs *fs, const XtfGeneration *current)
{
    XtfTree *tree = fs->hooks->merged ? fs->hooks->merged(fs->hooks->data) : NULL;

    if (tree)
        show_tree(fs, current, tree, false);
    return tree != NULL;
}

/* Switches to the latest commit, if there is a later one. The caller holds the lock. */
static bool look_for_commit(XtfFollower *follower, GError **error)
{
    XtfInodes *inodes = follower->fs->inodes;
    g_autoptr(XtfGeneration) current = xtf_inodes_generation(inodes);
    g_autoptr(XtfTrace) later = NULL;

    if (xtf_tree_is_final(current->tree)) {
        if (!look_for_merged(follower->fs, current))
            look_for_analysis(follower->fs, current);
        return true;
    }
    if (!xtf_trace_refresh(xtf_tree_trace(current->tree), &later, error)) {
        if (!look_for_merged(follower->fs, current))
            return false;
        g_clear_error(error);
        return true;
    }
    XtfTree *tree = later ? xtf_tree_new_growing(later, error) : NULL;
    if (!tree)
        return !later;
    show_tree(follower->fs, current, tree, false);
    log_new_remarks(xtf_tree_trace(current->tree), later);
    if (xtf_tree_is_final(tree))
        g_message(is_closed(later) ? "the writer has closed the trace: the mount is complete"
                                   : "no process writes the trace any more: the mount is complete");
    return true;
}

static void look_and_log(XtfFollower *follower)
{
    g_autoptr(GError) error = NULL;
    bool good = look_for_commit(follower, &error);

    if (!good && !follower->failed)
        g_warning("cannot read a later commit of the trace: the mount keeps showing this one: %s", error->message);
    follower->failed = !good;
}

static bool is_finished(const XtfFollower *follower)
{
    g_autoptr(XtfGeneration) current = xtf_inodes_generation(follower->fs->inodes);
    return xtf_tree_is_final(current->tree);
}

/* Waits at most `pause` microseconds while the trace grows. If it is finished, waits until a request or a change wakes
 * the follower. */
static void await_change(const XtfFollower *follower, gint64 pause)
{
    const XtfFsHooks *hooks = follower->fs->hooks;
    bool finished = is_finished(follower);
    struct pollfd fds[] = {{.fd = follower->fs->wake, .events = POLLIN},
                           {.fd = finished && hooks->analysed ? hooks->changes : -1, .events = POLLIN}};
    eventfd_t n;

    poll(fds, G_N_ELEMENTS(fds), finished ? -1 : (int)(pause / G_TIME_SPAN_MILLISECOND));
    if (fds[0].revents)
        eventfd_read(follower->fs->wake, &n);
}

static gpointer run_follower(gpointer data)
{
    XtfFollower *follower = data;

    gint64 pause = G_TIME_SPAN_SECOND / LOOKS_A_SECOND;
    for (await_change(follower, pause); !atomic_load(&follower->stopped); await_change(follower, pause)) {
        g_mutex_lock(&follower->lock);
        gint64 start = g_get_monotonic_time();
        look_and_log(follower);
        gint64 look_time = g_get_monotonic_time() - start;
        g_mutex_unlock(&follower->lock);
        pause = MAX(G_TIME_SPAN_SECOND / LOOKS_A_SECOND, PAUSES_TO_LOOKS * look_time);
    }
    return NULL;
}

XtfFollower *xtf_follower_new(XtfFs *fs, GError **error)
{
    int wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

    if (wake < 0) {
        xtf_fail(error, XTF_ERROR_IO, "cannot wait for changes of the trace: %s", g_strerror(errno));
        return NULL;
    }
    XtfFollower *follower = g_new0(XtfFollower, 1);
    follower->fs = fs;
    fs->wake = wake;
    g_mutex_init(&follower->lock);
    follower->thread = xtf_fs_start_thread("xtf-follower", run_follower, follower);
    return follower;
}

void xtf_follower_free(XtfFollower *follower)
{
    if (!follower)
        return;
    atomic_store(&follower->stopped, true);
    eventfd_write(follower->fs->wake, 1);
    g_thread_join(follower->thread);
    close(follower->fs->wake);
    follower->fs->wake = -1;
    g_mutex_clear(&follower->lock);
    g_free(follower);
}

XtfAttempt xtf_fs_attempt(XtfFs *fs)
{
    g_autoptr(XtfGeneration) current = xtf_inodes_generation(fs->inodes);
    return (XtfAttempt){.number = current ? current->number : 0};
}

bool xtf_fs_retry_later_generation(XtfFs *fs, XtfAttempt *attempt, GError **error)
{
    enum { TRIES_MAX = 8 };

    if (!fs->options->follow || ++attempt->tries > TRIES_MAX ||
        !(g_error_matches(*error, XTF_ERROR, XTF_ERROR_STALE) ||
          g_error_matches(*error, XTF_ERROR, XTF_ERROR_DAMAGED) || g_error_matches(*error, XTF_ERROR, XTF_ERROR_IO)))
        return false;
    g_mutex_lock(&fs->follower->lock);
    look_and_log(fs->follower);
    g_mutex_unlock(&fs->follower->lock);
    uint64_t earlier = attempt->number;
    attempt->number = xtf_fs_attempt(fs).number;
    if (attempt->number <= earlier)
        return false;
    g_clear_error(error);
    return true;
}

/* ---- Open files. */

enum {
    RENDERED_MAX = 16 << 20, /* most bytes of an open file that are rendered at once */
};

XtfOpened *xtf_opened_new(const XtfInode *inode, GError **error)
{
    XtfOpened *opened = g_new0(XtfOpened, 1);

    opened->node = xtf_node_ref(inode->node);
    opened->generation = xtf_generation_ref(inode->generation);
    opened->fixed = inode->kind == XTF_NODE_FILE && inode->future == XTF_NODE_CHANGES;
    if (!opened->fixed || inode->size > RENDERED_MAX)
        return opened;
    opened->text = g_malloc(MAX(inode->size, 1));
    if (xtf_node_read(opened->node, 0, opened->text, inode->size, &opened->length, error))
        return opened;
    xtf_opened_free(opened);
    return NULL;
}

void xtf_opened_free(XtfOpened *opened)
{
    if (!opened)
        return;
    xtf_node_unref(opened->node);
    xtf_generation_unref(opened->generation);
    g_free(opened->text);
    g_free(opened);
}

/* Reads a file that grows, up to the size that the kernel knows, so that every reader sees the same length. Only the
 * second read at that end extends the file to its present size. */
static bool read_growing(XtfFs *fs, XtfOpened *opened, XtfInode *inode, uint64_t offset, char *buffer, size_t size,
                         size_t *length, GError **error)
{
    *length = 0;
    if (offset >= inode->size && !atomic_exchange(&opened->ended, true))
        return true;
    if (offset >= inode->size)
        xtf_inodes_grow(fs->inodes, inode, xtf_node_size(inode->node));
    if (offset >= inode->size)
        return true;
    return xtf_node_read(inode->node, offset, buffer, (size_t)MIN((uint64_t)size, inode->size - offset), length, error);
}

bool xtf_opened_read_fixed(const XtfOpened *opened, uint64_t offset, char *buffer, size_t size, size_t *length,
                           GError **error)
{
    if (!opened->text)
        return xtf_node_read(opened->node, offset, buffer, size, length, error);
    *length = offset < opened->length ? (size_t)MIN((uint64_t)size, opened->length - offset) : 0;
    if (*length)
        memcpy(buffer, opened->text + offset, *length);
    return true;
}

bool xtf_opened_read(XtfFs *fs, XtfOpened *opened, XtfInode *inode, uint64_t offset, char *buffer, size_t size,
                     size_t *length, GError **error)
{
    if (opened && inode->future == XTF_NODE_GROWS)
        return read_growing(fs, opened, inode, offset, buffer, size, length, error);
    return xtf_node_read(inode->node, offset, buffer, size, length, error);
}
