/*
 * The core of the recorder, in the traced process: its rings, its clock, its collector.
 *
 * Front ends (mpi/, regions/) turn calls into records with the functions below. A wrapper of a function has this form:
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
 * Between begin and end, calls of the same thread are not recorded: MPI libraries call their own functions, and signal
 * handlers run at any instant. Wrappers leave errno as the original function left it.
 *
 * The core uses libc only. Writing into a ring neither allocates memory nor takes a lock. Front ends do both, but
 * rarely: their tables grow, and threads share some of them. The library exports no symbols to the program except the
 * functions that it replaces.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#ifdef __x86_64__
#include <x86intrin.h>
#endif

#include "src/record/nanoseconds.h"
#include "src/record/stack/walk.h"
#include "src/record/wire.h"

#pragma GCC visibility push(hidden)

/* Maximum number of open frames whose regions a ring stores. */
enum { XTF_CORE_STACK = 512 };

enum { XTF_CORE_SITES = 256 }; /* call sites that a ring remembers */

/* A call site. `key`: its address and region, see xtf_core_site(). */
typedef struct {
    _Atomic uint64_t key;
    uint64_t number; /* number of the site, as in its XTF_DEFINE_SITE; 0: sites are not recorded */
} XtfCoreSite;

/* A call from a site of several frames. */
typedef struct {
    _Atomic uint64_t key; /* address and region, as the key of an XtfCoreSite has them; 0: none */
    uint32_t number;
    XtfStackTrail trail;
} XtfCoreStack;

/* The producer's side of a ring. Front ends read `depth` and own `regions`; the core owns the other fields. */
typedef struct {
    XtfWireRing *shared;
    _Atomic uint64_t *list; /* XTF_WIRE_LIST_SIZE ids of requests, for the collector; NULL: the ring has no list */
    uint8_t *data;          /* the ring's bytes, mapped twice in a row */
    uint64_t mask;          /* ring_size - 1 */
    uint64_t head;          /* the producer's copy of shared->head */
    uint64_t limit;         /* records fit up to this position without another read of the tail */
    uint32_t depth;         /* number of open frames, recorded or not */
    uint32_t off;           /* XtfCoreOff bits: reasons why the thread does not record, or may soon not record */

    uint32_t kept_off; /* `off`, while xtf_core_force_on() keeps the thread on */
    uint32_t hole;     /* 0, or XTF_CORE_HOLE_...: the ring takes only the records that keep frames balanced */
    uint32_t written;  /* in a hole: number of open frames whose ENTER is in the ring, always the outermost */
    uint64_t missing;  /* in a hole: number of records left out */
    uint64_t waited_from, waited_until; /* interval of the pending WAITED record; 0: none */
    void *regions;                      /* a front end's data for the thread; NULL when a thread claims the ring */
    uint32_t stack[XTF_CORE_STACK];     /* regions of the open frames */
    XtfCoreSite sites[XTF_CORE_SITES];  /* the latest call sites, each at a place that its address determines; unused if
                                           sites have several frames */
    /* Sites of several frames: */
    XtfStackBounds stack_bounds; /* of the thread; unknown before its first one */
    XtfCoreStack *stacks;        /* the latest ones, by call address; NULL: no memory, or none yet */
    uint32_t next_stack;         /* number of the remembered stack of a call address that is replaced next */
} XtfRing;

/* Reasons in XtfRing.off. While TIMED alone is set, the thread records, and looks at each record whether it is
 * still to record. */
typedef enum {
    XTF_CORE_OFF_BY_PROGRAM = 1, /* MPI_Pcontrol(0), XTF_RECORDING_OFF() */
    XTF_CORE_OFF_BEFORE = 2,     /* the window of --start off or --from has not begun */
    XTF_CORE_OFF_AFTER = 4,      /* the window of --for has ended */
    XTF_CORE_TIMED = 8,          /* the window will end, or --ranks waits for the process's rank */
    XTF_CORE_OFF_RANK = 16,      /* --ranks does not name the process, also between MPI_Init and MPI_Finalize */
} XtfCoreOff;

/* State of the recorder in one thread. */
typedef struct {
    XtfRing *ring; /* NULL: none yet */
    uint32_t busy; /* a value of XtfCoreBusy */
    bool is_mpis;  /* true if the MPI library created the thread for its own use */
} XtfCoreThread;

