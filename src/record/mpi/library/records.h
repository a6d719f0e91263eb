/* Records that hooks of several kinds of handles write. `ring` is NULL while the thread does not record. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/record/core/core.h"

#pragma GCC visibility push(hidden)

/* Returns a ring for definitions, which a thread writes even while it records nothing else; NULL: the thread has
 * none. */
XtfRing *xtf_mpi_ring(XtfRing *ring);
/* Records the end of a communicator or a window, from a callback inside a recorded call or outside of any. */
void xtf_mpi_record_end(unsigned kind, uint32_t id);
/* Records that the call has failed, which cancels the records of its beginning. */
void xtf_mpi_failed(XtfRing *ring, uint64_t time);
/* Records the beginning of a collective operation of MPI. */
void xtf_mpi_collective_begin(XtfRing *ring, uint64_t time);
/* Records the end of a collective operation that creates or frees handles. */
void xtf_mpi_collective_end(XtfRing *ring, uint64_t time, uint32_t operation, uint32_t comm);

#pragma GCC visibility pop
