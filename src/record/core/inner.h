/*
 * Functions that the files of the core share.
 *
 * Each function leaves errno alone or has a caller that restores it. None is a cancellation point: the caller may be in
 * the middle of any function of the program.
 */
#pragma once

#include <signal.h>
#include <sys/types.h>

#include "src/record/core/core.h"

#pragma GCC visibility push(hidden)

/* State that every forked child loses: the kernel gives the child a page of zeros. */
typedef struct {
    _Atomic bool active;     /* xtf_core_active is an alias of this field */
    _Atomic bool owns_rings; /* the process was activated itself, and has the rings mapped */
} XtfCoreLife;

/* A descriptor that the recorder opened. The program does not know it, and may close it. */
typedef struct {
    int number; /* -1: none */
    dev_t device;
    ino_t inode;
} XtfCoreDescriptor;

typedef struct {
    XtfWireProcess *process; /* the start of the shared memory */
    XtfWireRing *shared;     /* n_rings of them */
    XtfRing *rings;          /* n_rings of them, in the process's own memory */
    XtfCoreDescriptor memory, socket;
    uint64_t page;
    _Atomic uint32_t threads; /* number of threads that have claimed a ring */
    _Atomic uint32_t made[XTF_WIRE_N_MAKERS];
    _Atomic bool lost;            /* the collector has ended */
    _Atomic bool ringless_warned; /* the program was warned that a thread got no ring */
    uint32_t site_frames;         /* frames of a call site, at most; 0: call sites are not recorded */
    uint32_t expected_rank;       /* the process's number, plus 1, if it is known before the activation; else 0 */
    uint64_t timeout_ns;          /* time that a producer waits for a collector that frees no space */
} XtfCore;

/* ---- state.c */

extern XtfCore xtf_core;
extern XtfCoreLife xtf_core_life;
/* Makes the kernel clear xtf_core_life in forked children. */
void xtf_core_keep_life(void);

/* ---- memory.c */

/* Creates the shared memory and xtf_core.rings, and maps the first ring. On failure writes the reason to stderr and
 * returns false. */
bool xtf_core_make_memory(uint64_t ring_size);
/* Maps ring `index` and allocates its pages. On failure returns false and sets errno. */
bool xtf_core_map_ring(uint32_t index);
void xtf_core_unmake_memory(void);

/* ---- descriptor.c */

/* Moves a descriptor to a high number with close-on-exec. On failure closes it; number is -1 then. */
XtfCoreDescriptor xtf_core_hide(int descriptor);
/* True if the number still refers to the file that the recorder opened. */
bool xtf_core_is_ours(const XtfCoreDescriptor *descriptor);
/* Closes the descriptor, unless the program has closed or replaced it. */
void xtf_core_drop_descriptor(XtfCoreDescriptor *descriptor);

/* ---- file-limit.c: calls that may exceed the limit of file sizes, and must not send SIGXFSZ to the program. */

/* The thread's signals before SIGXFSZ was blocked. */
typedef struct {
    sigset_t before;
    bool was_pending; /* the program's own SIGXFSZ was pending */
} XtfCoreHeldSignal;

/* Blocks SIGXFSZ in this thread until xtf_core_release_size_signal(), which takes the signal back if errno is EFBIG.
 * Neither changes errno. */
XtfCoreHeldSignal xtf_core_hold_size_signal(void);
void xtf_core_release_size_signal(const XtfCoreHeldSignal *held);
/* Writes as write() does, but a file that exceeds the limit of file sizes is an error, EFBIG, and no signal. */
ssize_t xtf_core_write(int descriptor, const void *data, size_t size);

/* ---- clock.c */

/* Chooses the clock, and writes the choice to the shared memory. */
void xtf_core_choose_clock(void);

/* ---- collector.c */

/* Starts the collector; its log goes to `folder`, a descriptor. On failure writes the reason to stderr and returns
 * false. */
bool xtf_core_start_collector(int folder);
/* True if the collector runs, or if the program has closed the socket that would show its end. */
bool xtf_core_collector_lives(void);
/* Stops recording in the process, since the collector has ended. */
void xtf_core_lose_collector(void);
/* Wakes the collector to read the rings at once. */
void xtf_core_wake_collector(void);

/* ---- claim.c */

/* Ensures that the rings of ending threads are closed. */
bool xtf_core_watch_threads(void);

/* ---- room.c */

/* Finds space for `size` bytes in a ring outside a hole; waits for it if the policy says so. Returns false if there is
 * no space. */
bool xtf_core_find_room(XtfRing *ring, uint64_t size);
/* Waits for `need` free bytes, if the policy says so, and leaves a WAITED record pending. Returns false if they are not
 * free. */
bool xtf_core_wait_for_room(XtfRing *ring, uint64_t need);
/* Appends a record, and may use the reserve of the ring. Writes nothing if the ring is full to its last byte. */
void xtf_core_append(XtfRing *ring, uint64_t time, unsigned kind, uint32_t region, uint32_t arg, unsigned n,
                     uint64_t w2);

/* Writes the pending WAITED record, if any. */
void xtf_core_write_waited(XtfRing *ring);

/* ---- hole.c */

enum { XTF_CORE_HOLE_OFF = 1, XTF_CORE_HOLE_FULL = 2 };
void xtf_core_begin_hole(XtfRing *ring, uint32_t hole);
/* Ends the hole if the ring has space, and writes an ENTER for each open frame that has none. */
bool xtf_core_resume(XtfRing *ring);
/* Ends the hole without entering frames: the thread ends, or another hole begins. */
void xtf_core_abandon_hole(XtfRing *ring);

/* Sets `off`, and ends or begins the hole of a thread that this switches on or off. */
void xtf_core_set_off(XtfRing *ring, uint32_t off);

/* ---- site.c */

/* Sets the greatest number of frames of a call site; 0: call sites are not recorded. */
void xtf_core_set_site_frames(uint64_t n);

/* ---- window.c */

/* Returns the XtfCoreOff bits of a new thread. */
uint32_t xtf_core_window_off(void);
/* Begins the window of --start off, since the program has switched recording on. */
void xtf_core_window_begin_by_program(void);
/* Begins a window that waits for its time alone, if the time is over. */
void xtf_core_window_look(void);
/* Publishes the window's state in the shared memory. */
void xtf_core_window_publish(void);

/* ---- fork.c */

/* Stops recording in forked children. */
void xtf_core_watch_forks(void);

/* ---- wait.c: futexes shared between processes, with timeouts. */

void xtf_core_futex_wait(_Atomic uint32_t *word, uint32_t value, uint64_t nanoseconds);
void xtf_core_futex_wake(_Atomic uint32_t *word);

/* Bytes of a ring that are reserved for the records that keep frames balanced when the ring is full; least size of a
 * ring. */
enum { XTF_CORE_RESERVE = 16 * XTF_CORE_STACK + 256, XTF_CORE_RING_SIZE_MIN = 65536 };

#pragma GCC visibility pop
