/*
 * Functions in gaspu.upc, which the user's compiler of UPC compiles, since C cannot read a pointer to shared data.
 */
#pragma once

/* The bits of the synchronisation mode of a collective operation. */
enum {
    XTF_GASPU_IN_ALL = 1,
    XTF_GASPU_IN_MY = 2,
    XTF_GASPU_IN_NO = 4,
    XTF_GASPU_OUT_ALL = 8,
    XTF_GASPU_OUT_MY = 16,
    XTF_GASPU_OUT_NO = 32,
};

/* Stores MYTHREAD and THREADS. */
void xtf_gaspu_threads(int *mythread, int *threads);
/* Reads a pointer to shared data, of which `pointer` is the address. Stores its thread and its address there. */
void xtf_gaspu_locate(const void *pointer, int *thread, unsigned long long *address);
/* Returns the bits of the compiler's flags, such as UPC_IN_ALLSYNC. */
int xtf_gaspu_sync_mode(int flags);
