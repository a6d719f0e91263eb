/*
 * What only UPC can tell a recorder: the number of this thread, and where a pointer to shared data points.
 *
 * Compile this file with your UPC compiler, and link it with the program, as docs/UPC.md shows.
 */
#include <upc.h>
#if defined(__UPC_COLLECTIVE__)
#include <upc_collective.h>
#endif

#pragma pupc off
#ifdef __BERKELEY_UPC__
#pragma UPCR NO_SRCPOS
#endif

void xtf_gaspu_threads(int *mythread, int *threads)
{
    *mythread = MYTHREAD;
    *threads = THREADS;
}

void xtf_gaspu_locate(const void *pointer, int *thread, unsigned long long *address)
{
    shared const void *shared_pointer = *(shared const void *const *)pointer;

    *thread = (int)upc_threadof((shared void *)shared_pointer);
    *address = (unsigned long long)upc_addrfield((shared void *)shared_pointer);
}

/* The bits are: in ALLSYNC 1, MYSYNC 2, NOSYNC 4; out ALLSYNC 8, MYSYNC 16, NOSYNC 32. ALLSYNC is UPC's default. */
int xtf_gaspu_sync_mode(int flags)
{
#ifdef UPC_IN_MYSYNC
    int in = flags & UPC_IN_NOSYNC ? 4 : flags & UPC_IN_MYSYNC ? 2 : 1;
    int out = flags & UPC_OUT_NOSYNC ? 32 : flags & UPC_OUT_MYSYNC ? 16 : 8;

    return in | out;
#else
    return 0;
#endif
}
