/*
 * When all processes are within MPI: from the end of the last MPI_Init to the beginning of the first MPI_Finalize. This
 * is where efficiencies of a whole run are measured, its focus of analysis.
 */
#pragma once

#include "src/trace/select/selection.h"

typedef struct {
    bool exist;        /* the trace has calls of either; a bound that it has no call of is the trace's */
    uint64_t from, to; /* ticks; from <= to */
} XtfMpiBounds;

/* Of all processes of the trace. */
bool xtf_mpi_bounds_find(XtfMpiBounds *bounds, XtfResolver *resolver, GError **error);
