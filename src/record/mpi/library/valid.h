/*
 * Handles of types, communicators and windows that are certain to be valid, without asking MPI: what is asked of
 * another one calls the error handler of MPI_COMM_WORLD, which may end the program, though the call itself would only
 * return an error.
 *
 * Certain are the types that MPI predefines, those that the program has committed, and communicators and windows of
 * which something is kept in an attribute: others have none, and need not be asked for it. They are until the program
 * frees them. All functions from any thread.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* MPI is there: the types that it predefines. */
void xtf_mpi_valid_begin(void);
/* If there is no memory for it, the handle stays an uncertain one. */
void xtf_mpi_valid_add(uint64_t handle);
/* Whether it was there. What is removed once MPI has freed it may be another thread's already. */
bool xtf_mpi_valid_remove(uint64_t handle);
bool xtf_mpi_valid_has(uint64_t handle);

#pragma GCC visibility pop
