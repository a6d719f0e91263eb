/*
 * Records that hooks of handles have in common. `ring` is NULL while the thread does not record.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/record/core/core.h"

#pragma GCC visibility push(hidden)

/* A ring for definitions, which are recorded also where nothing else is; NULL: there is none. */
XtfRing *xtf_mpi_ring(XtfRing *ring);
/* A callback says that a communicator or a window ends: inside a call that is recorded, or in none. */
void xtf_mpi_record_end(unsigned kind, uint32_t id);
/* The call has failed: what it recorded at its beginning was none. */
void xtf_mpi_failed(XtfRing *ring, uint64_t time);
/* The beginning of a collective operation of MPI, and the end of one that makes or frees handles. */
void xtf_mpi_collective_begin(XtfRing *ring, uint64_t time);
void xtf_mpi_collective_end(XtfRing *ring, uint64_t time, uint32_t operation, uint32_t comm);

#pragma GCC visibility pop
