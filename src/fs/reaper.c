/*
 * Asking the kernel to let go of names.
 *
 * The kernel keeps every name that was ever looked up, and each costs it and us about a kilobyte. So when there are too
 * many, the oldest are pruned: an unused one goes at once, and FORGET follows; one in use (a shell's working directory,
 * an open file) stays as it is. That is protocol 7.45, Linux 6.18. Older kernels can only invalidate, which unhooks
 * names in use too: then getcwd(2) fails there until the path is looked up again.
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

static gpointer reap(gpointer data)
{
    XtfFs *fs = data;
    XtfStaleName stale[BATCH];
    unsigned n;

    while ((n = xtf_inodes_wait_stale(fs->inodes, stale, BATCH)) > 0) {
        let_go(fs, stale, n);
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