typedef enum {
    XTF_CORE_IDLE,
    XTF_CORE_BUSY,    /* between xtf_core_begin() and xtf_core_end() */
    XTF_CORE_REFUSED, /* no ring was free: the thread is not recorded and does not ask again */
} XtfCoreBusy;

extern __thread XtfCoreThread xtf_core_thread __attribute__((tls_model("initial-exec")));
/* True while the process records: it is activated, has its collector, and is not a forked child. */
extern _Atomic bool xtf_core_active;
extern bool xtf_core_clock_is_tsc;
/* True if a front end calls xtf_core_set_rank(). The front end defines the variable as true and so overrides the core's
 * weak definition. A constructor would set it too late: constructors of a preloaded library run last, and constructors
 * of other libraries may enter regions before. */
extern const bool xtf_core_awaits_rank;
/* True if the process has an MPI library. The MPI front end overrides the core's weak definition. */
bool xtf_core_has_mpi(void);
/* The first page of the shared memory. NULL until the process is activated. */
extern XtfWireProcess *xtf_core_process;
/* XtfWireChoices of the process's own regions, XTF_WIRE_CHOICES of them; NULL until the process is activated. */
extern _Atomic uint8_t *xtf_core_choices;

/* Creates the shared memory and starts the collector on the first call; later calls return the result of the first.
 * Returns false if the process is not recorded. If XTF_RECORD_FOLDER is set, the reason is on stderr then. Any thread
 * may call it. */
bool xtf_core_activate(void);
/* Sets the process's number in its job, before the process is activated: the collector then knows it from the start. */
void xtf_core_expect_rank(uint32_t rank);
/* Sets the process's number in its job, and the number of processes in the job (0: no MPI). */
void xtf_core_set_rank(uint32_t rank, uint32_t world_size);
/* Counts a thread that `maker`, the program or OpenMP, has created; for the collector. Works before the process is
 * activated, too. */
void xtf_core_count_thread(XtfWireMaker maker);
/* Waits, with a timeout, until the collector has committed all records written so far. */
void xtf_core_drain(void);
/* Notes that MPI_Finalize was called, and drains. The collector still takes later records. */
void xtf_core_finish(void);
/* Returns an option of `xtf record`, the environment variable XTF_RECORD_<name>; NULL: not set, or empty. */
const char *xtf_core_option(const char *name);
/* Returns an option that is a number of milliseconds, as `xtf record` passes times: "1500ms". 0: not set, or no time.
 */
uint64_t xtf_core_milliseconds(const char *name);
/* Writes one line to stderr, after "xtf record: ". */
void xtf_core_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Writes to stderr why the process is not recorded, and the same to the process's log in the job folder. */
void xtf_core_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Switches recording of this thread off or on (MPI_Pcontrol). Frames stay balanced in the trace. A frame that ends
 * while recording is off still gets its LEAVE. A frame entered meanwhile gets its ENTER when recording is on again. A
 * call between begin and end, from a signal handler, does nothing and counts as nested. */
void xtf_core_set_recording(bool on);

/* Records this thread, which may be switched off, until xtf_core_end_force(): for MPI_Init and MPI_Finalize. The caller
 * is between begin and end. */
void xtf_core_force_on(XtfRing *ring);
/* Ends xtf_core_force_on(). The caller is not between begin and end. */
void xtf_core_end_force(void);

/*
 * The window of the run that is recorded: --start off, --from, --for. With --start off it begins when a thread switches
 * recording on, with --from after a time. It ends a time after its begin. Each thread looks for both when it begins a
 * record, so a window that neither waits nor ends costs nothing.
 */

/* Reads the options, once. */
void xtf_core_window_set_up(void);
/* True if the window waits for its time, and has not begun. */
bool xtf_core_window_waits(void);
/* True if the time of --from is over. */
bool xtf_core_window_is_due(void);
/* Decides by --ranks whether the process, whose rank is known now, is recorded. */
void xtf_core_window_set_rank(uint32_t rank);
/* Decides who begins the window of --from: xtf_core_window_begin(), which the front end calls in all processes at one
 * point, or the time. By default it is the time, but in a process with MPI only after MPI_Init. */
void xtf_core_window_set_together(bool together);
void xtf_core_window_begin(void);

