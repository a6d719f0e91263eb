/* Hooks of one-sided communication. Wrappers call them after the call, unless the comment says otherwise.
 *
 * A window keeps what its end needs: the groups of its epochs, and the operations on it that are not complete at
 * their target. Peers are ranks in the communicator of the window. Operations on MPI_PROC_NULL are not recorded. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/record/core/core.h"
#include "src/record/mpi/library/pmpi.h"
#include "src/record/mpi/windows/window-state.h"

#pragma GCC visibility push(hidden)

/* Kinds of atomic operations, as in xtf_rma_atomics. */
enum {
    XTF_MPI_ACCUMULATE,
    XTF_MPI_COMPARE_AND_SWAP = 3,
    XTF_MPI_SWAP,
    XTF_MPI_FETCH_AND_ADD,
    XTF_MPI_FETCH_AND_ACCUMULATE = 7,
};

/* A sync level, as in OTF2. */
enum { XTF_MPI_SYNC_PROCESS = 1, XTF_MPI_SYNC_MEMORY = 2 };

/* Records the beginning of a collective operation of windows, before the call. `comm`: id of the communicator. */
void xtf_mpi_win_begin(XtfRing *ring, uint64_t entered, uint32_t comm);
void xtf_mpi_win_created(XtfRing *ring, uint64_t *left, int result, MPI_Comm comm, MPI_Win win, bool allocates);
/* State of a window that is read before MPI_Win_free and recorded after it. */
typedef struct {
    uint32_t id, comm;
    bool allocated;
} XtfMpiEndingWin;
XtfMpiEndingWin xtf_mpi_win_ending(XtfRing *ring, uint64_t entered, MPI_Win win);
void xtf_mpi_win_freed(XtfRing *ring, uint64_t left, XtfMpiEndingWin ending);
void xtf_mpi_win_named(XtfRing *ring, int result, MPI_Win win, const char *name);

/* Operation on a window. Bytes are count times the size of the type. `request`: NULL, or of MPI_Rput and similar
 * calls. */
typedef struct {
    MPI_Win win;
    int target;
    long long count;
    MPI_Datatype type;
    long long result_count; /* 0: the origin receives nothing */
    MPI_Datatype result_type;
    const MPI_Request *request;
} XtfMpiAccess;
/* Records an operation. `kind` is XTF_WIRE_RMA_PUT, _GET or _ATOMIC; for the last, `atomic` is the kind of atomic
 * operation. */
void xtf_mpi_access(XtfRing *ring, uint64_t entered, int result, unsigned kind, uint32_t atomic, XtfMpiAccess access);
/* Returns the kind of atomic operation that MPI_Fetch_and_op does with `op`. */
uint32_t xtf_mpi_fetch_kind(MPI_Op op);

/* ---- Synchronisation. */

void xtf_mpi_win_fenced(XtfRing *ring, uint64_t left, int result, MPI_Win win);
void xtf_mpi_win_opened(XtfRing *ring, uint64_t left, int result, MPI_Win win, MPI_Group group, bool exposure);
void xtf_mpi_win_closed(XtfRing *ring, uint64_t left, int result, MPI_Win win, bool exposure);
/* Records the request of a lock, before MPI_Win_lock, which may wait long. */
void xtf_mpi_win_locks(XtfRing *ring, uint64_t entered, MPI_Win win, int target, int lock_type);
void xtf_mpi_win_unlocked(XtfRing *ring, uint64_t left, int result, MPI_Win win, int target);
/* Records that the operations on a target, or XTF_MPI_ANY_TARGET, are complete; `local`: at the origin only. */
void xtf_mpi_win_flushed(XtfRing *ring, uint64_t left, int result, MPI_Win win, int target, bool local);
void xtf_mpi_win_synced(XtfRing *ring, uint64_t left, int result, MPI_Win win);

#pragma GCC visibility pop
