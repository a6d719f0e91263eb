/*
 * The MPI libraries that are known, and what is preloaded to record their programs.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

typedef enum {
    XTF_MPI_NONE, /* a program without MPI */
    XTF_MPI_OPENMPI,
    XTF_MPI_MPICH, /* and all that have its ABI: Intel MPI, MVAPICH, Cray MPICH */
    XTF_N_MPIS,
    XTF_MPI_UNKNOWN = XTF_N_MPIS,
} XtfMpi;

/* What --mpi takes: "openmpi", "mpich", "none". */
bool xtf_mpi_parse(const char *name, XtfMpi *mpi);
/* For messages: "Open MPI". */
const char *xtf_mpi_name(XtfMpi mpi);

/* The MPI that a library of this name belongs to: "libmpi.so.40", "libmpichfort.so.12"; XTF_MPI_UNKNOWN: none, or one
 * of another ABI, which *other says. */
XtfMpi xtf_mpi_of_library(const char *name, bool *other);

/* The path of the module that records programs of an MPI. XTF_ERROR_NOT_FOUND, with what is to be done. The caller
 * frees it. */
char *xtf_mpi_module(XtfMpi mpi, GError **error);
