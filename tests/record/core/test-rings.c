/* Tests rings and the records that pass through them, within one process: producers and the consumer are threads. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/record/core/inner.h"
#include "tests/record/core/consumer.h"

/* A sanitizer slows the tests down. */
#ifdef __SANITIZE_THREAD__
enum { SLOWER = 10 };
#else
enum { SLOWER = 1 };
#endif

enum { RINGS = 64, RING_SIZE = 65536 };

/* A producer's records and frames. */
typedef struct {
    unsigned seed, steps, max_depth;
    bool toggles;
    uint64_t n_records, serial, bytes;
    uint32_t depth, stack[CONSUMER_DEPTH];
    uint32_t thread;
} Producer;

static Consumer consumers[RINGS];
static _Atomic bool stop, paused;
static _Atomic unsigned pause_us;   /* between two rounds of the consumer */
static _Atomic uint32_t full_rings; /* number of full rings for which the consumer waits before its first round */
static _Atomic uint64_t owners;

static unsigned draw_number(unsigned *seed, unsigned n)
{
    *seed = *seed * 1664525 + 1013904223;
    return (*seed >> 8) % n;
}

static void begin_recording(uint32_t when_full)
{
    REQUIRE(xtf_core_make_memory(RING_SIZE), "no memory");
    xtf_core.socket.number = -1;
    xtf_core.process->when_full = when_full;
    xtf_core.timeout_ns = 60ull * 1000 * 1000 * 1000; /* a consumer on a busy machine must not count as stuck */
    xtf_core_clock_is_tsc = true;
    xtf_core_keep_life();
    xtf_core_watch_threads();
    xtf_core_watch_forks();
    xtf_core_process = xtf_core.process;
    xtf_core_life.owns_rings = xtf_core_life.active = true;
}

static uint64_t consume_all(void)
{
    uint64_t taken = 0;
    uint32_t n = atomic_load(&xtf_core.process->claimed);

    REQUIRE(n <= RINGS, "%u rings", n);
    for (uint32_t i = 0; i < n; i++) {
        XtfWireRing *shared = &xtf_core.shared[i];
        if (atomic_load(&shared->state) == XTF_WIRE_RING_FREE)
            continue;
        consumers[i].shared = shared;
        consumers[i].size = RING_SIZE;
        consumers[i].data = xtf_core.rings[i].data;
        taken += consumer_take(&consumers[i]);
    }
    return taken;
}

/* Returns the number of rings in which a producer found no space. */
static uint32_t count_full_rings(void)
{
    uint32_t full = 0;

    for (uint32_t i = 0; i < atomic_load(&xtf_core.process->claimed); i++)
        full += atomic_load(&xtf_core.shared[i].waits) > 0 || atomic_load(&xtf_core.shared[i].dropped) > 0;
    return full;
}

static void *run_consumer(void *data)
{
    while (count_full_rings() < atomic_load(&full_rings))
        usleep(100);
    while (!atomic_load(&stop)) {
        if (!atomic_load(&paused))
            consume_all();
        unsigned us = atomic_load(&pause_us);
        if (us)
            usleep(us);
    }
    while (consume_all())
        ;
    return NULL;
}

static void enter_region(XtfRing *ring, Producer *producer)
{
    uint32_t region = 4096 + 1000 * draw_number(&producer->seed, 100) + producer->depth % 1000;

    producer->stack[producer->depth++] = region;
    xtf_core_enter(ring, region);
    producer->n_records++;
}

static void leave_region(XtfRing *ring, Producer *producer)
{
    xtf_core_leave(ring, producer->stack[--producer->depth]);
    producer->n_records++;
}

static void step_producer(XtfRing *ring, Producer *producer)
{
    unsigned choice = draw_number(&producer->seed, 10);

    if (choice < 4 && producer->depth < producer->max_depth) {
        enter_region(ring, producer);
    } else if (choice < 8 && producer->depth > 0) {
        leave_region(ring, producer);
    } else {
        xtf_core_record(ring, xtf_core_now(), XTF_WIRE_SEND, 0, 1, 2, producer->serial++);
        producer->n_records++;
    }
}

static void *run_producer(void *data)
{
    Producer *producer = data;
    sigset_t signals;

    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
    for (unsigned i = 0; i < producer->steps; i++) {
        if (producer->toggles && i % 1000 == 0)
            xtf_core_set_recording(i / 1000 % 2 == 0);
        XtfRing *ring = xtf_core_begin_frame();
        REQUIRE(ring, "no ring");
        producer->thread = atomic_load(&ring->shared->thread);
        step_producer(ring, producer);
        xtf_core_end();
    }
    return NULL;
}

