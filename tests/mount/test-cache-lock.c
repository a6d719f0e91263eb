/* The lock of an archive, which its owner removes while others open it. */
#include <criterion/criterion.h>
#include <glib.h>
#include <glib/gstdio.h>

#include "src/cli/trace/cache-folder.h"

enum { THREADS = 4, TURNS = 3000 };

typedef struct {
    const char *folder;
    gint inside, failed; /* atomic */
} Storm;

static void *lock_often(void *data)
{
    Storm *storm = data;

    for (unsigned i = 0; i < TURNS; i++) {
        g_autoptr(GError) error = NULL;
        int lock = xtf_cache_lock(storm->folder, "archive", NULL, &error);
        if (lock < 0 || g_atomic_int_add(&storm->inside, 1) != 0) {
            g_printerr("turn %u: %s\n", i, error ? error->message : "two threads have the lock");
            g_atomic_int_inc(&storm->failed);
            return NULL;
        }
        g_atomic_int_add(&storm->inside, -1);
        xtf_cache_unlock(storm->folder, "archive", lock);
    }
    return NULL;
}

Test(cache_lock, one_thread_has_it_at_a_time)
{
    g_autofree char *folder = g_dir_make_tmp("xtf-lock-XXXXXX", NULL);
    Storm storm = {.folder = folder};
    GThread *threads[THREADS];

    for (unsigned i = 0; i < THREADS; i++)
        threads[i] = g_thread_new("lock", lock_often, &storm);
    for (unsigned i = 0; i < THREADS; i++)
        g_thread_join(threads[i]);
    cr_assert_eq(storm.failed, 0);
    cr_assert_eq(g_rmdir(folder), 0, "a lock was left");
}
