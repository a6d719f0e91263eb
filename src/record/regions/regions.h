/*
 * The process's own regions. They are parts of the program that it names itself (user.h), functions that the compiler
 * instrumented, and functions of libraries that this room wraps.
 *
 * A region's index is below XTF_WIRE_CHOICES; records have XTF_WIRE_REGIONS_OWN + index. Indices below
 * XTF_REGIONS_NAMED are of regions with a name (names.c), in the order of their first use. All other indices are of
 * functions of which only the address is known (addresses.c): the index is the place in the table of addresses.
 *
 * Each thread defines a region in its own ring before it first enters it there, so rings may be read in any order.
 *
 * A thread counts its open calls of each region. So a LEAVE is recorded if and only if its ENTER was. It does not
 * matter whether the collector's filter, the brake or the program switches recording off in between. Calls that are
 * left by longjmp() stay open: their region is then always recorded in this thread.
 *
 * Callers call xtf_core_begin() before functions that have a ring as parameter, and xtf_core_end() afterwards. So
 * neither signal handlers nor the functions' own calls get here a second time.
 */
#pragma once

#include "src/record/core/core.h"

#pragma GCC visibility push(hidden)

enum {
    XTF_REGIONS_NAMED = 1 << 16,
    XTF_REGIONS_ADDRESSES = XTF_WIRE_CHOICES - XTF_REGIONS_NAMED,
    XTF_REGIONS_NONE = UINT32_MAX, /* no index: tables are full */
};

/* Indices in xtf_region_roles and xtf_paradigm_names. */
enum {
    XTF_REGIONS_ROLE_FUNCTION = 1,
    XTF_REGIONS_ROLE_CODE = 4,
    XTF_REGIONS_ROLE_THREAD_CREATE = 32,
    XTF_REGIONS_ROLE_THREAD_WAIT = 33,
};
enum { XTF_REGIONS_PARADIGM_USER = 1, XTF_REGIONS_PARADIGM_PTHREAD = 7 };

/* A thread's state of a region. */
typedef struct {
    uint32_t open;  /* calls whose ENTER was recorded, and whose LEAVE was not */
    uint32_t left;  /* calls until the brake looks at the clock; 0: the region is not defined in this thread */
    uint64_t since; /* when the brake last looked: ns of CLOCK_MONOTONIC */
} XtfRegionCalls;

/* An XtfWireChoice for each index; set before any xtf_regions_calls is. */
extern _Atomic uint8_t *xtf_regions_choices;
/* State of each region in this thread, by index; NULL: not allocated yet. */
extern __thread XtfRegionCalls *xtf_regions_calls __attribute__((tls_model("initial-exec")));

enum { XTF_REGIONS_SCRATCH = 16384 };
/* Returns XTF_REGIONS_SCRATCH bytes of the thread's memory, which follow xtf_regions_calls; that must not be NULL. They
 * are for data too large for the small stacks that threads and signal handlers may have. */
static inline void *xtf_regions_scratch(void)
{
    return xtf_regions_calls + XTF_WIRE_CHOICES;
}

/* Activates the core if the program has asked for a record. Tries once. Returns true if the core is active then. */
bool xtf_regions_start(void);
bool xtf_regions_make_calls(void);
/* Prepares the thread's first call of a region, or has the brake read the clock: the slow path of xtf_regions_enter().
 * Returns false if the call must not be recorded. */
bool xtf_regions_look(XtfRing *ring, uint32_t index);
/* Forgets the frames above the region's, which were left by a jump or an exception. */
void xtf_regions_unwind(XtfRing *ring, uint32_t index);

/* Begins a frame as xtf_core_begin_frame() does; the first call starts the recording of the process. */
static inline XtfRing *xtf_regions_begin(void)
{
    XtfRing *ring = xtf_core_begin_frame();

    if (__builtin_expect(!ring && !xtf_core_active, 0) && xtf_regions_start())
        ring = xtf_core_begin_frame();
    if (__builtin_expect(ring && ring->off, 0))
        xtf_core_follow_window(ring);
    return ring;
}

