/*
 * What the wrappers of generate/wrappers.py consist of, and how far MPI has come in this process.
 */
#pragma once

#include "src/record/core/core.h"
#include "src/record/mpi/library/pmpi.h"

#define XTF_MPI_VISIBLE __attribute__((visibility("default")))

#pragma GCC visibility push(hidden)

typedef enum {
    XTF_MPI_UNKNOWN, /* no call has come yet, or none after MPI_Init */
    XTF_MPI_ON,      /* between MPI_Init and MPI_Finalize, recorded */
    XTF_MPI_OFF,     /* not recorded, or no more */
} XtfMpiState;

extern _Atomic int xtf_mpi_state; /* XtfMpiState */
extern bool xtf_mpi_all_calls;    /* also what is off by default */
extern bool xtf_mpi_threads;      /* several threads call MPI at once: MPI_THREAD_MULTIPLE */

/* What calls before MPI_Init, after MPI_Finalize, or in a program that is not recorded, come to. True: go on. */
bool xtf_mpi_begin_slowly(void);
/* Whether the hooks of a call are called where nothing is recorded, since others wait for this process in theirs: not
 * from inside another call of MPI. */
bool xtf_mpi_agrees(void);
bool xtf_mpi_agrees_init(void); /* of MPI_Init */
/* The same of a call that may end requests: whether there are any that are known. */
bool xtf_mpi_forgets(void);
/* Of MPI_Init and what is like it: activates the recorder. */
XtfRing *xtf_mpi_begin_init(void);
/* Of MPI_Finalize: which is recorded also by a thread that MPI_Pcontrol has switched off. `frame`: the wrapper's. */
XtfRing *xtf_mpi_begin_finalize(const void *frame);
/* MPI_Init has succeeded, and was recorded. */
void xtf_mpi_initialized(void);
/* MPI_Finalize has returned, and was recorded. */
void xtf_mpi_finalized(void);

/* Statuses that nobody else reads, n of them, of this thread until its next call. */
MPI_Status *xtf_mpi_scratch_statuses(int n);

/* Numbers of counts or displacements, as a function takes them: int, or MPI_Count and MPI_Aint. */
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

/* The wrapper that the thread is in: its frame on the stack, and how many frames were open before. */
typedef struct {
    const void *frame; /* NULL: not known */
    uint32_t depth;    /* UINT32_MAX: the call is not recorded */
} XtfMpiWrapper;
extern __thread XtfMpiWrapper xtf_mpi_wrapper __attribute__((tls_model("initial-exec")));

/* Whether a thread that is busy has left the wrapper without an end: by an exception of an error handler, or longjmp().
 * If so, the call ends here. `frame`: of the wrapper that is called now; the stack grows down. */
bool xtf_mpi_was_abandoned(const void *frame);

/* Begins a call. NULL: it is only passed on, as are calls that MPI makes of itself. */
static inline __attribute__((always_inline)) XtfRing *xtf_mpi_begin(void)
{
    const void *frame = __builtin_frame_address(0);

    if (__builtin_expect(xtf_core_thread.busy != XTF_CORE_IDLE, 0) && !xtf_mpi_was_abandoned(frame)) {
        xtf_pmpi_load(); /* the call is passed on, even if it is the first one of the process */
        return NULL;
    }
    XtfRing *ring = xtf_mpi_is_on() ? xtf_core_begin() : NULL;
    if (__builtin_expect(ring != NULL, 1))
        xtf_mpi_wrapper = (XtfMpiWrapper){frame, ring->depth};
    return ring;
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

/* Of functions that are off by default: whether the call is passed on, and at most counted. Where the program has
 * switched its records off, nothing is missing. */
static inline bool xtf_mpi_quiet(unsigned region)
{
    const XtfRing *ring = xtf_core_thread.ring;

    if (!xtf_mpi_is_on())
        return true;
    if (xtf_mpi_all_calls)
        return false;
    if (xtf_core_active && !xtf_core_thread.busy && !(ring && ring->off))
        xtf_mpi_count(region);
    return true;
}

#pragma GCC visibility pop
