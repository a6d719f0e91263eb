/*
 * The core of the recorder, in the traced process: its rings, its clock, its collector.
 *
 * Front ends (mpi/, regions/) turn calls into records with the functions below. A wrapper of a function looks so:
 *
 *     XtfRing *ring = xtf_core_begin();
 *     if (!ring)
 *         return original(...);
 *     xtf_core_enter(ring, REGION);
 *     result = original(...);
 *     xtf_core_leave(ring, REGION);
 *     xtf_core_end();
 *     return result;
 *
 * Between begin and end whatever the thread calls is not recorded a second time: MPI libraries call themselves, and
 * signal handlers come at any instant. errno is the program's: wrappers leave it as the original left it.
 *
 * Only libc here. What the core writes into a ring takes neither memory nor a lock; front ends take both, rarely:
 * tables that grow, locks of tables that threads share. Nothing of this library is visible to the program but the
 * functions that it takes the place of.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __x86_64__
#include <x86intrin.h>
#endif

#include "src/record/nanoseconds.h"
#include "src/record/wire.h"

#pragma GCC visibility push(hidden)

/* Open frames whose regions a ring remembers. */
enum { XTF_CORE_STACK = 512 };

/* A ring as its producer sees it. Front ends read `depth` and own `regions`; the rest is ring.c's. */
typedef struct {
    XtfWireRing *shared;
    uint8_t *data;  /* mapped twice */
    uint64_t mask;  /* ring_size - 1 */
    uint64_t head;  /* what `shared` will have */
    uint64_t limit; /* records fit up to here without another look at the tail */
    uint32_t depth; /* of frames that are open, recorded or not */
    uint32_t off;   /* the thread does not record, on purpose */

    uint32_t hole;    /* nothing is recorded but what keeps the frames balanced: 0, or 1 + the reason (ring.c) */
    uint32_t written; /* in a hole: open frames whose ENTER is in the ring. They are the outermost ones */
    uint64_t missing; /* in a hole: records left out */
    uint64_t waited_from, waited_until; /* of a WAITED record that is still to be written; 0: none */
    void *regions;                      /* what a front end keeps for the thread; NULL when a thread claims the ring */
    uint32_t stack[XTF_CORE_STACK];     /* regions of the open frames */
} XtfRing;

/* What a thread has of the recorder. */
typedef struct {
    XtfRing *ring; /* NULL: none yet */
    uint32_t busy; /* XtfCoreBusy */
    bool is_mpis;  /* MPI has created it for itself */
} XtfCoreThread;

typedef enum {
    XTF_CORE_IDLE,
    XTF_CORE_BUSY,    /* between begin and end */
    XTF_CORE_REFUSED, /* there was no ring for the thread: it is not recorded, and asks for none again */
} XtfCoreBusy;

extern __thread XtfCoreThread xtf_core_thread __attribute__((tls_model("initial-exec")));
/* Whether the process records: it is activated, has its collector, and is no child that was forked. */
extern _Atomic bool xtf_core_active;
extern bool xtf_core_clock_is_tsc;
/* Whether there is a front end that calls xtf_core_set_rank(). The front end defines this as true, and the core's own
 * definition, which is weak, gives way: a constructor would set it too late for regions that constructors of libraries
 * enter, since those of a library that is preloaded come last. */
extern const bool xtf_core_awaits_rank;
/* True if the process has a library of MPI. The front end of MPI defines it; the core's own definition is weak, too. */
bool xtf_core_has_mpi(void);
/* The first page of the shared memory. NULL until the process is activated. */
extern XtfWireProcess *xtf_core_process;
/* XtfWireChoices of the process's own regions, XTF_WIRE_CHOICES of them; NULL until the process is activated. */
extern _Atomic uint8_t *xtf_core_choices;

/* Makes the memory and the collector; once, further calls tell what became of the first. False: the process goes on
 * without being recorded; where XTF_RECORD_FOLDER is set it has been told why on stderr. From any thread. */