/* Begins the record of the end of a frame. Does not start the recording of the process. */
static inline XtfRing *xtf_regions_begin_end(void)
{
    return xtf_regions_calls ? xtf_core_begin_frame() : NULL;
}

/* Begins a record of a function of the C library; NULL if MPI or the recorder itself calls it. */
static inline XtfRing *xtf_regions_begin_library(void)
{
    return xtf_core_thread.busy == XTF_CORE_IDLE ? xtf_core_begin() : NULL;
}

/* Enters a region. Returns the time of the ENTER; 0: the call is not recorded. */
static inline uint64_t xtf_regions_enter(XtfRing *ring, uint32_t index)
{
    if (__builtin_expect(!xtf_regions_calls, 0) && !xtf_regions_make_calls())
        return 0;
    XtfRegionCalls *calls = &xtf_regions_calls[index];
    if (__builtin_expect(atomic_load_explicit(&xtf_regions_choices[index], memory_order_relaxed), 0) &&
        calls->open == 0)
        return 0;
    if (__builtin_expect(calls->left <= 1, 0) && !xtf_regions_look(ring, index))
        return 0;
    calls->left--;
    calls->open++;
    return xtf_core_enter(ring, XTF_WIRE_REGIONS_OWN + index);
}

/* Leaves a region at a time, unless no call of it is open. */
static inline void xtf_regions_leave_at(XtfRing *ring, uint64_t time, uint32_t index)
{
    XtfRegionCalls *calls = &xtf_regions_calls[index];

    if (__builtin_expect(calls->open == 0, 0))
        return;
    calls->open--;
    if (__builtin_expect(ring->depth > 0 && ring->depth <= XTF_CORE_STACK &&
                             ring->stack[ring->depth - 1] != XTF_WIRE_REGIONS_OWN + index,
                         0))
        xtf_regions_unwind(ring, index);
    xtf_core_leave_at(ring, time, XTF_WIRE_REGIONS_OWN + index);
}

static inline void xtf_regions_leave(XtfRing *ring, uint32_t index)
{
    xtf_regions_leave_at(ring, xtf_core_now(), index);
}

/* True if the thread has a call of a region whose ENTER was recorded, and whose LEAVE was not. */
static inline bool xtf_regions_is_open(uint32_t index)
{
    return xtf_regions_calls && xtf_regions_calls[index].open > 0;
}

/* Returns the index of the region with a name and file, and creates the region if needed. Copies both texts. */
uint32_t xtf_regions_named(const char *name, const char *file, uint32_t line, unsigned role, unsigned paradigm);
/* Defines a named region, using the thread's scratch memory. False if the ring had no room. */
bool xtf_regions_define_named(XtfRing *ring, uint32_t index);

/* Returns the index of a function by its address. */
uint32_t xtf_regions_new_address(uintptr_t address);
bool xtf_regions_define_address(XtfRing *ring, uint32_t index);

extern _Atomic uintptr_t xtf_regions_addresses[XTF_REGIONS_ADDRESSES]; /* 0: free */

/* Returns where the search for an address begins. Neighbouring functions have places near one another, so that few
 * cache lines are touched. */
static inline uint32_t xtf_regions_first_place(uintptr_t address)
{
    return ((address >> 4) + (address >> 20) * 0x9e37) & (XTF_REGIONS_ADDRESSES - 1);
}

static inline uint32_t xtf_regions_of_address(uintptr_t address)
{
    uint32_t place = xtf_regions_first_place(address);

    if (__builtin_expect(atomic_load_explicit(&xtf_regions_addresses[place], memory_order_relaxed) == address, 1))
        return XTF_REGIONS_NAMED + place;
    return xtf_regions_new_address(address);
}

#pragma GCC visibility pop
