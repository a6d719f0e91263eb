/*
 * The interval in which all processes are within MPI: from the end of the last MPI_Init to the begin of the first
 * MPI_Finalize. Efficiencies of a whole run are measured in it, its focus of analysis.
 */
#pragma once

#include "src/trace/select/selection.h"

typedef struct {
    bool exist;        /* true if MPI_Init or MPI_Finalize was called; a missing bound is the trace's own */
    uint64_t from, to; /* ticks; from <= to */
} XtfMpiBounds;

/* Finds the bounds over all processes of the trace. */
bool xtf_mpi_bounds_find(XtfMpiBounds *bounds, XtfResolver *resolver, GError **error);
