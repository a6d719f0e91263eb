/* State of a window while it exists, kept in an attribute of it. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/record/core/core.h"
#include "src/record/core/spin.h"
#include "src/record/mpi/library/pmpi.h"

#pragma GCC visibility push(hidden)

enum { XTF_MPI_ANY_TARGET = INT_MIN /* neither a rank nor MPI_PROC_NULL */ };

/* Operation that is not complete at its target. */
typedef struct {
    uint64_t matching;
    int32_t target;
    bool local; /* its completion at the origin was recorded */
} XtfMpiPending;

typedef struct XtfMpiWindow {
    struct XtfMpiWindow *next; /* next in the list of all windows */
    uint32_t id, comm;
    uint32_t access, exposure; /* groups of the open epochs; XTF_WIRE_NONE: no epoch is open */
    bool allocated;            /* MPI allocated the window's memory */
    XtfSpin busy;              /* lock that guards `pending` */
    XtfMpiPending *pending;
    uint32_t n_pending, room;
} XtfMpiWindow;

/* Returns the state of a window; NULL: it was made unseen by this library. */
XtfMpiWindow *xtf_mpi_window(MPI_Win win);
/* Returns the id of a window's communicator; XTF_WIRE_NONE: not known. */
uint32_t xtf_mpi_window_comm(MPI_Win win);
/* Makes the state of a new window. */
void xtf_mpi_window_begin(MPI_Win win, uint32_t id, uint32_t comm, bool allocated);

/* Adds an operation in progress. If there are too many, its completion will not be recorded. */
void xtf_mpi_window_add(XtfMpiWindow *window, uint64_t matching, int target);
/* Records the completion of the operations on a target, or on all targets. */
void xtf_mpi_window_complete(XtfMpiWindow *window, XtfRing *ring, uint64_t time, int target, bool local);
/* Marks an operation with a request complete at the origin. Returns false if that was recorded before. `id`: of the
 * window, which may be freed already. */
bool xtf_mpi_window_complete_one(uint32_t id, uint64_t matching);

#pragma GCC visibility pop
