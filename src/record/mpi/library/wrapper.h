/* Functions that the wrappers made by generate/wrappers.py call, and the state of MPI in this process. */
#pragma once

#include "src/record/core/core.h"
#include "src/record/mpi/library/pmpi.h"

#define XTF_MPI_VISIBLE __attribute__((visibility("default")))

#pragma GCC visibility push(hidden)

typedef enum {
    XTF_MPI_UNKNOWN, /* no call was seen, or none since MPI_Init */
    XTF_MPI_ON,      /* between MPI_Init and MPI_Finalize, recorded */
    XTF_MPI_OFF,     /* not recorded, or no longer */
} XtfMpiState;

extern _Atomic int xtf_mpi_state; /* XtfMpiState */
/* By number of a function: its calls are recorded even if they would only be counted by default. */
extern bool xtf_mpi_wanted[XTF_MPI_N_REGIONS];
extern bool xtf_mpi_wants_tests; /* some function that tests requests is wanted */
extern bool xtf_mpi_threads;     /* several threads may call MPI at once: MPI_THREAD_MULTIPLE */

/* Handles calls before MPI_Init, after MPI_Finalize, or in a program that is not recorded. Returns true if the call
 * is recorded. */
bool xtf_mpi_begin_slowly(void);
/* True if hooks of a call are called while nothing is recorded, since other processes wait for this one in their
 * hooks. False inside another call of MPI. */
bool xtf_mpi_agrees(void);
bool xtf_mpi_agrees_init(void); /* as xtf_mpi_agrees(), for hooks of MPI_Init */
/* True if hooks of a call that may end requests are called while nothing is recorded: any request is known. */
bool xtf_mpi_forgets(void);
/* Begins MPI_Init and similar calls: activates the recorder. */
XtfRing *xtf_mpi_begin_init(void);
/* Begins MPI_Finalize, which is recorded even in a thread that MPI_Pcontrol has switched off. `frame`: the
 * wrapper's. */
XtfRing *xtf_mpi_begin_finalize(const void *frame);
/* Turns recording on, after a recorded MPI_Init has succeeded. */
void xtf_mpi_initialized(void);
/* Turns recording off, after a recorded MPI_Finalize has returned. */
void xtf_mpi_finalized(void);

/* Returns n statuses for the wrapper's own use. The thread's next call reuses them. */
MPI_Status *xtf_mpi_scratch_statuses(int n);

/* Array of counts or displacements: of int, or of MPI_Count or MPI_Aint. */
typedef struct {
    const void *at; /* NULL: none */
    bool large;
} XtfMpiCounts;

static inline long long xtf_mpi_counts_at(XtfMpiCounts counts, int i)
{
    return counts.large ? (long long)((const int64_t *)counts.at)[i] : ((const int *)counts.at)[i];
}

static inline bool xtf_mpi_is_on(void)
{
    int state = atomic_load_explicit(&xtf_mpi_state, memory_order_acquire);

    return __builtin_expect(state == XTF_MPI_ON, 1) || (state != XTF_MPI_OFF && xtf_mpi_begin_slowly());
}

/* Wrapper that the thread is in: its frame on the stack, and how many region frames were open before. */
typedef struct {
    const void *frame; /* NULL: unknown */
    uint32_t depth;    /* UINT32_MAX: the call is not recorded */
} XtfMpiWrapper;
extern __thread XtfMpiWrapper xtf_mpi_wrapper __attribute__((tls_model("initial-exec")));

/* Holds the return address of the program's call of a routine of Fortran, for the C wrapper that the routine calls.
 * Else NULL. */
extern __thread const void *xtf_mpi_caller __attribute__((tls_model("initial-exec")));

/* Returns the address to which a wrapper of C returns in the program. */
static inline __attribute__((always_inline)) const void *xtf_mpi_take_caller(void)
{
#ifndef OPEN_MPI /* whose routines of Fortran call no function of C that has a wrapper */
    const void *caller = xtf_mpi_caller;

    if (__builtin_expect(caller != NULL, 0)) {
        xtf_mpi_caller = NULL;
        return caller;
    }
#endif
    return __builtin_return_address(0);
}

/* True if a busy thread has left its wrapper without an end: by an exception of an error handler, or by longjmp().
 * Then the abandoned call ends here. `frame`: of the wrapper that is called now; the stack grows down. */
bool xtf_mpi_was_abandoned(const void *frame);

/* Begins a call. NULL: the wrapper only passes the call on, as for calls that MPI itself makes. */
static inline __attribute__((always_inline)) XtfRing *xtf_mpi_begin(void)
{
    const void *frame = __builtin_frame_address(0);

    if (__builtin_expect(xtf_core_thread.busy != XTF_CORE_IDLE, 0) && !xtf_mpi_was_abandoned(frame)) {
        xtf_pmpi_load(); /* the wrapper passes the call on, even if it is the first one of the process */
        return NULL;
    }
    XtfRing *ring = xtf_mpi_is_on() ? xtf_core_begin() : NULL;
    if (__builtin_expect(ring != NULL, 1))
        xtf_mpi_wrapper = (XtfMpiWrapper){frame, ring->depth};
    return ring;
}

static inline bool xtf_mpi_wants(unsigned region)
{
    return __builtin_expect(xtf_mpi_wanted[region], 0);
}

/* Counts a call that is not recorded. */
static inline void xtf_mpi_count(unsigned region)
{
    _Atomic uint64_t *count = &xtf_core_process->unrecorded[region];

    if (xtf_mpi_threads)
        atomic_fetch_add_explicit(count, 1, memory_order_relaxed);
    else
        atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + 1, memory_order_relaxed);
}

/* True if a call of a function that is off by default is only passed on. Counts the call, unless the program has
 * switched recording off. */
static inline bool xtf_mpi_quiet(unsigned region)
{
    const XtfRing *ring = xtf_core_thread.ring;

    if (!xtf_mpi_is_on())
        return true;
    if (xtf_mpi_wants(region))
        return false;
    if (xtf_core_active && !xtf_core_thread.busy && !(ring && xtf_core_is_off(ring)))
        xtf_mpi_count(region);
    return true;
}

#pragma GCC visibility pop
