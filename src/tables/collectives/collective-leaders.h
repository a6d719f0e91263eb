/*
 * The operations of a selection, each counted once: where its leader ends it.
 *
 * The leader is the member of rank 0; between two groups that of the first. In a communicator without a group each
 * process leads its own operations. An operation is in a selection if the leader's END or COMPLETE is.
 *
 * All functions may be called from any thread.
 */
#pragma once

#include "src/tables/collectives/collective.h"
#include "src/trace/select/selection.h"

/* The spans of these records, a new reference; a span's tag is the index of its location in XtfLocations. `kept` has
 * those of the latest selections. NULL with an error. */
XtfSpans *xtf_leaders_spans(XtfCollectives *collectives, XtfKeeper *kept, XtfSelection *selection, GError **error);
void xtf_leaders_init(XtfKeeper *kept);

/* How many of them are in one communicator. */
bool xtf_leaders_count(XtfCollectives *collectives, const XtfSelection *selection, uint64_t comm, uint64_t *count,
                       GError **error);
