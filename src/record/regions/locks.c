/*
 * POSIX mutexes, if XTF_RECORD_LOCKS is set: which thread holds which lock, in which order.
 *
 * A lock's id is the place of its address in a table. A new lock at the address of an old one gets the same id. The
 * order counts acquisitions; only the thread that holds the lock increments it. Calls of MPI's own threads are not
 * recorded: their time is not the program's.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "src/record/regions/regions.h"

#define EXPORT __attribute__((visibility("default")))

enum { LOCKS_MAX = 1 << 16, LOCKS_FULL = LOCKS_MAX / 8 * 7 };

static struct {
    _Atomic uintptr_t address;
    uint32_t order;
} locks[LOCKS_MAX];
static _Atomic uint32_t n_locks;

typedef int MutexFunction(pthread_mutex_t *);
typedef int WaitFunction(pthread_cond_t *, pthread_mutex_t *);
typedef int TimedFunction(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
typedef int ClockFunction(pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *);
typedef int TimedLockFunction(pthread_mutex_t *, const struct timespec *);
typedef int ClockLockFunction(pthread_mutex_t *, clockid_t, const struct timespec *);

static struct {
    MutexFunction *lock, *trylock, *unlock;
    WaitFunction *wait;
    TimedFunction *timedwait;
    TimedLockFunction *timedlock;
    ClockFunction *clockwait;     /* NULL: the C library has no such function */
    ClockLockFunction *clocklock; /* NULL, as clockwait */
} next;
static bool are_recorded;

/* Finds the newer version of a function that the C library has in two. */
static void *find_condition(const char *name)
{
    void *found = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");

    return found ? found : dlsym(RTLD_NEXT, name);
}

__attribute__((constructor)) static void find_next(void)
{
    const char *option = xtf_core_option("LOCKS");

    are_recorded = option && strcmp(option, "0") != 0;
    next.trylock = (MutexFunction *)dlsym(RTLD_NEXT, "pthread_mutex_trylock");
    next.unlock = (MutexFunction *)dlsym(RTLD_NEXT, "pthread_mutex_unlock");
    next.wait = (WaitFunction *)find_condition("pthread_cond_wait");
    next.timedwait = (TimedFunction *)find_condition("pthread_cond_timedwait");
    next.timedlock = (TimedLockFunction *)dlsym(RTLD_NEXT, "pthread_mutex_timedlock");
    next.clockwait = (ClockFunction *)dlsym(RTLD_NEXT, "pthread_cond_clockwait");
    next.clocklock = (ClockLockFunction *)dlsym(RTLD_NEXT, "pthread_mutex_clocklock");
    __atomic_store_n(&next.lock, (MutexFunction *)dlsym(RTLD_NEXT, "pthread_mutex_lock"), __ATOMIC_RELEASE);
}

/* Finds the original functions, if a constructor of another library runs before find_next(). */
static inline void need_next(void)
{
    if (__builtin_expect(!__atomic_load_n(&next.lock, __ATOMIC_ACQUIRE), 0))
        find_next();
}

/* Finds or adds the lock's place; LOCKS_MAX: the table is full. */
static uint32_t place_of(const pthread_mutex_t *mutex)
{
    uintptr_t address = (uintptr_t)mutex;
    uint32_t place = ((address >> 3) + (address >> 19) * 0x9e37) % LOCKS_MAX;

    for (;; place = (place + 1) % LOCKS_MAX) {
        uintptr_t found = atomic_load_explicit(&locks[place].address, memory_order_relaxed);
        if (found == 0) {
            if (atomic_load_explicit(&n_locks, memory_order_relaxed) >= LOCKS_FULL)
                return LOCKS_MAX;
            if (atomic_compare_exchange_strong(&locks[place].address, &found, address)) {
                atomic_fetch_add_explicit(&n_locks, 1, memory_order_relaxed);
                return place;
            }
        }
        if (found == address)
            return place;
    }
}

/* Records that the thread has acquired the lock, or is about to release it. */
static void record_lock(XtfRing *ring, const pthread_mutex_t *mutex, unsigned kind)
{
    uint32_t place = place_of(mutex);

    if (place == LOCKS_MAX)
        return;
    uint32_t order = kind == XTF_WIRE_LOCK_ACQUIRE ? ++locks[place].order : locks[place].order;
    xtf_core_record(ring, xtf_core_now(), kind, 0, place, order);
}

