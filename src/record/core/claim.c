/* Assigns rings to threads. */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "src/record/core/inner.h"

static pthread_key_t key;
static bool has_key;

static void close_ring(void *value)
{
    XtfRing *ring = value;
    XtfCoreThread *thread = &xtf_core_thread;

    if (!xtf_core_life.owns_rings || thread->ring != ring)
        return;
    thread->busy = XTF_CORE_BUSY;
    atomic_signal_fence(memory_order_acq_rel);
    xtf_core_abandon_hole(ring);
    xtf_core_show(ring, xtf_core_now(), 0);
    thread->ring = NULL;
    atomic_store(&ring->shared->state, XTF_WIRE_RING_CLOSED);
    atomic_signal_fence(memory_order_acq_rel);
    thread->busy = XTF_CORE_IDLE;
}

bool xtf_core_watch_threads(void)
{
    has_key = !pthread_key_create(&key, close_ring);
    return has_key;
}

/* Takes a ring whose thread has ended and of which a quarter is free; NULL: none. */
static XtfRing *take_closed(void)
{
    uint32_t n = atomic_load(&xtf_core.process->claimed);

    for (uint32_t i = 0; i < n; i++) {
        XtfWireRing *shared = &xtf_core.shared[i];
        uint32_t state = XTF_WIRE_RING_CLOSED;
        if (atomic_load_explicit(&shared->state, memory_order_relaxed) != XTF_WIRE_RING_CLOSED ||
            !atomic_compare_exchange_strong(&shared->state, &state, XTF_WIRE_RING_USED))
            continue;
        XtfRing *ring = &xtf_core.rings[i];
        uint64_t size = ring->mask + 1;
        if (ring->head + size / 4 <= atomic_load(&shared->tail) + size - XTF_CORE_RESERVE)
            return ring;
        atomic_store(&shared->state, XTF_WIRE_RING_CLOSED);
    }
    return NULL;
}

static XtfRing *take_new(void)
{
    XtfWireProcess *process = xtf_core.process;
    uint32_t index = atomic_load(&process->claimed);

    do {
        if (index == process->n_rings)
            return NULL;
    } while (!atomic_compare_exchange_weak(&process->claimed, &index, index + 1));
    if (!xtf_core_map_ring(index))
        return NULL;
    atomic_store(&xtf_core.shared[index].state, XTF_WIRE_RING_USED);
    return &xtf_core.rings[index];
}

static void start_ring(XtfRing *ring)
{
    uint32_t thread = atomic_fetch_add(&xtf_core.threads, 1);
    int32_t tid = (int32_t)syscall(SYS_gettid);

    atomic_store_explicit(&ring->shared->thread, thread, memory_order_relaxed);
    atomic_store_explicit(&ring->shared->tid, tid, memory_order_relaxed);
    ring->limit = 0;
    ring->depth = ring->off = ring->kept_off = ring->hole = ring->written = 0;
    ring->missing = ring->waited_from = ring->waited_until = 0;
    ring->regions = NULL;
    ring->stack_bounds = (XtfStackBounds){0};
    xtf_core_append(ring, xtf_core_now(), XTF_WIRE_OWNER, xtf_core_thread.is_mpis, thread, 1, (uint32_t)tid);
    xtf_core_set_off(ring, xtf_core_window_off());
}

XtfRing *xtf_core_claim_ring(void)
{
    XtfCoreThread *thread = &xtf_core_thread;
    int saved = errno;

    if (!xtf_core_life.owns_rings)
        return NULL;
    thread->busy = XTF_CORE_BUSY;
    atomic_signal_fence(memory_order_acq_rel);
    errno = 0; /* still 0 below if all rings are in use */
    XtfRing *ring = take_closed();
    if (!ring)
        ring = take_new();
    if (ring) {
        start_ring(ring);
        thread->ring = ring;
        if (has_key)
            pthread_setspecific(key, ring);
    } else if (!atomic_exchange(&xtf_core.ringless_warned, true)) {
        xtf_core_say("some threads of this process are not recorded: %s",
                     errno ? strerror(errno) : "there are too many at once");
    }
    if (!ring)
        atomic_fetch_add_explicit(&xtf_core.process->without_ring, 1, memory_order_relaxed);
    atomic_signal_fence(memory_order_acq_rel);
    thread->busy = ring ? XTF_CORE_IDLE : XTF_CORE_REFUSED;
    errno = saved;
    return ring;
}
