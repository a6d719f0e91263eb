/* Functions that all handlers share. */
#include <errno.h>
#include <signal.h>
#include <sys/eventfd.h>

#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/fs/fs-private.h"

static void wake_follower(XtfFs *fs)
{
    if (fs->wake < 0 || !fs->hooks->analysed)
        return;
    int_fast64_t now = g_get_monotonic_time(), last_wake = atomic_load_explicit(&fs->woken, memory_order_relaxed);
    if (now - last_wake >= G_TIME_SPAN_SECOND && atomic_compare_exchange_strong(&fs->woken, &last_wake, now))
        eventfd_write(fs->wake, 1);
}

XtfFs *xtf_fs_of(fuse_req_t request, XtfRequestKind kind)
{
    XtfFs *fs = fuse_req_userdata(request);

    atomic_fetch_add_explicit(&fs->requests[kind], 1, memory_order_relaxed);
    wake_follower(fs);
    return fs;
}

mode_t xtf_fs_mode(XtfNodeKind kind)
{
    switch (kind) {
    case XTF_NODE_DIRECTORY:
        return S_IFDIR | 0555;
    case XTF_NODE_LINK:
        return S_IFLNK | 0777;
    case XTF_NODE_FILE:
        break;
    }
    return S_IFREG | 0444;
}

struct stat xtf_fs_stat(const XtfFs *fs, const XtfInode *inode)
{
    uint64_t size = inode->size;
    struct timespec time = inode->mtime.tv_sec ? inode->mtime : fs->options->mtime;

    return (struct stat){
        .st_ino = inode->ino,
        .st_mode = xtf_fs_mode(inode->kind),
        .st_nlink = 1, /* for directories too: "unknown", so that find does not count sub-directories */
        .st_uid = fs->options->uid,
        .st_gid = fs->options->gid,
        .st_size = (off_t)size,
        .st_blksize = 128 * 1024,
        .st_blocks = (blkcnt_t)(size / 512 + (size % 512 != 0)), /* 0 would mean a hole */
        .st_atim = time,
        .st_mtim = time,
        .st_ctim = time,
    };
}

/* Returns for how many seconds the kernel may cache a name. A name that is not final is looked up each time, since the
 * next commit may change its file. So a reader who has seen a commit in one file sees no earlier commit in the next. */
static double entry_timeout(const XtfInode *inode)
{
    return inode->future == XTF_NODE_FINAL ? XTF_FS_ENDLESS : 0;
}

/* Returns 0.1 s for a file that grows: until then its size is that of the look-up, so that open(2) and fstat(2) agree.
 */
double xtf_fs_attr_timeout(const XtfInode *inode)
{
    return inode->future == XTF_NODE_GROWS ? 0.1 : XTF_FS_ENDLESS;
}

static bool is_analysed(const XtfGeneration *generation)
{
    return generation && xtf_trace_find_schema(xtf_tree_trace(generation->tree), XTF_DERIVED_WAITS);
}

/* Returns 1 s where an analysis may appear later, since it adds names. */
double xtf_fs_absence_timeout(const XtfFs *fs, const XtfInode *directory)
{
    const XtfGeneration *generation = directory->generation;

    /* Without a generation the directory itself does not exist now. */
    if (fs->options->follow && (!generation || !xtf_tree_is_final(generation->tree)))
        return 0;
    if (fs->hooks->analysed && !is_analysed(generation))
        return 1;
    return XTF_FS_ENDLESS;
}

bool xtf_fs_enter(XtfFs *fs, const XtfInode *directory, const char *name, struct fuse_entry_param *entry,
                  GError **error)
{
    g_auto(XtfInode) child = {0};

    if (!xtf_inodes_lookup(fs->inodes, directory, name, &child, error))
        return false;
    *entry = (struct fuse_entry_param){
        .ino = child.id,
        .attr = xtf_fs_stat(fs, &child),
        .attr_timeout = xtf_fs_attr_timeout(&child),
        .entry_timeout = entry_timeout(&child),
    };
    return true;
}

void xtf_fs_reply_stale(fuse_req_t request)
{
    fuse_reply_err(request, ESTALE);
}

void xtf_fs_reply_error(fuse_req_t request, GError *error)
{
    if (!g_error_matches(error, XTF_ERROR, XTF_ERROR_NOT_FOUND))
        g_warning("%s", error->message);
    fuse_reply_err(request, xtf_error_to_errno(error));
    g_error_free(error);
}

void xtf_fs_complete_log(XtfFs *fs)
{
    g_autoptr(XtfGeneration) generation = fs->hooks->remark ? xtf_inodes_generation(fs->inodes) : NULL;

    if (generation)
        fs->hooks->remark(fs->hooks->data, generation->tree);
}

GThread *xtf_fs_start_thread(const char *name, GThreadFunc run, void *data)
{
    sigset_t all, last_wake;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &last_wake);
    GThread *thread = g_thread_new(name, run, data);
    pthread_sigmask(SIG_SETMASK, &last_wake, NULL);
    return thread;
}
