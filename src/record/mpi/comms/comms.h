/*
 * What a process knows of its communicators: the ids by which records mean them.
 *
 * An id is the same in all members, and no other communicator, group, window or file of the job has it: member 0 makes
 * it from its place in MPI_COMM_WORLD and a counter, and tells the others inside the call that makes the communicator.
 * All members take part, whether they record at the moment or not. The id is kept in an attribute of the communicator,
 * whose delete callback says when the communicator ends.
 *
 * All functions from any thread.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/record/core/core.h"
#include "src/record/mpi/library/pmpi.h"

#pragma GCC visibility push(hidden)

/* Communicators and windows that a thread remembers. */
enum { XTF_MPI_CACHE_BITS = 4, XTF_MPI_CACHE = 1 << XTF_MPI_CACHE_BITS };

/* A communicator or window that a thread has looked up. It holds while none of them ends: handles are used again. */
typedef struct {
    uint64_t handle, value;
    uint32_t generation;
} XtfMpiCached;

extern __thread XtfMpiCached xtf_mpi_cache[XTF_MPI_CACHE] __attribute__((tls_model("initial-exec")));
extern _Atomic uint32_t xtf_mpi_generation; /* from 1; 0: a cache that was never used */
extern MPI_Comm xtf_mpi_world_handle;
extern uint32_t xtf_mpi_world_id; /* XTF_WIRE_NONE before MPI_Init */

static inline XtfMpiCached *xtf_mpi_cache_entry(uint64_t handle)
{
    return &xtf_mpi_cache[handle * UINT64_C(0x9e3779b97f4a7c15) >> (64 - XTF_MPI_CACHE_BITS)];
}

static inline bool xtf_mpi_is_cached(const XtfMpiCached *cached, uint64_t handle)
{
    return cached->handle == handle &&
           cached->generation == atomic_load_explicit(&xtf_mpi_generation, memory_order_acquire);
}

/* A communicator or a window begins or ends: what threads remember is looked up anew. */
static inline void xtf_mpi_forget(void)
{
    atomic_fetch_add_explicit(&xtf_mpi_generation, 1, memory_order_acq_rel);
}

/* The slow path of xtf_mpi_comm_id(). */
uint32_t xtf_mpi_comm_look_up(MPI_Comm comm);

/* The id of a communicator; XTF_WIRE_NONE: of MPI_COMM_NULL, or it was made where this library did not see it. */
static inline uint32_t xtf_mpi_comm_id(MPI_Comm comm)
{
    const XtfMpiCached *cached;

    if (__builtin_expect(comm == xtf_mpi_world_handle, 1))
        return xtf_mpi_world_id;
    cached = xtf_mpi_cache_entry((uint64_t)(uintptr_t)comm);
    return xtf_mpi_is_cached(cached, (uint64_t)(uintptr_t)comm) ? (uint32_t)cached->value : xtf_mpi_comm_look_up(comm);
}

/* ---- How communicators get their ids. */

/* What a communicator is made out of. */
typedef struct {
    uint32_t id; /* XTF_WIRE_NONE: it has none, or not all take part */
    bool apart;
    bool all; /* all its members take part: the call is a collective operation, with a number or without */
} XtfMpiFrom;

/* Some members of a communicator may not be recorded: nothing is agreed on in it, nor in what is made out of it, since
 * these would not take part. All members that are recorded say so. */
void xtf_mpi_comm_set_apart(MPI_Comm comm);
bool xtf_mpi_comm_is_apart(MPI_Comm comm);
XtfMpiFrom xtf_mpi_from(MPI_Comm comm);
/* The same of two communicators that only have leaders in common: the second one counts at the leader of the first one,
 * who tells the others. */
XtfMpiFrom xtf_mpi_from_leader(MPI_Comm local, int leader, MPI_Comm peer);

/* After MPI_Init. */
bool xtf_mpi_comms_begin(void);
/* The communicator has this id from now on. */
void xtf_mpi_comm_set_id(MPI_Comm comm, uint32_t id);
/* An id that nothing in the job has; XTF_WIRE_NONE: there are no more. */
uint32_t xtf_mpi_new_id(void);
/* All members of an intracommunicator get the same new id; XTF_WIRE_NONE: it is apart, or MPI failed. */
uint32_t xtf_mpi_comm_agree(MPI_Comm comm);
/* All members of an intercommunicator get two new ids: *own is the same in the own group. False: it is apart, or MPI
 * failed. */
bool xtf_mpi_comm_agree_between(MPI_Comm comm, uint32_t *own, uint32_t *remote);

#pragma GCC visibility pop
