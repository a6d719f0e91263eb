/*
 * The supported MPI libraries, and the module that is preloaded for each.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

typedef enum {
    XTF_MPI_NONE, /* a program without MPI */
    XTF_MPI_OPENMPI,
    XTF_MPI_MPICH, /* and libraries of its ABI: Intel MPI, MVAPICH, Cray MPICH */
    XTF_N_MPIS,
    XTF_MPI_UNKNOWN = XTF_N_MPIS,
} XtfMpi;

/* Parses the value of --mpi: "openmpi", "mpich", "none". */
bool xtf_mpi_parse(const char *name, XtfMpi *mpi);
/* Returns the name for messages: "Open MPI". */
const char *xtf_mpi_name(XtfMpi mpi);

/* Returns the MPI of a library name, such as "libmpi.so.40" or "libmpichfort.so.12". XTF_MPI_UNKNOWN for other
 * libraries. Sets *is_other_abi for an MPI library of another ABI. */
XtfMpi xtf_mpi_of_library(const char *name, bool *is_other_abi);

/* Returns the path of the module that records programs of an MPI. XTF_ERROR_NOT_FOUND; the message says what to do. The
 * caller frees it. */
char *xtf_mpi_module(XtfMpi mpi, GError **error);
