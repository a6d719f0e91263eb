/*
 * Programs that show one pattern of waiting each: patterns PATTERN THREADS. Times are in microseconds.
 *
 * If RUNTIME_IS_UPC, the collective operations are written in UPC, and report the accesses that they make.
 */
#include "runtime.h"

static int T, t; /* THREADS, MYTHREAD */

static double last(void)
{
    return 1000.0 * T;
}

static void collective(unsigned tag, int root, int flags, double enter, double leave)
{
    Shared to = on(root, 4096), from = on(root, 8192), permutation = on(0, 64);

    if (tag == ALL_PERMUTE) {
        at(enter);
        START(tag, &to, &from, &permutation, (size_t)64, flags);
        at(leave);
        END(tag, &to, &from, &permutation, (size_t)64, flags);
    } else if (tag == ALL_REDUCE || tag == ALL_PREFIX_REDUCE) {
        at(enter);
        START(tag, &to, &from, 0, (size_t)100, (size_t)4, NULL, flags, 9);
        at(leave);
        END(tag, &to, &from, 0, (size_t)100, (size_t)4, NULL, flags, 9);
    } else {
        at(enter);
        START(tag, &to, &from, (size_t)64, flags);
        at(leave);
        END(tag, &to, &from, (size_t)64, flags);
    }
}

/* Shows threads that all ask for a lock at nearly the same time, and hold it for a millisecond. */
static void lock_contention(void)
{
    Shared lock = on(1, 512);

    at(100 + t);
    START(LOCK, &lock);
    at(200 + 1000.0 * t);
    END(LOCK, &lock);
    at(1190 + 1000.0 * t);
    START(UNLOCK, &lock);
    at(1195 + 1000.0 * t);
    END(UNLOCK, &lock);
}

static void wait_at_barrier(void)
{
    barrier(1000.0 * (t + 1), last() + 10);
}

static void barrier_completion(void)
{
    barrier(1000, 2000 + 1000.0 * t);
}

static void late_broadcast(void)
{
    collective(ALL_BROADCAST, 0, IN_MYSYNC | OUT_MYSYNC, t == 0 ? 5000 : 1000 + t, 5100);
}

static void early_gather(void)
{
    collective(ALL_GATHER, 1, IN_MYSYNC | OUT_MYSYNC, t == 1 ? 500 : 1000.0 * (t + 1),
               t == 1 ? last() + 100 : 1000.0 * (t + 1) + 50);
}

static void wait_nxn(void)
{
    collective(ALL_EXCHANGE, 0, IN_MYSYNC | OUT_MYSYNC, 1000.0 * (t + 1), last() + 100);
}

static void nxn_completion(void)
{
    collective(ALL_GATHER_ALL, 0, IN_MYSYNC | OUT_MYSYNC, 1000, 2000 + 1000.0 * t);
}

/* Shows threads that wait only because all must have begun: the root is first, so its data are ready. */
static void wait_at_entry(void)
{
    collective(ALL_SCATTER, 0, IN_ALLSYNC | OUT_MYSYNC, 1000.0 * (t + 1), last() + 100);
}

static void wait_at_exit(void)
{
    collective(ALL_BROADCAST, 0, IN_MYSYNC | OUT_ALLSYNC, 1000.0 * (t + 1), last() + 100);
}

static void early_prefix(void)
{
    collective(ALL_PREFIX_REDUCE, 0, IN_MYSYNC | OUT_MYSYNC, t == 0 ? 5000 : 1000 + t, 5100 + t);
}

/* Reads the data of the next thread, which must have begun before. The first thread is late. */
static void wait_inside(void)
{
    double enter = t == 0 ? 5000 : 1000 + t, get = t == T - 1 ? 5000 : t == 0 ? 5010 : 1000 + t + 1;
    Shared to = on(t, 4096), from = on((t + 1) % T, 8192), permutation = on(0, 64);

    at(enter);
    START(ALL_PERMUTE, &to, &from, &permutation, (size_t)64, IN_MYSYNC | OUT_MYSYNC);
    at(get);
    START(MEMGET, NULL, &from, (size_t)64);
    at(get + 20);
    END(MEMGET, NULL, &from, (size_t)64);
    at(get + 30);
    END(ALL_PERMUTE, &to, &from, &permutation, (size_t)64, IN_MYSYNC | OUT_MYSYNC);
}

static void wait_in_allocation(void)
{
    Shared made = on(0, 65536);

    at(t == 0 ? 5000 : 1000.0 + t);
    START(ALL_ALLOC, (size_t)T, (size_t)1024);
    at(5100);
    END(ALL_ALLOC, (size_t)T, (size_t)1024, &made);
}

static const struct {
    const char *name;
    void (*show)(void);
} patterns[] = {
    {"lock_contention", lock_contention},
    {"wait_at_barrier", wait_at_barrier},
    {"barrier_completion", barrier_completion},
    {"late_broadcast", late_broadcast},
    {"early_gather", early_gather},
    {"wait_nxn", wait_nxn},
    {"nxn_completion", nxn_completion},
    {"wait_at_entry", wait_at_entry},
    {"wait_at_exit", wait_at_exit},
    {"early_prefix", early_prefix},
    {"wait_inside", wait_inside},
    {"wait_in_allocation", wait_in_allocation},
};

static void body(int argc, char **argv)
{
    T = THREADS;
    t = MYTHREAD;
    START(C_FUNC, "main");
    for (unsigned i = 0; i < sizeof patterns / sizeof *patterns; i++)
        if (strcmp(argv[1], patterns[i].name) == 0)
            patterns[i].show();
    at(last() + 10000);
    END(C_FUNC, "main");
}

int main(int argc, char **argv)
{
    return run_threads(argc, argv, atoi(argv[2]), body);
}
