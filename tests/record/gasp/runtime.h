/*
 * A runtime of UPC whose threads are processes. It reports events as the runtimes of Berkeley UPC and GNU UPC do.
 *
 * Programs set the clock that the recorder reads, in microseconds since the program's start. So all times in a trace
 * are known, and nothing depends on the machine's speed.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "numbers.h"

/* The compiler's gasp.h. */
typedef enum { GASP_MODEL_UPC } gasp_model_t;
typedef enum { GASP_START, GASP_END, GASP_ATOMIC } gasp_evttype_t;
typedef struct _gasp_context_S *gasp_context_t;
gasp_context_t gasp_init(gasp_model_t, int *, char ***);
void gasp_event_notify(gasp_context_t, unsigned, gasp_evttype_t, const char *, int, int, ...);
void gasp_event_notifyVA(gasp_context_t, unsigned, gasp_evttype_t, const char *, int, int, va_list);
int gasp_control(gasp_context_t, int);
unsigned gasp_create_event(gasp_context_t, const char *, const char *);

static int MYTHREAD, THREADS;
static gasp_context_t context;

/* ---- The clock. */

static int64_t clock_base, clock_now; /* ns; base 0: the real clock */

int clock_gettime(clockid_t clock, struct timespec *now)
{
    long result = syscall(SYS_clock_gettime, clock, now);

    if (clock == CLOCK_MONOTONIC && clock_base > 0)
        *now = (struct timespec){(clock_base + clock_now) / 1000000000, (clock_base + clock_now) % 1000000000};
    return (int)result;
}

static void at(double us)
{
    clock_now = (int64_t)(us * 1000 + 0.5);
}

/* ---- Pointers to shared data, and gaspu.upc. */

typedef struct {
    uint64_t address;
    uint32_t thread, phase;
} Shared;

static Shared on(int thread, uint64_t address)
{
    return (Shared){address, thread, 0};
}

#ifndef WITHOUT_GASPU

void xtf_gaspu_threads(int *mythread, int *threads)
{
    *mythread = MYTHREAD;
    *threads = THREADS;
}

void xtf_gaspu_locate(const void *pointer, int *thread, unsigned long long *address)
{
    const Shared *shared = pointer;

    /* A runtime may report the upcall's own accesses. */
    gasp_event_notify(context, GET, GASP_START, "gaspu.upc", 1, 0, 0, NULL, shared, (size_t)8);
    gasp_event_notify(context, GET, GASP_END, "gaspu.upc", 1, 0, 0, NULL, shared, (size_t)8);
    *thread = shared->thread;
    *address = shared->address;
}

int xtf_gaspu_sync_mode(int flags)
{
    int in = flags & IN_NOSYNC   ? 4
             : flags & IN_MYSYNC ? 2
                                 : 1,
        out = flags & OUT_NOSYNC   ? 32
              : flags & OUT_MYSYNC ? 16
                                   : 8;

    return in | out;
}
#endif

/* ---- Events. */

#define START(tag, ...) gasp_event_notify(context, tag, GASP_START, __FILE__, __LINE__, 0, ##__VA_ARGS__)
#define END(tag, ...)   gasp_event_notify(context, tag, GASP_END, __FILE__, __LINE__, 0, ##__VA_ARGS__)

/* Reports an event of the program, with its arguments as a list, as pupc_event_start() does. */
static void pupc_event(unsigned tag, gasp_evttype_t type, ...)
{
    va_list arguments;

    va_start(arguments, type);
    gasp_event_notifyVA(context, tag, type, NULL, 0, 0, arguments);
    va_end(arguments);
}

static void notify_all(double enter, double leave)
{
    at(enter);
    START(NOTIFY, 0, 0);
    at(leave);
    END(NOTIFY, 0, 0);
}

static void wait_for_all(double enter, double leave)
{
    at(enter);
    START(WAIT, 0, 0);
    at(leave);
    END(WAIT, 0, 0);
}

/* Reports a barrier, which Berkeley UPC reports as two calls. */
static void barrier(double enter, double leave)
{
#ifdef BUPC
    notify_all(enter, enter);
    wait_for_all(enter, leave);
#else
    at(enter);
    START(BARRIER, 0, 0);
    at(leave);
    END(BARRIER, 0, 0);
#endif
}

static void run_thread(int argc, char **argv, struct timespec begin, void (*body)(int argc, char **argv))
{
    /* The base is ahead of the collector's clock, because no record may be earlier than that clock. */
    clock_base = ((int64_t)begin.tv_sec + 1000) * 1000000000;
    context = gasp_init(GASP_MODEL_UPC, &argc, &argv);
    body(argc, argv);
    START(COLLECTIVE_EXIT, 0);
    END(COLLECTIVE_EXIT, 0);
    exit(0);
}

/* Runs `body` in THREADS processes, unless a launcher has started them. Returns the exit status of the program. */
static int run_threads(int argc, char **argv, int n, void (*body)(int argc, char **argv))
{
    const char *launched = getenv("OMPI_COMM_WORLD_RANK");
    struct timespec now;
    int status, worst = 0;

    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    THREADS = n;
    if (launched) {
        MYTHREAD = atoi(launched);
        run_thread(argc, argv, now, body);
    }
    for (MYTHREAD = 0; MYTHREAD < n; MYTHREAD++)
        if (fork() == 0)
            run_thread(argc, argv, now, body);
    while (wait(&status) > 0)
        worst |= status;
    return worst != 0;
}
