/*
 * Memory of an idle mount: a thread that returns it to the system.
 *
 * The page cache makes repeated queries fast, but users leave mounts behind for days, on machines that they share.
 * After some time without a request the thread evicts pages and returns free memory of the heap. Later requests fill
 * the cache again, up to its bound.
 */
#include <malloc.h>

#include "src/fs/fs-private.h"

enum {
    IDLE_CACHE_BYTES = 16 << 20, /* cached pages of an idle mount */
};

struct XtfIdleWatch {
    XtfFs *fs;
    GThread *thread;
    GMutex lock;
    GCond ended;
    bool stopped;
};

static uint64_t count_requests(XtfFs *fs)
{
    uint64_t n = 0;

    for (int i = 0; i < XTF_REQUEST_KINDS; i++)
        n += atomic_load_explicit(&fs->requests[i], memory_order_relaxed);
    return n;
}

static void release_memory(XtfFs *fs)
{
    g_autoptr(XtfGeneration) generation = xtf_inodes_generation(fs->inodes);

    xtf_tree_free_idle(generation->tree, IDLE_CACHE_BYTES);
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

/* Waits for a number of seconds. Returns false if the watch is stopped. */
static bool wait_seconds(XtfIdleWatch *watch, unsigned seconds)
{
    gint64 end = g_get_monotonic_time() + seconds * G_TIME_SPAN_SECOND;
    g_autoptr(GMutexLocker) locked G_GNUC_UNUSED = g_mutex_locker_new(&watch->lock);

    while (!watch->stopped && g_cond_wait_until(&watch->ended, &watch->lock, end))
        continue;
    return !watch->stopped;
}

static gpointer run_watch(gpointer data)
{
    XtfIdleWatch *watch = data;
    uint64_t seen = 0, released = 0; /* numbers of requests: at the last look, and when memory was released */

    while (wait_seconds(watch, watch->fs->options->idle_seconds)) {
        uint64_t n = count_requests(watch->fs);
        if (n == seen && n != released) {
            release_memory(watch->fs);
            released = n;
        }
        seen = n;
    }
    return NULL;
}

XtfIdleWatch *xtf_idle_watch_new(XtfFs *fs)
{
    if (fs->options->idle_seconds == 0)
        return NULL;
    XtfIdleWatch *watch = g_new0(XtfIdleWatch, 1);

    watch->fs = fs;
    g_mutex_init(&watch->lock);
    g_cond_init(&watch->ended);
    watch->thread = xtf_fs_start_thread("xtf-idle", run_watch, watch);
    return watch;
}

void xtf_idle_watch_free(XtfIdleWatch *watch)
{
    if (!watch)
        return;
    g_mutex_lock(&watch->lock);
    watch->stopped = true;
    g_cond_signal(&watch->ended);
    g_mutex_unlock(&watch->lock);
    g_thread_join(watch->thread);
    g_cond_clear(&watch->ended);
    g_mutex_clear(&watch->lock);
    g_free(watch);
}
