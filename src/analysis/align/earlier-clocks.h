/*
 * The clock maps of a trace before its clocks were aligned: usually none, otherwise the maps of its recorder.
 *
 * The table `clock_alignments` has the digest of the clocks that an alignment made. If the trace has these clocks, the
 * table `earlier_clocks` has the maps before. Otherwise the trace's maps are its recorder's.
 */
#pragma once

#include "libxtf/handles.h"
#include "libxtf/writer.h"

typedef struct {
    bool aligned;     /* true if an alignment can be undone */
    bool stale;       /* true if the clocks changed after an alignment, or aligned files were merged */
    uint64_t origin;  /* time 0; UINT64_MAX: the first record */
    GHashTable *maps; /* guint64 key of a location -> XtfClockMap, owned */
} XtfEarlierClocks;

bool xtf_earlier_clocks_load(XtfEarlierClocks *earlier, XtfTrace *trace, GError **error);
void xtf_earlier_clocks_finish(XtfEarlierClocks *earlier); /* accepts zeros */

/* Returns the earlier map of a location; NULL: none. */
const XtfClockMap *xtf_earlier_clocks_of(const XtfEarlierClocks *earlier, uint64_t location);

/* Writes the earlier clocks to the table `earlier_clocks`, in place of its rows. */
bool xtf_earlier_clocks_store(const XtfEarlierClocks *earlier, XtfWriter *writer, GError **error);

/* Restores the clock maps before the alignment in a writer of the trace, or of a copy, and removes the record of the
 * alignment. Commits nothing. XTF_ERROR_NOT_FOUND: the trace is not aligned, or the alignment cannot be undone. */
bool xtf_alignment_undo(XtfTrace *trace, XtfWriter *writer, GError **error);
