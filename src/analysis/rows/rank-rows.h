/*
 * Rows of the ranks of a job. Each rank packs the rows of its own processes, by a writer of its own. At the end rank 0
 * adds the packed pages of all ranks to the file, in the order of ranks.
 */
#pragma once

#include "libxtf/writer.h"
#include "src/world/world.h"

/* Creates a writer for the rows of a rank above 0: *own, which the caller aborts. Rank 0 passes the writer of the file,
 * and gets NULL; the others pass NULL. Collective: if it fails, one rank gets the error. */
bool xtf_rank_rows_begin(XtfWorld *world, const XtfWriter *writer, XtfWriter **own, GError **error);

/* Adds the arrays of all ranks to the file. Each rank passes its writer; its arrays are closed. Collective: if it
 * fails, one rank gets the error. */
bool xtf_rank_rows_gather(XtfWorld *world, XtfWriter *writer, GError **error);
