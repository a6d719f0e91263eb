/*
 * The handler of fork() that stops recording in the child.
 *
 * A forked child would share the rings' memory with its parent, and must not write to it. So the kernel does not map
 * the memory in children (MADV_DONTFORK), and clears their state (state.c).
 */
#include <pthread.h>

#include "src/record/core/inner.h"

static void leave_child(void)
{
    XtfRing *ring = xtf_core_thread.ring;

    if (!xtf_core.process)
        return;
    xtf_core_life.active = xtf_core_life.owns_rings = false;
    /* A recorded function may have called fork(), and will record its end in the child. With limit 0 it takes a slow
     * path, which writes nothing in a child. */
    if (ring)
        ring->limit = 0;
    /* The collector must see the socket close when the parent ends or executes another program. */
    xtf_core_drop_descriptor(&xtf_core.socket);
    xtf_core_drop_descriptor(&xtf_core.memory);
}

void xtf_core_watch_forks(void)
{
    pthread_atfork(NULL, NULL, leave_child);
}