static void *record_briefly(void *data)
{
    XtfRing *ring = xtf_core_begin();

    REQUIRE(ring, "no ring");
    xtf_core_enter(ring, 4096);
    xtf_core_leave(ring, 4096);
    REQUIRE(atomic_load(&ring->shared->thread) == atomic_fetch_add(&owners, 1), "threads are numbered by claims");
    xtf_core_end();
    return NULL;
}

static const ConsumerThread *find_thread(const Producer *producer)
{
    for (int i = 0; i < RINGS; i++)
        for (const ConsumerThread *thread = consumers[i].thread; thread; thread = thread->before)
            if (thread->number == producer->thread)
                return thread;
    REQUIRE(false, "thread %u was never seen", producer->thread);
    return NULL;
}

static void run_producers(Producer *producers, unsigned n)
{
    pthread_t consumer, threads[RINGS];

    pthread_create(&consumer, NULL, run_consumer, NULL);
    for (unsigned i = 0; i < n; i++)
        pthread_create(&threads[i], NULL, run_producer, &producers[i]);
    for (unsigned i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    atomic_store(&stop, true);
    pthread_join(consumer, NULL);
}

static Producer *new_producers(unsigned n, unsigned steps, unsigned max_depth)
{
    Producer *producers = calloc(n, sizeof *producers);

    for (unsigned i = 0; i < n; i++)
        producers[i] = (Producer){.seed = 77 + i, .steps = steps, .max_depth = max_depth};
    return producers;
}

/* Checks that no record is lost if producers wait, however small the ring. */
static void test_waiting(void)
{
    Producer *producers = new_producers(8, 60000 / SLOWER, 600);
    uint64_t waits = 0;

    begin_recording(XTF_WIRE_WAIT);
    pause_us = 300;
    full_rings = 1;
    run_producers(producers, 8);
    for (int i = 0; i < 8; i++) {
        const ConsumerThread *seen = find_thread(&producers[i]);
        REQUIRE(seen->enters + seen->leaves + seen->sends == producers[i].n_records, "records are missing");
        REQUIRE(seen->gaps == 0 && seen->holes == 0, "there is a hole");
        REQUIRE(seen->depth == producers[i].depth, "%u frames are open", seen->depth);
        REQUIRE(!memcmp(seen->stack, producers[i].stack, seen->depth * sizeof(uint32_t)), "other frames are open");
        waits += seen->waits;
    }
    REQUIRE(waits > 0, "no producer waited");
    free(producers);
}

/* Checks that dropped records are counted exactly. An ENTER that a hole's end puts into the ring is not counted as
 * dropped. The consumer checks that frames stay balanced. */
static void test_dropping(void)
{
    Producer *producers = new_producers(4, 200000 / SLOWER, 400);
    uint64_t holes = 0;

    begin_recording(XTF_WIRE_DROP);
    pause_us = 3000;
    full_rings = 4;
    run_producers(producers, 4);
    for (int i = 0; i < 4; i++) {
        const ConsumerThread *seen = find_thread(&producers[i]);
        uint64_t got = seen->enters + seen->leaves + seen->sends;
        REQUIRE(got + seen->missing == producers[i].n_records, "%lu and %lu dropped of %lu", (unsigned long)got,
                (unsigned long)seen->missing, (unsigned long)producers[i].n_records);
        REQUIRE(!seen->off, "the hole never ends");
        holes += seen->holes;
    }
    REQUIRE(holes > 3, "%lu holes, so nothing was tested", (unsigned long)holes);
    free(producers);
}

/* Checks that a thread that stops recording for a while has correct frames afterwards. */
static void test_off_and_on(void)
{
    Producer *producers = new_producers(2, 50001, 100);

    begin_recording(XTF_WIRE_WAIT);
    producers[0].toggles = producers[1].toggles = true;
    run_producers(producers, 2);
    for (int i = 0; i < 2; i++) {
        const ConsumerThread *seen = find_thread(&producers[i]);
        REQUIRE(seen->holes == 25, "%lu holes", (unsigned long)seen->holes);
        REQUIRE(seen->missing == 0, "records that are left out on purpose count as lost");
        REQUIRE(seen->depth == producers[i].depth, "%u frames are open", seen->depth);
        REQUIRE(!memcmp(seen->stack, producers[i].stack, seen->depth * sizeof(uint32_t)), "other frames are open");
    }
    free(producers);
}

/* Checks that a consumer that does nothing for long does not stop a producer for good. */
static void test_stuck(void)
{
    Producer *producers = new_producers(1, 50000, 10);

    begin_recording(XTF_WIRE_WAIT);
    xtf_core.timeout_ns = 200 * 1000 * 1000;
    paused = true;
    run_producers(producers, 1);
    const ConsumerThread *seen = find_thread(producers);
    REQUIRE(seen->missing > 0 && seen->holes == 1, "%lu holes", (unsigned long)seen->holes);
    free(producers);
}

static bool all_is_consumed(void)
{
    for (uint32_t i = 0; i < atomic_load(&xtf_core.process->claimed); i++)
        if (atomic_load(&xtf_core.shared[i].tail) != atomic_load(&xtf_core.shared[i].head))
            return false;
    return true;
}

/* Checks that threads that follow one another need few rings, drained or not. A third of a ring holds what such
 * threads write while a consumer lags behind. */
static void test_many_threads(void)
{
    pthread_t consumer, thread;

    begin_recording(XTF_WIRE_WAIT);
    pthread_create(&consumer, NULL, run_consumer, NULL);
    for (int i = 0; i < 10000 / SLOWER; i++) {
        REQUIRE(!pthread_create(&thread, NULL, record_briefly, NULL), "no thread");
        pthread_join(thread, NULL);
        while (i % 256 == 0 && !all_is_consumed())
            usleep(100);
    }
    atomic_store(&stop, true);
    pthread_join(consumer, NULL);
    REQUIRE(atomic_load(&xtf_core.process->claimed) <= 3, "%u rings", atomic_load(&xtf_core.process->claimed));
}

/* Checks that a long definition is split into pieces, also while nothing is recorded. */
static void test_definitions(void)
{
    static const char text[20000] = "x";

    begin_recording(XTF_WIRE_WAIT);
    XtfRing *ring = xtf_core_begin();
    REQUIRE(xtf_core_define(ring, XTF_DEFINE_NOT_WRAPPED, 3, text, sizeof text), "not defined");
    xtf_core_set_recording(false);
    REQUIRE(xtf_core_define(ring, XTF_DEFINE_NOT_WRAPPED, 4, text, 5), "not defined");
    xtf_core_set_recording(true);
    xtf_core_end();
    consume_all();
    REQUIRE(consumers[0].thread->defined == 20005, "%lu bytes", (unsigned long)consumers[0].thread->defined);
}

static void handle_signal(int signal)
{
    XtfRing *ring = xtf_core_begin();

    if (!ring)
        return;
    xtf_core_enter(ring, 4096 + ring->depth % 1000);
    xtf_core_leave(ring, 4096 + (ring->depth - 1) % 1000);
    xtf_core_end();
}

/* Checks that records of a signal handler lie between other records, or are counted. */
static void test_signals(void)
{
    Producer *producers = new_producers(1, 3000000 / SLOWER, 20);
    struct itimerspec often = {{0, 20000}, {0, 20000}};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    timer_t timer;
    sigset_t signals;

    begin_recording(XTF_WIRE_WAIT);
    signal(SIGUSR1, handle_signal);
    /* This thread, which waits, blocks the signal; the recording thread unblocks it in produce(). */
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &often, NULL);
    run_producers(producers, 1);
    timer_delete(timer);
    REQUIRE(find_thread(producers)->depth == producers->depth, "frames");
    REQUIRE(atomic_load(&xtf_core.process->nested) > 0, "no signal interrupted the recorder, so nothing was tested");
    free(producers);
}

