/*
 * Operations of a selection, each counted once: where its leader ends it.
 *
 * The leader is the member of rank 0; in an intercommunicator, rank 0 of the first group. In a communicator without a
 * group, each process leads its own operations. A selection contains an operation if it contains the leader's END or
 * COMPLETE.
 *
 * All functions may be called from any thread.
 */
#pragma once

#include "src/tables/collectives/collective.h"
#include "src/trace/select/selection.h"

/* Returns the spans of the leaders' END and COMPLETE records, a new reference. A span's tag is the index of its
 * location in XtfLocations. `kept` caches the spans of the latest selections. NULL with an error. */
XtfSpans *xtf_leaders_spans(XtfCollectives *collectives, XtfKeeper *kept, XtfSelection *selection, GError **error);
void xtf_leaders_init(XtfKeeper *kept);

/* Counts the operations of a selection in one communicator. */
bool xtf_leaders_count(XtfCollectives *collectives, const XtfSelection *selection, uint64_t comm, uint64_t *count,
                       GError **error);
