/*
 * Recognizes libraries of MPI by their files.
 */
#pragma once

#include <stdbool.h>
#include <string.h>

/* True if a name begins like the name of a library with MPI's functions. */
static inline bool xtf_is_mpi_interface(const char *name)
{
    static const char *const stems[] = {"libmpi.so", "libmpi_", "libmpich", "libmpifort.so", "libmpicxx.so"};
    bool is_mpi = false;

    for (unsigned i = 0; i < sizeof stems / sizeof *stems; i++)
        is_mpi |= strncmp(name, stems[i], strlen(stems[i])) == 0;
    return is_mpi;
}

/* True if a name begins like the name of a library of an MPI, with MPI's functions or below them. */
static inline bool xtf_is_mpi_library(const char *name)
{
    static const char *const stems[] = {"libpmpi", "libopen-rte.so", "libopen-pal.so", "mca_"};
    bool is_mpi = xtf_is_mpi_interface(name);

    for (unsigned i = 0; i < sizeof stems / sizeof *stems; i++)
        is_mpi |= strncmp(name, stems[i], strlen(stems[i])) == 0;
    return is_mpi;
}
