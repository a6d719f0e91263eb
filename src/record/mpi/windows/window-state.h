/*
 * What is kept of a window while there is one: in an attribute of it.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/record/core/core.h"
#include "src/record/core/spin.h"
#include "src/record/mpi/library/pmpi.h"

#pragma GCC visibility push(hidden)

enum { XTF_MPI_ANY_TARGET = INT_MIN /* no rank, nor MPI_PROC_NULL */ };

/* An operation that is not complete at its target. */
typedef struct {
    uint64_t matching;
    int32_t target;
    bool local; /* complete at the origin */
} XtfMpiPending;

typedef struct XtfMpiWindow {
    struct XtfMpiWindow *next; /* of all windows */
    uint32_t id;
    uint32_t access, exposure; /* groups of the epochs that are open; XTF_WIRE_NONE */
    bool allocated;            /* the window's memory is MPI's */
    XtfSpin busy;              /* the operations are being changed */
    XtfMpiPending *pending;
    uint32_t n_pending, room;
} XtfMpiWindow;

/* The window; NULL: it was made where this library did not see it. */
XtfMpiWindow *xtf_mpi_window(MPI_Win win);
/* Makes it. */
void xtf_mpi_window_begin(MPI_Win win, uint32_t id, bool allocated);

/* An operation is under way. If there are too many, its completion will not be recorded. */
void xtf_mpi_window_add(XtfMpiWindow *window, uint64_t matching, int target);
/* Records the completion of the operations on a target, or on all. */
void xtf_mpi_window_complete(XtfMpiWindow *window, XtfRing *ring, uint64_t time, int target, bool local);
/* An operation with a request is complete at the origin. False: that was recorded before. `id`: the window's, which may
 * be no more. */
bool xtf_mpi_window_complete_one(uint32_t id, uint64_t matching);

#pragma GCC visibility pop
