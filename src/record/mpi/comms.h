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

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/record/core/core.h"

#pragma GCC visibility push(hidden)

enum {
    XTF_MPI_GROUP_OF_LOCATIONS = 0, /* the group of all main threads of MPI_COMM_WORLD */
    XTF_MPI_FIRST_WORLD = 1,        /* MPI_COMM_WORLD of processes that were not spawned */
    XTF_MPI_SELF = 2,               /* MPI_COMM_SELF of every process */
    XTF_MPI_FIRST_ID = 3,
    XTF_MPI_COMM_CACHE = 4, /* communicators that a thread remembers; a power of two */
};

/* A communicator that a thread has looked up. It holds while no communicator ends: handles are used again. */
typedef struct {
    MPI_Comm comm;
    uint32_t id, generation;
} XtfMpiCommCached;

extern __thread XtfMpiCommCached xtf_mpi_comm_cache[XTF_MPI_COMM_CACHE] __attribute__((tls_model("initial-exec")));
extern _Atomic uint32_t xtf_mpi_comm_generation; /* from 1; 0: a cache that was never used */
extern MPI_Comm xtf_mpi_world_handle;
extern uint32_t xtf_mpi_world_id; /* XTF_WIRE_NONE before MPI_Init */

/* The slow path of xtf_mpi_comm_id(). */
uint32_t xtf_mpi_comm_look_up(MPI_Comm comm, XtfMpiCommCached *cached);

/* The id of a communicator; XTF_WIRE_NONE: of MPI_COMM_NULL, or it was made where this library did not see it. */
static inline uint32_t xtf_mpi_comm_id(MPI_Comm comm)
{
    XtfMpiCommCached *cached;

    if (__builtin_expect(comm == xtf_mpi_world_handle, 1))
        return xtf_mpi_world_id;
    cached = &xtf_mpi_comm_cache[((uintptr_t)comm * UINT64_C(0x9e3779b97f4a7c15)) >> 62];
    if (cached->comm == comm &&
        cached->generation == atomic_load_explicit(&xtf_mpi_comm_generation, memory_order_acquire))
        return cached->id;
    return xtf_mpi_comm_look_up(comm, cached);
}

#pragma GCC visibility pop