bool xtf_core_activate(void);
/* The process's number in its job is known, and how many there are (0: no MPI). */
void xtf_core_set_rank(uint32_t rank, uint32_t world_size);
/* Counts a thread that is created, for the collector; also before the process is activated. */
void xtf_core_count_thread(XtfWireMaker maker);
/* Waits, a bounded time, until the collector has packed and committed all that was recorded. */
void xtf_core_drain(void);
/* MPI_Finalize has been called. Drains. What is recorded behind it is still taken. */
void xtf_core_finish(void);
/* An option of `xtf record`, told by the environment: XTF_RECORD_<name>; NULL: not set. */
const char *xtf_core_option(const char *name);
/* Writes one line to stderr, after "xtf record: ". */
void xtf_core_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same, of why the process is not recorded: also into a log in the folder of the job, for who looks at that. */
void xtf_core_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Records of this thread (MPI_Pcontrol): off and on again. Frames stay balanced: those that are open and end while it
 * is off are left in the trace, those that are open when it is on again are entered. Not between begin and end, where a
 * signal handler may call it: there it does nothing, and is counted as what is nested. */
void xtf_core_set_recording(bool on);

/* The slow paths of the functions below. */
XtfRing *xtf_core_claim_ring(void);
void xtf_core_count_nested(void);
bool xtf_core_make_room(XtfRing *ring, uint64_t size);
uint64_t xtf_core_enter_slowly(XtfRing *ring, uint64_t time, uint32_t region); /* time 0: now */
void xtf_core_leave_slowly(XtfRing *ring, uint64_t time, uint32_t region);

/* Begins what must not be recorded twice, also where the thread's records are off: frames must be told of all the same
 * by who enters and leaves them between different pairs of begin and end. NULL: nothing is to be told, and
 * xtf_core_end() is not to be called. */
static inline XtfRing *xtf_core_begin_frame(void)
{
    XtfCoreThread *thread = &xtf_core_thread;

    if (__builtin_expect(!atomic_load_explicit(&xtf_core_active, memory_order_acquire), 0))
        return NULL;
    if (__builtin_expect(thread->busy, 0)) {
        xtf_core_count_nested();
        return NULL;
    }
    XtfRing *ring = thread->ring;
    if (__builtin_expect(!ring, 0)) {
        ring = xtf_core_claim_ring();
        if (!ring)
            return NULL;
    }
    thread->busy = XTF_CORE_BUSY;
    atomic_signal_fence(memory_order_acq_rel);
    return ring;
}

static inline void xtf_core_end(void)
{
    atomic_signal_fence(memory_order_acq_rel);
    xtf_core_thread.busy = XTF_CORE_IDLE;
}

/* The same for who enters and leaves frames between begin and end only. NULL also where the thread's records are off.
 */
static inline XtfRing *xtf_core_begin(void)
{
    XtfRing *ring = xtf_core_begin_frame();

    if (__builtin_expect(ring && ring->off, 0)) {
        xtf_core_end();
        return NULL;
    }
    return ring;
}

static inline uint64_t xtf_core_now(void)
{
#ifdef __x86_64__
    if (__builtin_expect(xtf_core_clock_is_tsc, 1))
        return __rdtsc();
#endif
    return xtf_monotonic_ns();
}

/* Room for a record of so many words, which xtf_core_publish() makes visible; NULL: there is none, the record is
 * counted as missing. */
static inline uint64_t *xtf_core_reserve(XtfRing *ring, unsigned n_words)
{
    uint64_t size = 8 * (uint64_t)n_words;

    if (__builtin_expect(ring->head + size > ring->limit, 0) && !xtf_core_make_room(ring, size))
        return NULL;
    return (uint64_t *)(ring->data + (ring->head & ring->mask));
}

static inline void xtf_core_publish(XtfRing *ring, unsigned n_words)
{
    ring->head += 8 * (uint64_t)n_words;
    atomic_store_explicit(&ring->shared->head, ring->head, memory_order_release);
}

static inline uint64_t xtf_core_word1(unsigned kind, uint32_t region, uint32_t arg)
{
    return kind | (uint64_t)(region & 0xffffff) << 8 | (uint64_t)arg << 32;
}

