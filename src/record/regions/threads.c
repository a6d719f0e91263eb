/*
 * POSIX threads: their creators, begins, ends, joins and names.
 *
 * Each thread that the program or its libraries create while the process is recorded has a sequence number, from 1. A
 * thread that MPI creates for itself has none. MPI creates it inside a recorded call, or in another thread of MPI.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "src/record/core/spin.h"
#include "src/record/openmp.h"
#include "src/record/regions/regions.h"

#define EXPORT __attribute__((visibility("default")))

enum { NAME_MAX_SIZE = 16, BUCKETS = 256 };

typedef struct Start {
    void *(*function)(void *);
    void *argument;
    uint64_t sequence;
    bool joinable;
} Start;

/* A thread that may be joined. */
typedef struct Joinable {
    pthread_t thread;
    uint64_t sequence;
    struct Joinable *next;
} Joinable;

static Joinable *joinables[BUCKETS];
static XtfSpin lock = ATOMIC_FLAG_INIT;
static _Atomic uint64_t last_sequence;
/* Joinable threads that have been created and are not in `joinables` yet. */
static _Atomic uint32_t n_starting;

static Joinable **bucket_of(pthread_t thread)
{
    return &joinables[((uintptr_t)thread >> 12) % BUCKETS];
}

/* Adds the calling thread to `joinables`. The creator cannot do it: the pthread_t that pthread_create() gave it may no
 * longer exist. An older entry of the same pthread_t is of a thread that was detached before it got here. */
static void add_joinable(uint64_t sequence)
{
    pthread_t thread = pthread_self();
    Joinable *joinable = malloc(sizeof *joinable), *at;

    if (joinable) {
        xtf_spin_lock(&lock);
        for (at = *bucket_of(thread); at && !pthread_equal(at->thread, thread); at = at->next)
            ;
        if (at) {
            at->sequence = sequence;
        } else {
            *joinable = (Joinable){.thread = thread, .sequence = sequence, .next = *bucket_of(thread)};
            *bucket_of(thread) = joinable;
        }
        xtf_spin_unlock(&lock);
        if (at)
            free(joinable);
    }
    atomic_fetch_sub_explicit(&n_starting, 1, memory_order_release);
}

/* Removes a thread from `joinables`. Returns its sequence number; 0: it has none. Does nothing in a forked child, where
 * the lock may be held by a thread that the child does not have. */
static uint64_t take_joinable(pthread_t thread)
{
    Joinable *found = NULL;

    if (!xtf_core_active)
        return 0;
    xtf_spin_lock(&lock);
    for (Joinable **at = bucket_of(thread); *at && !found; at = &(*at)->next) {
        if (pthread_equal((*at)->thread, thread)) {
            found = *at;
            *at = found->next;
            break;
        }
    }
    xtf_spin_unlock(&lock);
    uint64_t sequence = found ? found->sequence : 0;
    free(found);
    return sequence;
}

/* Defines the calling thread's name, unless it still has the program's name, which is the default. */
static void define_name(XtfRing *ring)
{
    char name[NAME_MAX_SIZE + 1] = "", program[NAME_MAX_SIZE];

    strncpy(program, program_invocation_short_name, sizeof program - 1);
    program[sizeof program - 1] = '\0';
    if (pthread_getname_np(pthread_self(), name, sizeof name) == 0 && name[0] && strcmp(name, program) != 0)
        xtf_core_define(ring, XTF_DEFINE_THREAD, ring->shared->thread, name, strlen(name));
}

static void end_thread(void *data)
{
    const uint64_t *sequence = data;

    /* The thread may have been cancelled within a recorded call, which then does not return. */
    xtf_core_end();
    XtfRing *ring = xtf_regions_begin_library();

    if (!ring)
        return;
    define_name(ring);
    /* Leaves the frames that pthread_exit() or a cancellation left open. */
    while (ring->depth > 0 && ring->depth <= XTF_CORE_STACK)
        xtf_core_leave(ring, ring->stack[ring->depth - 1]);
    xtf_core_record(ring, xtf_core_now(), XTF_WIRE_THREAD_END, 0, 0, *sequence);
    xtf_core_end();
}

static void *run_thread(void *data)
{
    Start start = *(Start *)data;
    void *result;

    free(data);
    if (start.joinable)
        add_joinable(start.sequence);
    XtfRing *ring = xtf_regions_begin_library();
    if (ring) {
        xtf_core_record(ring, xtf_core_now(), XTF_WIRE_THREAD_BEGIN, 0, 0, start.sequence);
        xtf_core_end();
    }
    pthread_cleanup_push(end_thread, &start.sequence);
    result = start.function(start.argument);
    pthread_cleanup_pop(1);
    return result;
}

static uint32_t region_of(_Atomic uint32_t *kept, const char *name, unsigned role)
{
    uint32_t number = atomic_load_explicit(kept, memory_order_acquire);

    if (number == 0) {
        number = xtf_regions_named(name, "", 0, role, XTF_REGIONS_PARADIGM_PTHREAD) + 1;
        atomic_store_explicit(kept, number, memory_order_release);
    }
    return number - 1;
}

