/*
 * The process's own regions: parts of the program that it names itself (user.h), functions that the compiler
 * instrumented, functions of libraries that are wrapped here.
 *
 * A region's index is below XTF_WIRE_CHOICES; records call it XTF_WIRE_REGIONS_OWN + index. Indices below
 * XTF_REGIONS_NAMED are of regions that have a name here (names.c), in the order of their first use. The others are of
 * functions, of which only the address is known (addresses.c): the index is the place in the table of addresses.
 *
 * Each thread defines a region in its own ring before it first enters it there, so rings need not be read in any order.
 *
 * A thread counts its open calls of each region. So a call whose beginning was recorded is recorded to its end, and no
 * end without its beginning is: whether the collector's filter, the brake, or the program switched recording off in the
 * middle. Calls that are left by longjmp() stay open: their region is recorded in this thread for good.
 *
 * All functions with a ring are called between xtf_core_begin() and xtf_core_end(), so neither signal handlers nor what
 * they themselves call get here a second time.
 */
#pragma once

#include "src/record/core/core.h"

#pragma GCC visibility push(hidden)

enum {
    XTF_REGIONS_NAMED = 1 << 16,
    XTF_REGIONS_ADDRESSES = XTF_WIRE_CHOICES - XTF_REGIONS_NAMED,
    XTF_REGIONS_NONE = UINT32_MAX, /* no index: tables are full */
};

/* In xtf_region_roles and xtf_paradigm_names. */
enum {
    XTF_REGIONS_ROLE_FUNCTION = 1,
    XTF_REGIONS_ROLE_CODE = 4,
    XTF_REGIONS_ROLE_THREAD_CREATE = 32,
    XTF_REGIONS_ROLE_THREAD_WAIT = 33,
};
enum { XTF_REGIONS_PARADIGM_USER = 1, XTF_REGIONS_PARADIGM_PTHREAD = 7 };

/* What a thread knows of a region. */
typedef struct {
    uint32_t open;  /* calls whose ENTER was recorded, and whose LEAVE was not */
    uint32_t left;  /* calls until the brake looks at the clock; 0: the region is not defined in this thread */
    uint64_t since; /* when the brake last looked: ns of CLOCK_MONOTONIC */
} XtfRegionCalls;

/* The bytes of XtfWireChoices; set before any xtf_regions_calls is. */
extern _Atomic uint8_t *xtf_regions_choices;
/* By index; NULL: the thread has none yet. */
extern __thread XtfRegionCalls *xtf_regions_calls __attribute__((tls_model("initial-exec")));

/* Memory of the thread, behind those, for what is larger than a stack may have room for: threads may have small stacks,
 * and signal handlers, too. XTF_REGIONS_SCRATCH bytes; there is none where xtf_regions_calls is NULL. */
enum { XTF_REGIONS_SCRATCH = 16384 };
static inline void *xtf_regions_scratch(void)
{
    return xtf_regions_calls + XTF_WIRE_CHOICES;
}

/* The program asks for a record, and the core is not active: whether it is now. Tries once. */
bool xtf_regions_start(void);
bool xtf_regions_make_calls(void);
/* The slow path of xtf_regions_enter(): the first call of a region by this thread, or the brake's turn. False: the call
 * is not to be recorded. */
bool xtf_regions_look(XtfRing *ring, uint32_t index);
/* The frames above the region's were left by a jump or an exception: forgets them. */
void xtf_regions_unwind(XtfRing *ring, uint32_t index);

/* As xtf_core_begin_frame(), but the first call begins to record the process. */
static inline XtfRing *xtf_regions_begin(void)
{
    XtfRing *ring = xtf_core_begin_frame();

    if (__builtin_expect(!ring && !xtf_core_active, 0) && xtf_regions_start())
        ring = xtf_core_begin_frame();
    return ring;
}

/* The same for ends, which begin nothing. */
static inline XtfRing *xtf_regions_begin_end(void)
{
    return xtf_regions_calls ? xtf_core_begin_frame() : NULL;
}

/* Of functions of the C library, which MPI and the recorder itself call as well. */
static inline XtfRing *xtf_regions_begin_library(void)
{
    return xtf_core_thread.busy == XTF_CORE_IDLE ? xtf_core_begin() : NULL;
}

static inline void xtf_regions_enter(XtfRing *ring, uint32_t index)
{
    if (__builtin_expect(!xtf_regions_calls, 0) && !xtf_regions_make_calls())
        return;
    XtfRegionCalls *calls = &xtf_regions_calls[index];
    if (__builtin_expect(atomic_load_explicit(&xtf_regions_choices[index], memory_order_relaxed), 0) &&
        calls->open == 0)
        return;
    if (__builtin_expect(calls->left <= 1, 0) && !xtf_regions_look(ring, index))
        return;
    calls->left--;
    calls->open++;
    xtf_core_enter(ring, XTF_WIRE_REGIONS_OWN + index);
}

static inline void xtf_regions_leave(XtfRing *ring, uint32_t index)
{
    XtfRegionCalls *calls = &xtf_regions_calls[index];

    if (__builtin_expect(calls->open == 0, 0))
        return;
    calls->open--;
    if (__builtin_expect(ring->depth > 0 && ring->depth <= XTF_CORE_STACK &&
                             ring->stack[ring->depth - 1] != XTF_WIRE_REGIONS_OWN + index,
                         0))
        xtf_regions_unwind(ring, index);
    xtf_core_leave(ring, XTF_WIRE_REGIONS_OWN + index);
}

/* The index of the region of that name and file, which is made if there is none. The texts are copied. */
uint32_t xtf_regions_named(const char *name, const char *file, uint32_t line, unsigned role, unsigned paradigm);
/* Defines it, with the thread's scratch. False: there was no room for it. */
bool xtf_regions_define_named(XtfRing *ring, uint32_t index);

/* The index of a function by its address. */
uint32_t xtf_regions_new_address(uintptr_t address);
bool xtf_regions_define_address(XtfRing *ring, uint32_t index);

extern _Atomic uintptr_t xtf_regions_addresses[XTF_REGIONS_ADDRESSES]; /* 0: free */

/* Functions that lie side by side have indices that lie near one another, so that few cache lines are touched. */
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
