/*
 * What the snippets of generate/kinds_*.py call, all together.
 */
#pragma once

#include "src/record/mpi/collectives.h"
#include "src/record/mpi/messages.h"
#include "src/record/mpi/pmpi.h"
#include "src/record/mpi/wrapper.h"

#pragma GCC visibility push(hidden)

/* MPI is initialised: tells the core the process's rank, and defines what is there from the beginning. Once a process,
 * between xtf_core_begin() and xtf_core_end(). */
void xtf_mpi_attach(XtfRing *ring);

#pragma GCC visibility pop
