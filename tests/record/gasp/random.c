/*
 * A random program: random SEED THREADS. Each thread computes the times of all threads from the seed, so the operations
 * keep to the rules of UPC, and reports its own events.
 */
#include "runtime.h"

enum { STEPS = 40, MOST = 32, ACCESSES = 2 };

static unsigned long state;
static int T, t;
static double now[MOST], begin[MOST], ready[MOST], done[MOST];

static int below(int n)
{
    state = state * 6364136223846793005ul + 1442695040888963407ul;
    return (int)((state >> 33) % (unsigned long)n);
}

static double latest(const double *times)
{
    double most = 0;

    for (int i = 0; i < T; i++)
        most = times[i] > most ? times[i] : most;
    return most;
}

static void draw_begins(void)
{
    for (int i = 0; i < T; i++)
        begin[i] = now[i] += below(500);
}

static void meet_at_barrier(int halves)
{
    draw_begins();
    double last = latest(begin);
    for (int i = 0; i < T; i++) {
        double wait = begin[i] + (halves ? below(600) : 0), leave = (wait > last ? wait : last) + below(50);
        if (i == t && halves) {
            notify_all(begin[i], begin[i]);
            wait_for_all(wait, leave);
        } else if (i == t) {
            barrier(begin[i], leave);
        }
        now[i] = leave;
    }
}

static const int tags[] = {ALL_BROADCAST,     ALL_SCATTER,    ALL_GATHER,   ALL_REDUCE,
                           ALL_PREFIX_REDUCE, ALL_GATHER_ALL, ALL_EXCHANGE, ALL_PERMUTE};

/* Computes when each thread may access shared data. */
static void find_ready(int kind, int root, int in)
{
    double last = latest(begin), so_far = 0;

    for (int i = 0; i < T; i++) {
        so_far = begin[i] > so_far ? begin[i] : so_far;
        double data = kind < 2                 ? begin[root]
                      : kind < 4 && i == root  ? last
                      : kind == 4              ? so_far
                      : kind == 5 || kind == 6 ? last
                                               : 0;
        ready[i] = begin[i] > data || in == IN_NOSYNC ? begin[i] : data;
        if (in == IN_ALLSYNC)
            ready[i] = last;
    }
}

static void report_event(int is_start, int kind, int root, int flags)
{
    gasp_evttype_t type = is_start ? GASP_START : GASP_END;
    Shared to = on(root, 4096), from = on(root, 8192), permutation = on(0, 64);

    if (kind == 7)
        gasp_event_notify(context, tags[kind], type, NULL, 0, 0, &to, &from, &permutation, (size_t)64, flags);
    else if (kind == 3 || kind == 4)
        gasp_event_notify(context, tags[kind], type, NULL, 0, 0, &to, &from, 0, (size_t)T, (size_t)1, NULL, flags, 4);
    else
        gasp_event_notify(context, tags[kind], type, NULL, 0, 0, &to, &from, (size_t)64, flags);
}

/* Reports the accesses of a thread in an operation. Returns the time at which the last one ends. */
static double access_others(int i, int in, int n)
{
    double at_last = ready[i];

    for (int a = 0; a < n; a++) {
        int peer = below(T);
        double enter = (in == IN_MYSYNC && begin[peer] > at_last ? begin[peer] : at_last) + below(20),
               leave = enter + 1 + below(30);
        Shared data = on(peer, 64);
        if (i == t) {
            at(enter);
            START(MEMGET, NULL, &data, (size_t)8);
            at(leave);
            END(MEMGET, NULL, &data, (size_t)8);
        }
        at_last = leave;
    }
    return at_last;
}

static void work_together(void)
{
    static const int ins[] = {IN_ALLSYNC, IN_MYSYNC, IN_NOSYNC}, outs[] = {OUT_ALLSYNC, OUT_MYSYNC, OUT_NOSYNC};
    int kind = below(8), root = below(T), in = ins[below(3)], out = outs[below(3)], has_accesses = below(2);

    draw_begins();
    find_ready(kind, root, in);
    at(begin[t]);
    report_event(1, kind, root, in | out);
    for (int i = 0; i < T; i++)
        done[i] = access_others(i, in, has_accesses ? below(ACCESSES + 1) : 0);
    for (int i = 0; i < T; i++)
        now[i] = (out == OUT_ALLSYNC ? latest(done) : done[i]) + below(40);
    at(now[t]);
    report_event(0, kind, root, in | out);
}

static void allocate_together(void)
{
    Shared made = on(0, 4096);

    draw_begins();
    for (int i = 0; i < T; i++) {
        double leave = (begin[i] > begin[0] ? begin[i] : begin[0]) + below(40);
        if (i == t) {
            at(begin[i]);
            START(ALL_ALLOC, (size_t)T, (size_t)64);
            at(leave);
            END(ALL_ALLOC, (size_t)T, (size_t)64, &made);
        }
        now[i] = leave;
    }
}

/* Takes a lock in each thread, in the order of thread numbers, from a random thread on. */
static void lock_in_turn(void)
{
    int first = below(T);
    Shared lock = on(below(2), 64 * below(2));
    double free_at = 0;

    draw_begins();
    for (int k = 0; k < T; k++) {
        int i = (first + k) % T;
        double acquired = (begin[i] > free_at ? begin[i] : free_at) + 1 + below(20), release = acquired + below(200),
               leave = release + 1 + below(5);
        if (i == t) {
            at(begin[i]);
            START(LOCK, &lock);
            at(acquired);
            END(LOCK, &lock);
            at(release);
            START(UNLOCK, &lock);
            at(leave);
            END(UNLOCK, &lock);
        }
        free_at = now[i] = leave;
    }
}

static void body(int argc, char **argv)
{
    state = strtoul(argv[1], NULL, 10) * 7919 + 1;
    T = THREADS;
    t = MYTHREAD;
    at(0);
    START(C_FUNC, "main");
    for (int step = 0; step < STEPS; step++) {
        int choice = below(8);
        if (choice < 2)
            meet_at_barrier(choice);
        else if (choice == 2)
            allocate_together();
        else if (choice == 3)
            lock_in_turn();
        else
            work_together();
    }
    at(latest(now) + 10);
    END(C_FUNC, "main");
}

int main(int argc, char **argv)
{
    return run_threads(argc, argv, atoi(argv[2]), body);
}