static inline bool xtf_core_is_off(const XtfRing *ring)
{
    return ring->off & ~(uint32_t)XTF_CORE_TIMED;
}

/* Slow paths of the functions below. */

/* Switches a thread whose `off` is not 0 on or off, as the window has begun or ended. Returns true if the thread
 * records. The caller is between begin and end. */
bool xtf_core_follow_window(XtfRing *ring);

XtfRing *xtf_core_claim_ring(void);
void xtf_core_count_nested(void);
bool xtf_core_make_room(XtfRing *ring, uint64_t size);
uint32_t xtf_core_find_site(XtfRing *ring, XtfCoreSite *place, uint32_t region, uintptr_t address, const void *frame);
uint64_t xtf_core_enter_slowly(XtfRing *ring, uint64_t time, uint32_t region, uint32_t site); /* time 0: now */
void xtf_core_leave_slowly(XtfRing *ring, uint64_t time, uint32_t region);

/* Begins a recorded call, also in a thread whose recording is off. For callers that enter and leave a frame between
 * different pairs of begin and end: the ring must count their frames in any case. Returns NULL if nothing is recorded;
 * the caller must not call xtf_core_end() then. */
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

/* Begins a recorded call that enters and leaves its frames before xtf_core_end(). Returns NULL if nothing is recorded,
 * also in a thread whose recording is off. */
static inline XtfRing *xtf_core_begin(void)
{
    XtfRing *ring = xtf_core_begin_frame();

    if (__builtin_expect(ring && ring->off, 0) && !xtf_core_follow_window(ring)) {
        xtf_core_end();
        return NULL;
    }
    return ring;
}

#ifdef XTF_CORE_TEST_CLOCK
/* Returns the time of a clock with an error that a test of the recorder sets. Only tests build modules with it. */
uint64_t xtf_core_test_now(void);
#endif

static inline uint64_t xtf_core_now(void)
{
#ifdef XTF_CORE_TEST_CLOCK
    return xtf_core_test_now();
#endif
#ifdef __x86_64__
    if (__builtin_expect(xtf_core_clock_is_tsc, 1))
        return __rdtsc();
#endif
    return xtf_monotonic_ns();
}

/* Returns space for a record of n_words words, which xtf_core_publish() makes visible. Returns NULL if the ring has no
 * space; the record counts as missing then. */
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

/* Publishes the region that the thread is in, for the collector. */
static inline void xtf_core_show(XtfRing *ring, uint64_t time, uint32_t region)
{
    atomic_store_explicit(&ring->shared->region, region, memory_order_relaxed);
    atomic_store_explicit(&ring->shared->since, time, memory_order_relaxed);
}

/* Publishes which message the call entered at `time` waits for; XTF_WIRE_NONE: any, or none. `requests`: as in an
 * XtfWireRing. */
static inline void xtf_core_show_awaited(XtfRing *ring, uint64_t time, uint32_t peer, uint32_t tag, uint32_t comm,
                                         uint32_t requests)
{
    atomic_store_explicit(&ring->shared->peer, peer, memory_order_relaxed);
    atomic_store_explicit(&ring->shared->tag, tag, memory_order_relaxed);
    atomic_store_explicit(&ring->shared->comm, comm, memory_order_relaxed);
    atomic_store_explicit(&ring->shared->requests, requests, memory_order_relaxed);
    atomic_store_explicit(&ring->shared->called, time, memory_order_release);
}

/* Publishes the same of a call that completes requests. `request`: the id of the only one; 0: not known. */
static inline void xtf_core_show_requests(XtfRing *ring, uint64_t time, uint32_t peer, uint32_t tag, uint32_t comm,
                                          uint32_t requests, uint64_t request)
{
    atomic_store_explicit(&ring->shared->request, request, memory_order_relaxed);
    xtf_core_show_awaited(ring, time, peer, tag, comm, requests);
}

/* Publishes the same of a collective operation with a root. */
static inline void xtf_core_show_root(XtfRing *ring, uint64_t time, uint32_t root, uint32_t comm)
{
    xtf_core_show_awaited(ring, time, root, XTF_WIRE_NONE, comm, XTF_WIRE_ROOTED);
}

