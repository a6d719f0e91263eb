/*
 * Children that are forked share the memory of the rings with their parent, and must not write there. So the memory is
 * not there in children at all (MADV_DONTFORK), and they know it (state.c). Here is the rest, for fork() itself.
 */
#include <pthread.h>

#include "src/record/core/inner.h"

static void leave_child(void)
{
    XtfRing *ring = xtf_core_thread.ring;

    if (!xtf_core.process)
        return;
    xtf_core_life.active = xtf_core_life.mine = false;
    /* The fork may have been called from inside a recorded function, which will want to record that it ends: the slow
     * paths see that this is no business of a child. */
    if (ring)
        ring->limit = 0;
    /* The collector watches the other end, to see the process end or execute another program. */
    xtf_core_drop_descriptor(&xtf_core.socket);
    xtf_core_drop_descriptor(&xtf_core.memory);
}

void xtf_core_watch_forks(void)
{
    pthread_atfork(NULL, NULL, leave_child);
}
