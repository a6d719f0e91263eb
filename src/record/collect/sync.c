/*
 * Syncing of parts, in a thread of its own. A sync may take seconds, in which rings would fill up, so the collector
 * continues to read them. A sync does not cover commits made while it runs.
 */
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "src/record/collect/part.h"
#include "src/record/nanoseconds.h"

enum { SECONDS_MAX = 86400, SECONDS_DEFAULT = 5, ROTATION_SECONDS_MAX = 365 * 86400 };

/* Returns the sync_interval of `xtf record --fsync` in nanoseconds; 0: sync only at the end. */
static uint64_t sync_interval(void)
{
    const char *text = g_getenv("XTF_RECORD_FSYNC");
    guint64 seconds;

    if (!text || !g_ascii_string_to_unsigned(text, 10, 0, SECONDS_MAX, &seconds, NULL))
        seconds = SECONDS_DEFAULT;
    return seconds * 1000000000;
}

static gpointer sync_part(gpointer data)
{
    XtfCollectPart *part = data;

    /* Syncs the folder first: without its name the file is lost. Some file systems cannot sync folders: no error. */
    if (!part->named)
        fsync(part->folder);
    part->named = true;
    xtf_writer_sync(part->writer, &part->sync_error);
    atomic_store(&part->synced, true);
    return NULL;
}

bool xtf_collect_part_is_syncing(const XtfCollectPart *part)
{
    return part->syncing && !atomic_load(&part->synced);
}

bool xtf_collect_part_defers_commits(const XtfCollectPart *part)
{
    return part->repeated && xtf_collect_part_is_syncing(part);
}

/* Starts a sync with all signals blocked: signals go to the collector's thread and end its naps. If no thread can be
 * created, closing the part syncs it. Keeps the first commit from now on. No other commit is on the disk yet, so
 * commits made during the sync must not overwrite its superblock. */
static void begin_sync(XtfCollectPart *part)
{
    sigset_t all, before;

    part->repeated = part->committed_meanwhile;
    part->committed_meanwhile = false;
    if (!part->named)
        xtf_writer_keep_synced(part->writer);
    part->sync_began = xtf_monotonic_ns();
    atomic_store(&part->synced, false);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    part->syncing = g_thread_try_new("sync", sync_part, part, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

bool xtf_collect_part_end_sync(XtfCollectPart *part, GError **error)
{
    if (!part->syncing)
        return true;
    g_thread_join(g_steal_pointer(&part->syncing));
    if (part->sync_error) {
        g_propagate_error(error, g_steal_pointer(&part->sync_error));
        return false;
    }
    if (part->committed_meanwhile)
        part->sync_began = 0; /* syncs again at the next commit */
    else
        xtf_writer_keep_synced(part->writer);
    return true;
}

/* Returns the time of `xtf record --rotate` in nanoseconds; 0: never. */
static uint64_t rotation_interval(void)
{
    const char *text = g_getenv("XTF_RECORD_ROTATE");
    guint64 seconds;

    return text && g_ascii_string_to_unsigned(text, 10, 1, ROTATION_SECONDS_MAX, &seconds, NULL) ? seconds * 1000000000
                                                                                                 : 0;
}

/* Begins a new volume if it is time. Returns true in *begun if it did: that was a commit, and a sync. */
static bool rotate_part(XtfCollectPart *part, bool *begun, GError **error)
{
    uint64_t interval = rotation_interval(), now = xtf_monotonic_ns();
    g_autofree char *name = g_path_get_basename(part->path);

    *begun = false;
    if (part->volume_began == 0)
        part->volume_began = now;
    if (interval == 0 || now - part->volume_began < interval)
        return true;
    if (!xtf_collect_part_end_sync(part, error) || !xtf_writer_begin_volume(part->writer, part->folder, name, error))
        return false;
    part->volume_began = part->sync_began = xtf_monotonic_ns();
    part->committed_meanwhile = false;
    part->named = *begun = true;
    return true;
}

bool xtf_collect_part_commit(XtfCollectPart *part, GError **error)
{
    bool busy = xtf_collect_part_is_syncing(part), begun;
    uint64_t interval = sync_interval();

    if (!rotate_part(part, &begun, error))
        return false;
    if (begun)
        return true;
    if (!busy && !xtf_collect_part_end_sync(part, error))
        return false;
    if (!xtf_writer_commit(part->writer, error))
        return false;
    part->committed_meanwhile |= busy;
    if (!busy && interval > 0 && (part->sync_began == 0 || xtf_monotonic_ns() - part->sync_began >= interval))
        begin_sync(part);
    return true;
}