/* Appends a record of 2 + n words; `more` are the words from w2 on. `kind` is XTF_WIRE_.... */
static inline void xtf_core_put(XtfRing *ring, uint64_t time, unsigned kind, uint32_t region, uint32_t arg, unsigned n,
                                const uint64_t *more)
{
    uint64_t *word = xtf_core_reserve(ring, 2 + n);

    if (!word)
        return;
    word[0] = time;
    word[1] = xtf_core_word1(kind, region, arg);
    for (unsigned i = 0; i < n; i++)
        word[2 + i] = more[i];
    xtf_core_publish(ring, 2 + n);
}
/* xtf_core_record(ring, time, XTF_WIRE_SEND, 0, peer, comm_and_tag, bytes): the words one by one. */
#define xtf_core_record(ring, time, kind, region, arg, ...)                                     \
    xtf_core_put(ring, time, kind, region, arg, sizeof((uint64_t[]){0, ##__VA_ARGS__}) / 8 - 1, \
                 (uint64_t[]){0, ##__VA_ARGS__} + 1)

static inline uint64_t xtf_core_pair(uint32_t low, uint32_t high)
{
    return low | (uint64_t)high << 32;
}

/* Tells who watches what the thread is in. */
static inline void xtf_core_show(XtfRing *ring, uint64_t time, uint32_t region)
{
    atomic_store_explicit(&ring->shared->region, region, memory_order_relaxed);
    atomic_store_explicit(&ring->shared->since, time, memory_order_relaxed);
}

/* Tells what the call that was entered at `time` waits for; XTF_WIRE_NONE: any, or none. */
static inline void xtf_core_show_awaited(XtfRing *ring, uint64_t time, uint32_t peer, uint32_t tag, uint32_t comm)
{
    atomic_store_explicit(&ring->shared->peer, peer, memory_order_relaxed);
    atomic_store_explicit(&ring->shared->tag, tag, memory_order_relaxed);
    atomic_store_explicit(&ring->shared->comm, comm, memory_order_relaxed);
    atomic_store_explicit(&ring->shared->called, time, memory_order_release);
}

/* Appends an ENTER without a look at the room for it. */
static inline void xtf_core_push_frame(XtfRing *ring, uint64_t time, uint32_t region)
{
    uint64_t *word = (uint64_t *)(ring->data + (ring->head & ring->mask));

    ring->stack[ring->depth++] = region;
    word[0] = time;
    word[1] = xtf_core_word1(XTF_WIRE_ENTER, region, 0);
    xtf_core_publish(ring, 2);
    xtf_core_show(ring, time, region);
}

/* The time of the ENTER, which is behind any waiting for room. */
static inline uint64_t xtf_core_enter(XtfRing *ring, uint32_t region)
{
    if (__builtin_expect(ring->head + 16 > ring->limit || ring->depth >= XTF_CORE_STACK, 0))
        return xtf_core_enter_slowly(ring, 0, region);
    uint64_t now = xtf_core_now();
    xtf_core_push_frame(ring, now, region);
    return now;
}

/* At a time that the caller has read from xtf_core_now(), for calls that turn out to be worth a record. Where there was
 * no room the records before it may have later times. */
static inline void xtf_core_enter_at(XtfRing *ring, uint64_t time, uint32_t region)
{
    if (__builtin_expect(ring->head + 16 > ring->limit || ring->depth >= XTF_CORE_STACK, 0))
        xtf_core_enter_slowly(ring, time, region);
    else
        xtf_core_push_frame(ring, time, region);
}

/* A LEAVE without its ENTER is left out. */
static inline void xtf_core_leave_at(XtfRing *ring, uint64_t time, uint32_t region)
{
    if (__builtin_expect(ring->head + 16 > ring->limit || ring->depth - 1 >= XTF_CORE_STACK, 0)) {
        xtf_core_leave_slowly(ring, time, region);
        return;
    }
    uint64_t *word = (uint64_t *)(ring->data + (ring->head & ring->mask));
    ring->depth--;
    word[0] = time;
    word[1] = xtf_core_word1(XTF_WIRE_LEAVE, region, 0);
    xtf_core_publish(ring, 2);
    xtf_core_show(ring, time, ring->depth ? ring->stack[ring->depth - 1] : 0);
}

static inline void xtf_core_leave(XtfRing *ring, uint32_t region)
{
    xtf_core_leave_at(ring, xtf_core_now(), region);
}

/* Appends a definition, in pieces if it is long; also where the thread's records are off. False: there is no room, for
 * longer than a while, or no collector. Some of its pieces may be there then: it is defined again, all of it, or never
 * known. */
bool xtf_core_define(XtfRing *ring, XtfDefinition what, uint64_t id, const void *data, size_t size);

#pragma GCC visibility pop
