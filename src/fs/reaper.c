/*
 * The reaper: a thread that asks the kernel to forget names.
 *
 * The kernel keeps every name that was ever looked up, and each costs the kernel and the daemon about a kilobyte. Above
 * a bound the reaper prunes the oldest names. An unused name goes at once, and FORGET follows. A name in use (a shell's
 * working directory, an open file) stays. Pruning needs protocol 7.45 (Linux 6.18). Older kernels can only invalidate,
 * which also unhooks names in use: getcwd(2) then fails in such a directory until the path is looked up again.
 *
 * After a tree was replaced, the kernel must cache no file name and no listing of the old tree. Here names in use must
 * go, too.
 *
 * The reaper must be a separate thread: notifying waits for locks that the kernel holds while a handler runs.
 */
#include <errno.h>
#include <linux/fuse.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "src/fs/fs-private.h"

#define BATCH 256

/* As in <linux/fuse.h> of Linux 6.18; libfuse has no call for it yet. */
#define NOTIFY_PRUNE 9

struct prune_out {
    uint32_t count, padding;
    uint64_t spare;
};

/* Asks the kernel to prune names. Returns false if the kernel cannot. */
static bool prune_names(XtfFs *fs, const XtfStaleName *stale, unsigned n)
{
    uint64_t ids[BATCH];
    struct prune_out body = {.count = n};
    struct fuse_out_header header = {
        .len = (uint32_t)(sizeof header + sizeof body + n * sizeof *ids),
        .error = NOTIFY_PRUNE,
    };
    struct iovec parts[] = {{&header, sizeof header}, {&body, sizeof body}, {ids, n * sizeof *ids}};

    for (unsigned i = 0; i < n; i++)
        ids[i] = stale[i].id;
    return writev(fuse_session_fd(fs->session), parts, G_N_ELEMENTS(parts)) >= 0 || errno != EINVAL;
}

static void release_names(XtfFs *fs, const XtfStaleName *stale, unsigned n)
{
    if (fs->can_prune && prune_names(fs, stale, n))
        return;
    fs->can_prune = false;
    /* Errors are ignored: the name, or the mount, is already gone. */
    for (unsigned i = 0; i < n; i++)
        fuse_lowlevel_notify_inval_entry(fs->session, stale[i].parent_id, stale[i].name, strlen(stale[i].name));
}

/* Makes the kernel drop a name or listing of a replaced tree. Errors are ignored: the name, listing or mount is already
 * gone. */
static void drop_changed(XtfFs *fs, const XtfStaleName *stale)
{
    if (stale->kind == XTF_STALE_NAME) {
        fuse_lowlevel_notify_inval_entry(fs->session, stale->parent_id, stale->name, strlen(stale->name));
        return;
    }
    /* Invalidating "." makes the kernel wait for concurrent readers of the directory, and does nothing else, as no such
     * name is cached. After it no listing of the old tree can be cached any more. */
    fuse_lowlevel_notify_inval_entry(fs->session, stale->id, ".", 1);
    fuse_lowlevel_notify_inval_inode(fs->session, stale->id, 0, 0);
}

static gpointer run_reaper(gpointer data)
{
    XtfFs *fs = data;
    XtfStaleName stale[BATCH];
    unsigned n;

    while ((n = xtf_inodes_wait_stale(fs->inodes, stale, BATCH)) > 0) {
        if (stale[0].kind == XTF_STALE_OLD)
            release_names(fs, stale, n);
        for (unsigned i = 0; i < n; i++)
            if (stale[i].kind != XTF_STALE_OLD)
                drop_changed(fs, &stale[i]);
        for (unsigned i = 0; i < n; i++)
            g_free(stale[i].name);
    }
    atomic_store(&fs->reaper_ended, true);
    return NULL;
}

GThread *xtf_fs_start_reaper(XtfFs *fs)
{
    return xtf_fs_start_thread("xtf-reaper", run_reaper, fs);
}