typedef struct {
    const char *name;
    _Atomic uint32_t region; /* index + 1; 0: not looked up yet, or the table is full */
} Wrapped;

/* Enters the function's region and returns the ring; NULL: nothing is recorded. */
static XtfRing *enter_function(Wrapped *function)
{
    XtfRing *ring = are_recorded ? xtf_regions_begin_library() : NULL;

    if (!ring || xtf_core_thread.is_mpis)
        return ring;
    uint32_t number = atomic_load_explicit(&function->region, memory_order_acquire);
    if (number == 0) {
        number = xtf_regions_named(function->name, "", 0, XTF_REGIONS_ROLE_FUNCTION, XTF_REGIONS_PARADIGM_PTHREAD) + 1;
        atomic_store_explicit(&function->region, number, memory_order_release);
    }
    if (number > 0)
        xtf_regions_enter(ring, number - 1);
    return ring;
}

static void leave_function(XtfRing *ring, const Wrapped *function)
{
    uint32_t number = atomic_load_explicit(&function->region, memory_order_relaxed);

    if (number > 0 && xtf_regions_calls && !xtf_core_thread.is_mpis)
        xtf_regions_leave(ring, number - 1);
    xtf_core_end();
}

/* Enters a function that releases the lock, for good or while it waits for a condition. */
static XtfRing *enter_with_lock(Wrapped *function, const pthread_mutex_t *mutex)
{
    XtfRing *ring = enter_function(function);

    if (ring)
        record_lock(ring, mutex, XTF_WIRE_LOCK_RELEASE);
    return ring;
}

/* Leaves a function that has returned, holding the lock if `has_lock`. Returns `result`. */
static int leave_with(int result, bool has_lock, XtfRing *ring, const Wrapped *function, const pthread_mutex_t *mutex)
{
    if (ring && has_lock)
        record_lock(ring, mutex, XTF_WIRE_LOCK_ACQUIRE);
    if (ring)
        leave_function(ring, function);
    return result;
}

static int leave_after_lock(int result, XtfRing *ring, const Wrapped *function, const pthread_mutex_t *mutex)
{
    return leave_with(result, result == 0 || result == EOWNERDEAD, ring, function, mutex);
}

EXPORT int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    static Wrapped function = {.name = "pthread_mutex_lock"};

    need_next();
    XtfRing *ring = enter_function(&function);
    return leave_after_lock(next.lock(mutex), ring, &function, mutex);
}

EXPORT int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
    static Wrapped function = {.name = "pthread_mutex_trylock"};

    need_next();
    XtfRing *ring = enter_function(&function);
    return leave_after_lock(next.trylock(mutex), ring, &function, mutex);
}

EXPORT int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until)
{
    static Wrapped function = {.name = "pthread_mutex_timedlock"};

    need_next();
    XtfRing *ring = enter_function(&function);
    return leave_after_lock(next.timedlock(mutex, until), ring, &function, mutex);
}

EXPORT int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    static Wrapped function = {.name = "pthread_mutex_unlock"};

    need_next();
    XtfRing *ring = enter_with_lock(&function, mutex);
    return leave_with(next.unlock(mutex), false, ring, &function, mutex);
}

EXPORT int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    static Wrapped function = {.name = "pthread_cond_wait"};

    need_next();
    XtfRing *ring = enter_with_lock(&function, mutex);
    return leave_with(next.wait(condition, mutex), true, ring, &function, mutex);
}

EXPORT int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until)
{
    static Wrapped function = {.name = "pthread_cond_timedwait"};

    need_next();
    XtfRing *ring = enter_with_lock(&function, mutex);
    return leave_with(next.timedwait(condition, mutex, until), true, ring, &function, mutex);
}

/* Headers of older C libraries do not declare these functions, by which the C++ library waits. */

EXPORT int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                                  const struct timespec *until);
EXPORT int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until);

int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                           const struct timespec *until)
{
    static Wrapped function = {.name = "pthread_cond_clockwait"};

    need_next();
    if (!next.clockwait)
        return ENOSYS;
    XtfRing *ring = enter_with_lock(&function, mutex);
    return leave_with(next.clockwait(condition, mutex, clock, until), true, ring, &function, mutex);
}

int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until)
{
    static Wrapped function = {.name = "pthread_mutex_clocklock"};

    need_next();
    if (!next.clocklock)
        return ENOSYS;
    XtfRing *ring = enter_function(&function);
    return leave_after_lock(next.clocklock(mutex, clock, until), ring, &function, mutex);
}
