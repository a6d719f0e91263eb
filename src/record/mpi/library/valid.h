/* Handles of types, communicators and windows that are certain to be valid. Asking MPI about an invalid handle calls
 * the error handler of MPI_COMM_WORLD, which may end the program. The program's own call would only return an error.
 *
 * Three kinds of handles are certain: predefined types, types that the program has committed, and communicators and
 * windows with an attribute of the recorder. Others have no such attribute, so the recorder need not ask for it.
 * Handles are certain until the program frees them. Any thread may call these functions. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* Adds the types that MPI predefines, once MPI is initialised. */
void xtf_mpi_valid_begin(void);
/* Adds a handle. Without memory for it, the handle stays uncertain. */
void xtf_mpi_valid_add(uint64_t handle);
/* Removes a handle and returns whether it was there. Once MPI has freed the handle, another thread may have got it
 * again. */
bool xtf_mpi_valid_remove(uint64_t handle);
bool xtf_mpi_valid_has(uint64_t handle);

#pragma GCC visibility pop
