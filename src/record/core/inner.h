/*
 * What the files of the core share.
 *
 * Each function here leaves errno alone or is called by one that restores it, and none is a cancellation point: who
 * calls them may be in the middle of any function of the program.
 */
#pragma once

#include <sys/types.h>

#include "src/record/core/core.h"

#pragma GCC visibility push(hidden)

/* What is gone in a child that was forked, however it was: the page is made anew for it, all zero. */
typedef struct {
    _Atomic bool active; /* xtf_core_active is this */
    _Atomic bool mine;   /* the process is the one that was activated */
} XtfCoreLife;

/* A descriptor that the program does not know of, and may close. */
typedef struct {
    int number; /* -1: there is none */
    dev_t device;
    ino_t inode;
} XtfCoreDescriptor;

typedef struct {
    XtfWireProcess *process; /* the start of the shared memory */
    XtfWireRing *shared;     /* n_rings */
    XtfRing *rings;          /* n_rings, private */
    XtfCoreDescriptor memory, socket;
    uint64_t page;
    _Atomic uint32_t threads; /* that have claimed a ring */
    _Atomic uint32_t made[XTF_WIRE_N_MAKERS];
    _Atomic bool lost;          /* the collector is gone */
    _Atomic bool ringless_said; /* that there was no ring for a thread */
    uint64_t patience;          /* ns that a producer waits for a collector that does nothing */
} XtfCore;

/* state.c */
extern XtfCore xtf_core;
extern XtfCoreLife xtf_core_life;
/* Makes xtf_core_life vanish in children. */
void xtf_core_keep_life(void);

/* memory.c: makes the shared memory with no ring mapped, and xtf_core.rings. False: told why. */
bool xtf_core_make_memory(uint64_t ring_size);
/* Maps ring `index` and makes sure that its pages are there. False: with errno. */
bool xtf_core_map_ring(uint32_t index);
void xtf_core_unmake_memory(void);

/* descriptor.c: moves a descriptor to a high number, closed at exec. On failure it is closed. */
XtfCoreDescriptor xtf_core_hide(int descriptor);
/* Whether it is still what it was. */
bool xtf_core_is_ours(const XtfCoreDescriptor *descriptor);
/* Closes it, if it is still ours. */
void xtf_core_drop_descriptor(XtfCoreDescriptor *descriptor);

/* clock.c: chooses the clock, and says so in the shared memory. */
void xtf_core_choose_clock(void);

/* collector.c: starts the collector, whose log goes to the folder that is open. False: told why. */
bool xtf_core_start_collector(int folder);
/* Whether it runs, as far as can be told. */
bool xtf_core_collector_lives(void);
/* The collector is gone: the process records no more. */
void xtf_core_lose_collector(void);
/* Lets the collector look at the rings at once. */
void xtf_core_wake_collector(void);

/* claim.c: sees to it that rings of threads that end are closed. */
bool xtf_core_watch_threads(void);

/* room.c */
/* Room for `size` bytes in a ring that is in no hole, waiting if that is the policy. False: there is none. */
bool xtf_core_find_room(XtfRing *ring, uint64_t size);
/* Waits for so many bytes, if that is the policy; a WAITED record is due then. False: they are not there. */
bool xtf_core_wait_for_room(XtfRing *ring, uint64_t need);
/* Writes into what is kept for keeping frames balanced. */
void xtf_core_append(XtfRing *ring, uint64_t time, unsigned kind, uint32_t region, uint32_t arg, unsigned n,
                     uint64_t w2);

/* Writes the WAITED record that is due. */
void xtf_core_tell_of_waiting(XtfRing *ring);

/* hole.c */
enum { XTF_CORE_HOLE_OFF = 1, XTF_CORE_HOLE_FULL = 2 };
void xtf_core_begin_hole(XtfRing *ring, uint32_t hole);
/* Ends it if there is room for it, entering the frames that are open. */
bool xtf_core_resume(XtfRing *ring);
/* Ends it for a thread that ends. */
void xtf_core_abandon_hole(XtfRing *ring);

/* fork.c: sees to it that children that are forked do not record. */
void xtf_core_watch_forks(void);

/* wait.c: futexes across processes. The times are bounds in ns. */
void xtf_core_futex_wait(_Atomic uint32_t *word, uint32_t value, uint64_t nanoseconds);
void xtf_core_futex_wake(_Atomic uint32_t *word);

/* At least so many bytes of a ring are kept for what keeps its frames balanced when it is full. */
enum { XTF_CORE_RESERVE = 16 * XTF_CORE_STACK + 256, XTF_CORE_RING_SIZE_MIN = 65536 };

#pragma GCC visibility pop
