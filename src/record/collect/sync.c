/*
 * Parts are brought to the disk by a thread, while the collector goes on reading rings: a disk may take seconds for it,
 * in which rings would be full. A commit that is made meanwhile is not known to be there.
 */
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "src/record/collect/part.h"
#include "src/record/nanoseconds.h"

enum { SECONDS_MAX = 86400, SECONDS_USUAL = 5 };

/* How often, as `xtf record --fsync` says; 0: at the end only. */
static uint64_t interval(void)
{
    const char *text = g_getenv("XTF_RECORD_FSYNC");
    guint64 seconds;

    if (!text || !g_ascii_string_to_unsigned(text, 10, 0, SECONDS_MAX, &seconds, NULL))
        seconds = SECONDS_USUAL;
    return seconds * 1000000000;
}

static gpointer sync_part(gpointer data)
{
    XtfCollectPart *part = data;

    /* The name first: a file that nobody finds is none. What some file systems cannot do is no failure. */
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

/* Signals are the collector's own: they end its naps. Without a thread the part is synced when it is closed. */
static void begin(XtfCollectPart *part)
{
    sigset_t all, before;

    part->passed_by = false;
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
    if (part->passed_by)
        part->sync_began = 0; /* again, with the next commit */
    else
        xtf_writer_keep_synced(part->writer);
    return true;
}

bool xtf_collect_part_commit(XtfCollectPart *part, GError **error)
{
    bool busy = xtf_collect_part_is_syncing(part);
    uint64_t every = interval();

    if (!busy && !xtf_collect_part_end_sync(part, error))
        return false;
    if (!xtf_writer_commit(part->writer, error))
        return false;
    part->passed_by |= busy;
    if (!busy && every > 0 && (part->sync_began == 0 || xtf_monotonic_ns() - part->sync_began >= every))
        begin(part);
    return true;
}
