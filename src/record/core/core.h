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
 * Only libc here, no allocation while recording, no lock on the way of a record. Nothing of this library is visible to
 * the program but the functions that it takes the place of.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#ifdef __x86_64__
#include <x86intrin.h>
#endif

#include "src/record/wire.h"

#pragma GCC visibility push(hidden)

/* A ring as its producer sees it. */
typedef struct {
    XtfWireRing *shared;
    uint8_t *data;    /* mapped twice */
    uint64_t mask;    /* ring_size - 1 */
    uint64_t head;    /* what `shared` will have */
    uint64_t limit;   /* records fit up to here without another look at the tail */
    uint64_t missing; /* records dropped since the last that was written */
    uint32_t depth;   /* of frames, also of those that were dropped */
    uint32_t off;     /* the thread does not record: nested calls of Pcontrol(0) */
} XtfRing;

/* What a thread has of the recorder. */
typedef struct {
    XtfRing *ring; /* NULL: none yet */
    uint32_t busy; /* between begin and end */
} XtfCoreThread;

extern __thread XtfCoreThread xtf_core_thread __attribute__((tls_model("initial-exec")));
/* Whether the process records: it is activated, and neither switched off nor a child that was forked. */
extern bool xtf_core_active;
extern bool xtf_core_clock_is_tsc;
/* What the process and its collector share; NULL before the activation. */
extern XtfWireProcess *xtf_core_process;

/* Makes the memory and the collector; once, further calls do nothing. False: the process goes on without being
 * recorded, and has been told why on stderr. From any thread. */
bool xtf_core_activate(void);
/* The process's number in its job is known, and how many there are (0: no MPI). */
void xtf_core_set_rank(uint32_t rank, uint32_t world_size);
/* Waits, a bounded time, until the collector has packed and committed all that was recorded. */
void xtf_core_drain(void);
/* The process will record no more: MPI_Finalize has been called. Drains. */
void xtf_core_finish(void);
/* An option of `xtf record`, told by the environment: XTF_RECORD_<name>; NULL: not set. */
const char *xtf_core_option(const char *name);
/* Writes one line to stderr, after "xtf record: ". */
void xtf_core_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Records of this thread (MPI_Pcontrol): off and on again. */
void xtf_core_set_recording(bool on);

/* The slow paths of the functions below. */
XtfRing *xtf_core_claim_ring(void);
bool xtf_core_make_room(XtfRing *ring, uint64_t size);

/* Begins what must not be recorded twice. NULL: nothing is to be recorded, and xtf_core_end() is not to be called. */
static inline XtfRing *xtf_core_begin(void)
{
    XtfCoreThread *thread = &xtf_core_thread;

    if (__builtin_expect(!xtf_core_active || thread->busy, 0))
        return NULL;
    XtfRing *ring = thread->ring;
    if (__builtin_expect(!ring, 0)) {
        ring = xtf_core_claim_ring();
        if (!ring)
            return NULL;
    }
    if (__builtin_expect(ring->off, 0))
        return NULL;
    thread->busy = 1;
    return ring;
}

static inline void xtf_core_end(void)
{
    xtf_core_thread.busy = 0;
}

static inline uint64_t xtf_core_now(void)
{
#ifdef __x86_64__
    if (__builtin_expect(xtf_core_clock_is_tsc, 1))
        return __rdtsc();
#endif
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
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

/* At a time that the caller has read from xtf_core_now(). */
static inline void xtf_core_enter_at(XtfRing *ring, uint64_t time, uint32_t region)
{
    ring->depth++;
    xtf_core_put(ring, time, XTF_WIRE_ENTER, region, 0, 0, NULL);
}

static inline void xtf_core_leave_at(XtfRing *ring, uint64_t time, uint32_t region)
{
    ring->depth--;
    xtf_core_put(ring, time, XTF_WIRE_LEAVE, region, 0, 0, NULL);
}

static inline void xtf_core_enter(XtfRing *ring, uint32_t region)
{
    xtf_core_enter_at(ring, xtf_core_now(), region);
}

static inline void xtf_core_leave(XtfRing *ring, uint32_t region)
{
    xtf_core_leave_at(ring, xtf_core_now(), region);
}

/* Appends a definition, in pieces if it is long. */
void xtf_core_define(XtfRing *ring, XtfDefinition what, uint64_t id, const void *data, size_t size);

#pragma GCC visibility pop
