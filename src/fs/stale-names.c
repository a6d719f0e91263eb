/* Names that the kernel should drop: old names beyond the bound, and names of a replaced tree. */
#include "src/fs/inodes-private.h"

void xtf_inodes_count(XtfInodes *inodes, uint64_t *fresh, uint64_t *all)
{
    g_mutex_lock(&inodes->lock);
    *fresh = inodes->fresh.length;
    *all = g_hash_table_size(inodes->by_id);
    g_mutex_unlock(&inodes->lock);
}

/* Takes the names and listings of a replaced tree that the kernel may still cache. The caller holds the lock. */
static unsigned take_changed_names(XtfInodes *inodes, XtfStaleName *names, unsigned max)
{
    GArray *ids = inodes->changed;
    unsigned n = 0;

    for (; n < max && ids->len > 0; g_array_set_size(ids, ids->len - 1)) {
        const XtfInodeEntry *entry = g_hash_table_lookup(inodes->by_id, &g_array_index(ids, uint64_t, ids->len - 1));
        if (!entry)
            continue;
        XtfStaleKind kind = entry->kind == XTF_NODE_DIRECTORY ? XTF_STALE_LISTING : XTF_STALE_NAME;
        names[n++] = (XtfStaleName){kind, entry->id, entry->key.parent_id, g_strdup(entry->name)};
    }
    return n;
}

unsigned xtf_inodes_wait_stale(XtfInodes *inodes, XtfStaleName *names, unsigned max)
{
    const uint64_t low_water = inodes->max_fresh - inodes->max_fresh / 8;
    unsigned n = 0;

    g_mutex_lock(&inodes->lock);
    for (;;) {
        if (inodes->fresh.length <= low_water)
            inodes->reaping = false;
        if (inodes->stopped || (n = take_changed_names(inodes, names, max)) > 0 || inodes->reaping)
            break;
        g_cond_wait(&inodes->reaper_wanted, &inodes->lock);
    }
    bool takes_oldest = !inodes->stopped && n == 0;
    while (takes_oldest && n < max && inodes->fresh.length > low_water) {
        XtfInodeEntry *oldest = g_queue_peek_head(&inodes->fresh);
        g_queue_unlink(&inodes->fresh, &oldest->age);
        oldest->stale = true;
        names[n++] = (XtfStaleName){XTF_STALE_OLD, oldest->id, oldest->key.parent_id, g_strdup(oldest->name)};
    }
    g_mutex_unlock(&inodes->lock);
    return n;
}

void xtf_inodes_stop(XtfInodes *inodes)
{
    g_mutex_lock(&inodes->lock);
    inodes->stopped = true;
    g_cond_signal(&inodes->reaper_wanted);
    g_mutex_unlock(&inodes->lock);
}
