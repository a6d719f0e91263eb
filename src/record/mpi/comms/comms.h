/* Ids of communicators, by which records name them.
 *
 * All members of a communicator know it by the same id. No other communicator, group, window or file of the job has
 * that id. Member 0 makes the id from its rank in MPI_COMM_WORLD and a counter, and broadcasts it inside the call
 * that makes the communicator. All members take part, whether they record at the moment or not. An attribute of the
 * communicator keeps the id. The attribute's delete callback records the end of the communicator.
 *
 * Any thread may call these functions. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/record/core/core.h"
#include "src/record/mpi/library/pmpi.h"

#pragma GCC visibility push(hidden)

/* Number of communicators and windows in the cache of a thread. */
enum { XTF_MPI_CACHE_BITS = 4, XTF_MPI_CACHE = 1 << XTF_MPI_CACHE_BITS };

/* Communicator or window that a thread has looked up. MPI reuses handles, so the entry is valid until any of them
 * begins or ends. */
typedef struct {
    uint64_t handle, value;
    uint32_t generation;
} XtfMpiCached;

extern __thread XtfMpiCached xtf_mpi_cache[XTF_MPI_CACHE] __attribute__((tls_model("initial-exec")));
extern _Atomic uint32_t xtf_mpi_generation; /* from 1; a cache entry with generation 0 was never used */
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

/* Invalidates the caches of all threads, because a communicator or a window begins or ends. */
static inline void xtf_mpi_forget(void)
{
    atomic_fetch_add_explicit(&xtf_mpi_generation, 1, memory_order_acq_rel);
}

/* Looks up the id by MPI: the slow path of xtf_mpi_comm_id(). */
uint32_t xtf_mpi_comm_look_up(MPI_Comm comm);

/* Returns the id of a communicator. Returns XTF_WIRE_NONE for MPI_COMM_NULL, and for communicators that were made
 * unseen by this library. */
static inline uint32_t xtf_mpi_comm_id(MPI_Comm comm)
{
    const XtfMpiCached *cached;

    if (__builtin_expect(comm == xtf_mpi_world_handle, 1))
        return xtf_mpi_world_id;
    cached = xtf_mpi_cache_entry((uint64_t)(uintptr_t)comm);
    return xtf_mpi_is_cached(cached, (uint64_t)(uintptr_t)comm) ? (uint32_t)cached->value : xtf_mpi_comm_look_up(comm);
}

/* ---- Assigning ids. */

/* Communicator from which a call makes another one. */
typedef struct {
    uint32_t id; /* XTF_WIRE_NONE: it has no id, or only some members take part in the call */
    bool apart;
    bool all; /* all its members take part: the call is a collective operation, even if the communicator has no id */
} XtfMpiFrom;

/* Marks a communicator of which some members may not be recorded. Recorded members agree on no ids in a marked
 * communicator, nor in one made from it, since unrecorded members would not take part. All recorded members mark it. */
void xtf_mpi_comm_set_apart(MPI_Comm comm);
bool xtf_mpi_comm_is_apart(MPI_Comm comm);
XtfMpiFrom xtf_mpi_from(MPI_Comm comm);
/* Returns the communicator from which a call makes one of two groups, whose communicators only have leaders in common.
 * Only the leader of `local` looks at `peer`. It broadcasts the result in `local`. */
XtfMpiFrom xtf_mpi_from_leader(MPI_Comm local, int leader, MPI_Comm peer);

/* Creates the attributes, after MPI_Init. Returns false if MPI fails. */
bool xtf_mpi_comms_begin(void);
/* Gives a communicator its id. */
void xtf_mpi_comm_set_id(MPI_Comm comm, uint32_t id);
/* Returns an id that is unique in the job; XTF_WIRE_NONE: none is left. */
uint32_t xtf_mpi_new_id(void);
/* Gives all members of an intracommunicator the same new id. Returns XTF_WIRE_NONE if the communicator is marked
 * apart, or MPI fails. */
uint32_t xtf_mpi_comm_agree(MPI_Comm comm);
/* Gives all members of an intercommunicator two new ids: *own for the caller's group, *remote for the other one.
 * Returns false if the communicator is marked apart, or MPI fails. */
bool xtf_mpi_comm_agree_between(MPI_Comm comm, uint32_t *own, uint32_t *remote);

#pragma GCC visibility pop
