/*
 * Preloaded library for programs with ThreadSanitizer: says how GLib orders threads.
 *
 * GLib is built without ThreadSanitizer, and its locks call futex() alone. ThreadSanitizer would see neither locks nor
 * pools, and report races that they prevent. Each function here calls GLib's function of the same name. Before it, or
 * after it, the thread releases or acquires an address. Work before a release happens before work after an
 * acquire of the same address.
 *
 * g_thread_new() and g_thread_join() need nothing: they call functions of pthreads, which ThreadSanitizer knows.
 */
#include <dlfcn.h>
#include <glib.h>
#include <stdlib.h>

#undef g_once_init_enter
#undef g_once_init_leave

/* ThreadSanitizer's own functions; programs without it lack them. */

void __tsan_acquire(void *address) __attribute__((weak));
void __tsan_release(void *address) __attribute__((weak));

static void acquire_address(const volatile void *address)
{
    if (__tsan_acquire)
        __tsan_acquire((void *)address);
}

static void release_address(const volatile void *address)
{
    if (__tsan_release)
        __tsan_release((void *)address);
}

/* Returns GLib's function. */
static void *find_next(void **found, const char *name)
{
    void *next = __atomic_load_n(found, __ATOMIC_ACQUIRE);

    if (!next && !(next = dlsym(RTLD_NEXT, name)))
        abort();
    __atomic_store_n(found, next, __ATOMIC_RELEASE);
    return next;
}

#define NEXT(name)      \
    static void *found; \
    __typeof__(&(name)) next = find_next(&found, #name)

/* ---- Locks. */

void g_mutex_lock(GMutex *mutex)
{
    NEXT(g_mutex_lock);
    next(mutex);
    acquire_address(mutex);
}

gboolean g_mutex_trylock(GMutex *mutex)
{
    NEXT(g_mutex_trylock);
    gboolean locked = next(mutex);

    if (locked)
        acquire_address(mutex);
    return locked;
}

void g_mutex_unlock(GMutex *mutex)
{
    NEXT(g_mutex_unlock);
    release_address(mutex);
    next(mutex);
}

void g_cond_wait(GCond *condition, GMutex *mutex)
{
    NEXT(g_cond_wait);
    release_address(mutex);
    next(condition, mutex);
    acquire_address(mutex);
}

gboolean g_cond_wait_until(GCond *condition, GMutex *mutex, gint64 end)
{
    NEXT(g_cond_wait_until);
    release_address(mutex);
    gboolean signalled = next(condition, mutex, end);
    acquire_address(mutex);
    return signalled;
}

/* ---- Initialisation. Macros read the value first, by an atomic load, which acquires its address. */

gboolean(g_once_init_enter)(volatile void *value)
{
    NEXT(g_once_init_enter);
    gboolean enters = next(value);

    acquire_address(value);
    return enters;
}

void(g_once_init_leave)(volatile void *value, gsize result)
{
    NEXT(g_once_init_leave);
    release_address(value);
    next(value, result);
}

typedef struct {
    GOnce *once;
    GThreadFunc function;
    void *data;
} Once;

static void *run_once(void *data)
{
    const Once *once = data;
    void *result = once->function(once->data);

    release_address(&once->once->status);
    release_address(once->once);
    return result;
}

void *g_once_impl(GOnce *once, GThreadFunc function, void *data)
{
    NEXT(g_once_impl);
    Once own = {once, function, data};
    void *result = next(once, run_once, &own);

    acquire_address(once);
    return result;
}

/* ---- Pools. The address of all tasks is that of the pool's function. */

typedef struct {
    GFunc function;
    void *data;
} Pool;

static void run_task(void *task, void *data)
{
    Pool *own = data;

    acquire_address(own);
    own->function(task, own->data);
    release_address(own);
}

/* Makes a pool. Its function and data are never freed, since tasks may run after g_thread_pool_free(). */
GThreadPool *g_thread_pool_new(GFunc function, void *data, int threads, gboolean exclusive, GError **error)
{
    NEXT(g_thread_pool_new);
    Pool *own = malloc(sizeof *own);

    *own = (Pool){function, data};
    return next(run_task, own, threads, exclusive, error);
}

gboolean g_thread_pool_push(GThreadPool *pool, void *task, GError **error)
{
    NEXT(g_thread_pool_push);
    release_address(pool->user_data);
    return next(pool, task, error);
}

void g_thread_pool_free(GThreadPool *pool, gboolean immediate, gboolean waits)
{
    NEXT(g_thread_pool_free);
    void *own = pool->user_data;

    next(pool, immediate, waits);
    acquire_address(own);
}

/* ---- Counts of references. The last thread frees what others have used before. */

#define UNREF(name, Type)        \
    void name(Type *object)      \
    {                            \
        NEXT(name);              \
        release_address(object); \
        acquire_address(object); \
        next(object);            \
    }

UNREF(g_bytes_unref, GBytes)
UNREF(g_array_unref, GArray)
UNREF(g_hash_table_unref, GHashTable)