typedef int CreateFunction(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
typedef int JoinFunction(pthread_t, void **);
typedef int DetachFunction(pthread_t);
typedef int SetNameFunction(pthread_t, const char *);

static CreateFunction *next_create;
static JoinFunction *next_join;
static DetachFunction *next_detach;
static SetNameFunction *next_set_name;

/* Finds the wrapped functions. Several threads may call it at once. */
static void find_next(void)
{
    next_join = (JoinFunction *)dlsym(RTLD_NEXT, "pthread_join");
    next_detach = (DetachFunction *)dlsym(RTLD_NEXT, "pthread_detach");
    next_set_name = (SetNameFunction *)dlsym(RTLD_NEXT, "pthread_setname_np");
    __atomic_store_n(&next_create, (CreateFunction *)dlsym(RTLD_NEXT, "pthread_create"), __ATOMIC_RELEASE);
}

static inline void need_next(void)
{
    if (__builtin_expect(!__atomic_load_n(&next_create, __ATOMIC_ACQUIRE), 0))
        find_next();
}

/* True if MPI creates the thread for itself: a call of MPI runs in this thread, or MPI created this thread. */
static bool mpi_creates_thread(void)
{
    return xtf_core_thread.busy == XTF_CORE_BUSY || xtf_core_thread.is_mpis;
}

static void *run_mpis(void *data)
{
    Start start = *(Start *)data;

    free(data);
    xtf_core_thread.is_mpis = true;
    return start.function(start.argument);
}

static int create_mpis(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *), void *argument)
{
    int kept = errno;
    Start *start = malloc(sizeof *start);

    errno = kept;
    if (!start)
        return next_create(thread, attributes, function, argument);
    *start = (Start){.function = function, .argument = argument};
    int result = next_create(thread, attributes, run_mpis, start);
    if (result != 0)
        free(start);
    return result;
}

/* Counts a thread, by its creator. */
static void count_thread(const void *caller)
{
    Dl_info info;
    bool of_openmp = dladdr(caller, &info) && info.dli_fname && xtf_openmp_runtime(info.dli_fname);

    xtf_core_count_thread(of_openmp ? XTF_WIRE_MADE_BY_OPENMP : XTF_WIRE_MADE_BY_PROGRAM);
}

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *),
                          void *argument)
{
    static _Atomic uint32_t region;
    int kept = errno, state = PTHREAD_CREATE_JOINABLE;

    need_next();
    if (mpi_creates_thread())
        return create_mpis(thread, attributes, function, argument);
    count_thread(__builtin_return_address(0));
    XtfRing *ring = xtf_regions_begin_library();
    Start *start = ring ? malloc(sizeof *start) : NULL;
    if (!start) {
        if (ring)
            xtf_core_end();
        return next_create(thread, attributes, function, argument);
    }
    *start = (Start){.function = function,
                     .argument = argument,
                     .sequence = atomic_fetch_add_explicit(&last_sequence, 1, memory_order_relaxed) + 1};
    uint64_t sequence = start->sequence;
    uint32_t index = region_of(&region, "pthread_create", XTF_REGIONS_ROLE_THREAD_CREATE);
    if (index != XTF_REGIONS_NONE)
        xtf_regions_enter(ring, index);
    if (attributes)
        pthread_attr_getdetachstate(attributes, &state);
    start->joinable = state == PTHREAD_CREATE_JOINABLE;
    if (state == PTHREAD_CREATE_JOINABLE)
        atomic_fetch_add_explicit(&n_starting, 1, memory_order_relaxed);
    uint64_t before = xtf_core_now();
    int result = next_create(thread, attributes, run_thread, start);
    if (result == 0) {
        xtf_core_record(ring, before, XTF_WIRE_THREAD_CREATE, 0, 0, sequence);
    } else {
        if (state == PTHREAD_CREATE_JOINABLE)
            atomic_fetch_sub_explicit(&n_starting, 1, memory_order_relaxed);
        free(start);
    }
    if (index != XTF_REGIONS_NONE && xtf_regions_calls)
        xtf_regions_leave(ring, index);
    xtf_core_end();
    errno = kept;
    return result;
}

EXPORT int pthread_join(pthread_t thread, void **value)
{
    static _Atomic uint32_t region;

    need_next();
    /* The thread may be a starting one. After its end it is in `joinables`. */
    bool may_be_starting = atomic_load_explicit(&n_starting, memory_order_acquire) > 0;
    uint64_t sequence = take_joinable(thread);
    XtfRing *ring = sequence > 0 || may_be_starting ? xtf_regions_begin_library() : NULL;
    if (!ring)
        return next_join(thread, value);
    uint32_t index = region_of(&region, "pthread_join", XTF_REGIONS_ROLE_THREAD_WAIT);
    if (index != XTF_REGIONS_NONE)
        xtf_regions_enter(ring, index);
    int result = next_join(thread, value);
    if (result == 0 && sequence == 0)
        sequence = take_joinable(thread);
    if (result == 0 && sequence > 0)
        xtf_core_record(ring, xtf_core_now(), XTF_WIRE_THREAD_WAIT, 0, 0, sequence);
    if (index != XTF_REGIONS_NONE && xtf_regions_calls)
        xtf_regions_leave(ring, index);
    xtf_core_end();
    return result;
}

EXPORT int pthread_detach(pthread_t thread)
{
    need_next();
    take_joinable(thread);
    return next_detach(thread);
}

EXPORT int pthread_setname_np(pthread_t thread, const char *name)
{
    need_next();
    int result = next_set_name(thread, name);
    XtfRing *ring = result == 0 && pthread_equal(thread, pthread_self()) ? xtf_regions_begin_library() : NULL;
    if (ring) {
        define_name(ring);
        xtf_core_end();
    }
    return result;
}
