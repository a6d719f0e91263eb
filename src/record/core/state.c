/*
 * Global state of the core.
 *
 * The flags that say that the process records have a separate page, which the kernel clears in children
 * (MADV_WIPEONFORK). A handler of pthread_atfork() would not do: fork() calls it, _Fork() and clone() do not.
 */
#include <sys/mman.h>

#include "src/record/core/inner.h"

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

__thread XtfCoreThread xtf_core_thread __attribute__((tls_model("initial-exec")));
XtfCore xtf_core;
XtfWireProcess *xtf_core_process;
_Atomic uint8_t *xtf_core_choices;
bool xtf_core_clock_is_tsc;
__attribute__((weak)) const bool xtf_core_awaits_rank = false;

__attribute__((weak)) bool xtf_core_has_mpi(void)
{
    return false;
}

enum { LARGEST_PAGE = 65536 };

static union {
    XtfCoreLife life;
    char page[LARGEST_PAGE];
} life __attribute__((aligned(LARGEST_PAGE)));

extern XtfCoreLife xtf_core_life __attribute__((alias("life")));
extern _Atomic bool xtf_core_active __attribute__((alias("life")));

void xtf_core_keep_life(void)
{
    /* If the kernel refuses (an old kernel, or the page is not anonymous), only children of fork() are guarded. */
    madvise(&life, sizeof life, MADV_WIPEONFORK);
}

void xtf_core_count_nested(void)
{
    if (!xtf_core_life.owns_rings)
        return;
    XtfWireProcess *process = xtf_core.process;
    atomic_fetch_add_explicit(xtf_core_thread.busy == XTF_CORE_REFUSED ? &process->without_ring : &process->nested, 1,
                              memory_order_relaxed);
}