/* Checks that children neither record nor fail, after fork() and after clone(), for which no handler runs. */
static void test_forks(void)
{
    begin_recording(XTF_WIRE_WAIT);
    for (int i = 0; i < 2; i++) {
        XtfRing *ring = xtf_core_begin();
        xtf_core_enter(ring, 4096);
        pid_t child = i ? (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL) : fork();
        int status = 0;
        if (!child) {
            if (i)
                xtf_core_thread.busy = XTF_CORE_IDLE;
            else
                xtf_core_leave(ring, 4096);
            xtf_core_end();
            _exit(xtf_core_begin() == NULL ? 7 : 8);
        }
        xtf_core_leave(ring, 4096);
        xtf_core_end();
        waitpid(child, &status, 0);
        REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 7, "status %x", status);
    }
    consume_all();
    REQUIRE(consumers[0].thread->enters == 2 && consumers[0].thread->leaves == 2, "a child recorded");
}

static const struct {
    const char *name;
    void (*run)(void);
} tests[] = {
    {"waiting", test_waiting},           {"dropping", test_dropping},
    {"off and on", test_off_and_on},     {"stuck", test_stuck},
    {"many threads", test_many_threads}, {"definitions", test_definitions},
    {"signals", test_signals},           {"forks", test_forks},
};

/* Runs each test in a separate process, as a process records once. */
int main(int argc, char **argv)
{
    int failed = 0;

    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        int status = 0;
        if (argc > 1 && strcmp(argv[1], tests[i].name))
            continue;
        fflush(stdout);
        pid_t child = fork();
        if (!child) {
            tests[i].run();
            exit(0);
        }
        waitpid(child, &status, 0);
        printf("%s: %s\n", tests[i].name, status ? "failed" : "passed");
        failed += status != 0;
    }
    return failed ? 1 : 0;
}
