/*
 * Asking the kernel to let go of names.
 *
 * The kernel keeps every name that was ever looked up, and each costs it and us about a kilobyte. So when there are too
 * many, the oldest are pruned: an unused one goes at once, and FORGET follows; one in use (a shell's working directory,
 * an open file) stays as it is. That is protocol 7.45, Linux 6.18. Older kernels can only invalidate, which unhooks
 * names in use too: then getcwd(2) fails there until the path is looked up again.
 *
 * Where another tree has taken the place of the one before, the kernel must keep nothing of it: no name of a file, and
 * no listing. Names that are in use must go then, too.
 *
 * This must be a thread of its own: notifying waits for locks that the kernel holds while a handler runs.
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

/* False if the kernel does not know how. */
static bool prune(XtfFs *fs, const XtfStaleName *stale, unsigned n)
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

static void let_go(XtfFs *fs, const XtfStaleName *stale, unsigned n)
{
    if (fs->can_prune && prune(fs, stale, n))
        return;
    fs->can_prune = false;
    /* Whatever goes wrong here, the name was gone already, or the mount is. */
    for (unsigned i = 0; i < n; i++)
        fuse_lowlevel_notify_inval_entry(fs->session, stale[i].parent_id, stale[i].name, strlen(stale[i].name));
}

/* Whatever goes wrong here, what was kept was gone already, or the mount is. */
static void drop_changed(XtfFs *fs, const XtfStaleName *stale)
{
    if (stale->kind == XTF_STALE_NAME) {
        fuse_lowlevel_notify_inval_entry(fs->session, stale->parent_id, stale->name, strlen(stale->name));
        return;
    }
    /* The kernel waits for whoever is reading the directory, and does nothing else to a name that it cannot have: then
     * no listing of the earlier tree comes after this. */
    fuse_lowlevel_notify_inval_entry(fs->session, stale->id, ".", 1);
    fuse_lowlevel_notify_inval_inode(fs->session, stale->id, 0, 0);
}

static gpointer reap(gpointer data)
{
    XtfFs *fs = data;
    XtfStaleName stale[BATCH];
    unsigned n;

    while ((n = xtf_inodes_wait_stale(fs->inodes, stale, BATCH)) > 0) {
        if (stale[0].kind == XTF_STALE_OLD)
            let_go(fs, stale, n);
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
    return xtf_fs_start_thread("xtf-reaper", reap, fs);
}