/* Publishes the same of a call that receives a message and sends one. */
static inline void xtf_core_show_both(XtfRing *ring, uint64_t time, uint32_t peer, uint32_t tag, uint32_t comm,
                                      uint32_t dest, uint32_t sendtag)
{
    atomic_store_explicit(&ring->shared->dest, dest, memory_order_relaxed);
    atomic_store_explicit(&ring->shared->sendtag, sendtag, memory_order_relaxed);
    xtf_core_show_awaited(ring, time, peer, tag, comm, XTF_WIRE_BOTH);
}

/* Returns the number of the call site of `region` with that return address; 0: sites are not recorded. The address is
 * the caller's, or that of a function around it. Defines the site in the ring if it is new. User addresses have fewer
 * than 54 bits, and regions with sites fewer than 10. */
static inline __attribute__((always_inline)) uint32_t xtf_core_site(XtfRing *ring, uint32_t region, const void *address)
{
    uintptr_t at = (uintptr_t)__builtin_extract_return_addr((void *)address);
    XtfCoreSite *place = &ring->sites[(at ^ at >> 8) & (XTF_CORE_SITES - 1)];

    if (__builtin_expect(atomic_load_explicit(&place->key, memory_order_relaxed) == (at ^ (uint64_t)region << 54), 1))
        return (uint32_t)place->number;
    return xtf_core_find_site(ring, place, region, at, __builtin_frame_address(0));
}

/* Appends an ENTER without checking for space. */
static inline void xtf_core_push_frame(XtfRing *ring, uint64_t time, uint32_t region, uint32_t site)
{
    uint64_t *word = (uint64_t *)(ring->data + (ring->head & ring->mask));

    ring->stack[ring->depth++] = region;
    word[0] = time;
    word[1] = xtf_core_word1(XTF_WIRE_ENTER, region, site);
    xtf_core_publish(ring, 2);
    xtf_core_show(ring, time, region);
}

/* Appends an ENTER of a call from a site, and returns its time, which is later than any wait for space. */
static inline uint64_t xtf_core_enter_from(XtfRing *ring, uint32_t region, uint32_t site)
{
    if (__builtin_expect(ring->head + 16 > ring->limit || ring->depth >= XTF_CORE_STACK, 0))
        return xtf_core_enter_slowly(ring, 0, region, site);
    uint64_t now = xtf_core_now();
    xtf_core_push_frame(ring, now, region, site);
    return now;
}

/* Appends an ENTER of a region that has no call site, as xtf_core_enter_from() does. */
static inline uint64_t xtf_core_enter(XtfRing *ring, uint32_t region)
{
    return xtf_core_enter_from(ring, region, 0);
}

/* Appends an ENTER with a time that the caller has read from xtf_core_now() before it decided to record the call. If
 * the ring had no space, records before the ENTER may have later times. */
static inline void xtf_core_enter_at(XtfRing *ring, uint64_t time, uint32_t region, uint32_t site)
{
    if (__builtin_expect(ring->head + 16 > ring->limit || ring->depth >= XTF_CORE_STACK, 0))
        xtf_core_enter_slowly(ring, time, region, site);
    else
        xtf_core_push_frame(ring, time, region, site);
}

/* Appends a LEAVE, unless no frame is open. */
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

/* Appends a definition, in pieces if it is long, also in a thread whose recording is off. Returns false if the ring had
 * no space within the timeout, or the collector has ended. Some pieces may be in the ring then. The collector ignores
 * an incomplete definition, so the caller must define all of it again. */
bool xtf_core_define(XtfRing *ring, XtfDefinition kind, uint64_t id, const void *data, size_t size);

/* Finds the object file that contains an address. Writes its path, up to PATH_MAX bytes with the end, or "". Returns
 * what the loader added to the file's addresses. *in_program: the file is the program itself; may be NULL. */
uintptr_t xtf_core_find_module(uintptr_t address, char *path, bool *in_program);
/* Forgets the call sites whose address `keeps` denies, since other code may be loaded there. */
void xtf_core_forget_sites(bool (*keeps)(const void *data, uintptr_t address), const void *data);
/* True if any call site was recorded. */
bool xtf_core_has_sites(void);

/* Writes as pwrite() does, but a file that exceeds the limit of file sizes is an error, EFBIG, and no signal. */
ssize_t xtf_core_pwrite(int descriptor, const void *data, size_t size, off_t offset);

#pragma GCC visibility pop
