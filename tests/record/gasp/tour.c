/*
 * Each event once, in the order of test_gasp.py, in three threads. Each thread reads from the next one and writes to the
 * one before.
 */
#include "runtime.h"

/* An event that the compiler's runtime does not have is left out. */
#define BOTH(tag, ...)          \
    do {                        \
        if (tag > 0) {          \
            START(tag, ##__VA_ARGS__); \
            at(now += 10);      \
            END(tag, ##__VA_ARGS__);   \
            at(now += 10);      \
        }                       \
    } while (0)

static double now;

static void allocate_memory(void)
{
    Shared made = on(0, 1 << 20), own = on(MYTHREAD, 1 << 19), lock = on(2, 4096);

    BOTH(C_MALLOC, (size_t)100, NULL);
    BOTH(C_FREE, NULL);
    BOTH(GLOBAL_ALLOC, (size_t)3, (size_t)1000, &made);
    BOTH(ALL_ALLOC, (size_t)3, (size_t)100, &made);
    BOTH(ALLOC, (size_t)64, &own);
    BOTH(FREE, &own);
    if (STATIC_SHARED > 0)
        gasp_event_notify(context, STATIC_SHARED, GASP_ATOMIC, NULL, 0, 0, (size_t)3, (size_t)8, &own, NULL, (size_t)8, "x", "int");
    BOTH(GLOBAL_LOCK_ALLOC, &lock);
    BOTH(ALL_LOCK_ALLOC, &lock);
    at(now = 1000 + 100 * MYTHREAD);
    START(LOCK, &lock);
    at(now += 10);
    END(LOCK, &lock);
    BOTH(UNLOCK, &lock);
    START(LOCK_ATTEMPT, &lock);
    END(LOCK_ATTEMPT, &lock, MYTHREAD == 1);
    at(now += 1);
    if (MYTHREAD == 1)
        BOTH(UNLOCK, &lock);
    at(now = 2000);
    BOTH(LOCK_FREE, &lock);
}

static void access_data(void)
{
    Shared next = on((MYTHREAD + 1) % THREADS, 0x1000), before = on((MYTHREAD + THREADS - 1) % THREADS, 0x2000);
    Shared own = on(MYTHREAD, 0x3000);
    void *handles[] = {(void *)0x100, (void *)0x200, (void *)-1, NULL};

    BOTH(MEMGET, NULL, &next, (size_t)16);
    BOTH(MEMPUT, &before, NULL, (size_t)32);
    BOTH(MEMSET, &before, 0, (size_t)48);
    BOTH(MEMCPY, &before, &own, (size_t)64);
    BOTH(MEMCPY, &own, &next, (size_t)80);
    BOTH(MEMCPY, &before, &next, (size_t)96);
    BOTH(MEMCPY, &own, &own, (size_t)112);
    BOTH(GET, 1, NULL, &next, (size_t)4);
    BOTH(PUT, 0, &before, NULL, (size_t)8);
    for (int i = 0; i < 4; i++)
        BOTH(NB_GET_INIT, 1, NULL, &next, (size_t)(i + 1), handles[i]);
    BOTH(NB_PUT_INIT, 1, &before, NULL, (size_t)12, (void *)0x300);
    BOTH(NB_SYNC, handles[1]);
    BOTH(NB_SYNC, handles[0]);
    BOTH(NB_SYNC, handles[3]);
    BOTH(NB_TRYSYNC, (void *)0x300, 0);
    BOTH(NB_TRYSYNC, (void *)0x300, 1);
    BOTH(NB_MEMGET_INIT, NULL, &next, (size_t)20, handles[0]);
    BOTH(NB_MEMPUT_INIT, &before, NULL, (size_t)24, NULL);
    BOTH(NB_MEMCPY_INIT, &before, &own, (size_t)28, NULL);
    if (CACHE_MISS > 0)
        gasp_event_notify(context, CACHE_MISS, GASP_ATOMIC, NULL, 0, 0, (size_t)1, (size_t)1);
}

static void work_together(void)
{
    Shared to = on(2, 0x100), from = on(1, 0x200), permutation = on(0, 0x300);
    int all = IN_ALLSYNC | OUT_ALLSYNC, own = IN_MYSYNC | OUT_MYSYNC, none = IN_NOSYNC | OUT_NOSYNC;

    notify_all(now, now + 10);
    START(C_FUNC, "between");
    at(now += 20);
    END(C_FUNC, "between");
    wait_for_all(now, now + 10);
    barrier(now += 20, now + 30);
    at(now += 40);
    BOTH(ALL_BROADCAST, &to, &from, (size_t)10, all);
    BOTH(ALL_SCATTER, &to, &from, (size_t)20, own);
    BOTH(ALL_GATHER, &to, &from, (size_t)30, none);
    BOTH(ALL_GATHER_ALL, &to, &from, (size_t)40, all);
    BOTH(ALL_EXCHANGE, &to, &from, (size_t)50, 0);
    BOTH(ALL_PERMUTE, &to, &from, &permutation, (size_t)60, all);
    BOTH(ALL_REDUCE, &to, &from, 0, (size_t)9, (size_t)3, NULL, all, 9);
    BOTH(ALL_PREFIX_REDUCE, &to, &from, 0, (size_t)9, (size_t)3, NULL, all, 8);
    BOTH(FENCE);
    BOTH(FORALL);
}

static void user_events(void)
{
    unsigned phase = gasp_create_event(context, "phase", "step %d of %5.1f, %lu %s 100%%"), odd = gasp_create_event(context, "odd", "%*d %n");
    unsigned plain = gasp_create_event(context, NULL, NULL);
    int n = 0;

    pupc_event(phase, GASP_START, -7, 2.5, 1ul << 40, "text");
    at(now += 10);
    pupc_event(phase, GASP_END, -7, 2.5, 1ul << 40, "text");
    pupc_event(odd, GASP_ATOMIC, 3, 5, &n);
    pupc_event(plain, GASP_ATOMIC);
}

/* Switches events off, as `#pragma pupc off` and pupc_control() do. */
static void switch_off(void)
{
    Shared next = on((MYTHREAD + 1) % THREADS, 0x1000);
    int before;

    START(C_FUNC, "left while off");
    before = gasp_control(context, 0);
    at(now += 10);
    BOTH(MEMGET, NULL, &next, (size_t)1000);
    END(C_FUNC, "left while off");
    START(C_FUNC, "entered while off");
    if (before != 1 || gasp_control(context, 1) != 0 || gasp_control(context, 1) != 1)
        exit(3);
    at(now += 10);
    END(C_FUNC, "entered while off");
}

static void body(int argc, char **argv)
{
    at(now = 100);
    START(C_FUNC, "main");
    allocate_memory();
    access_data();
    work_together();
    user_events();
    switch_off();
    at(now += 10);
    END(C_FUNC, "main");
}

int main(int argc, char **argv)
{
    return run_threads(argc, argv, 3, body);
}
