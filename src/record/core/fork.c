/*
 * Children. A child that is forked shares the memory of the rings with its parent, and must not write there. fork()
 * calls a handler of ours; _Fork() and clone() do not. So the memory is not there in children at all (MADV_DONTFORK),
 * and what says that it is there lies in a page that the kernel clears for them (MADV_WIPEONFORK).
 */
#include "src/record/core/inner.h"

#include <pthread.h>
#include <sys/mman.h>

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

enum { LARGEST_PAGE = 65536 };

static union {
    XtfCoreLife life;
    char page[LARGEST_PAGE];
} life __attribute__((aligned(LARGEST_PAGE)));

extern XtfCoreLife xtf_core_life __attribute__((alias("life")));
extern bool xtf_core_active __attribute__((alias("life")));

void xtf_core_keep_life(void)
{
    /* Where this is not known or the page is not anonymous, _Fork() and clone() alone are not guarded against. */
    madvise(&life, sizeof life, MADV_WIPEONFORK);
}

static void leave_child(void)
{
    XtfRing *ring = xtf_core_thread.ring;

    if (!xtf_core.process)
        return;
    xtf_core_life = (XtfCoreLife){0};
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
