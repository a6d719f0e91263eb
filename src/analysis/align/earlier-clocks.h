/*
 * The clock maps that a trace had before its clocks were aligned: mostly none, else its recorder's.
 *
 * The table `clock_alignments` says which clocks an alignment made, by their digest. If these are the trace's clocks,
 * the maps before are in the table `earlier_clocks`; else the trace's maps are nobody's but the recorder's.
 */
#pragma once

#include "libxtf/handles.h"
#include "libxtf/writer.h"

typedef struct {
    bool aligned;     /* by an alignment that can be undone */
    bool stale;       /* by one, but the clocks were changed since, or files were merged */
    uint64_t origin;  /* time 0; UINT64_MAX: the first record */
    GHashTable *maps; /* guint64 of a location -> XtfClockMap, owned */
} XtfEarlierClocks;

bool xtf_earlier_clocks_load(XtfEarlierClocks *earlier, XtfTrace *trace, GError **error);
void xtf_earlier_clocks_finish(XtfEarlierClocks *earlier); /* also one of zeros */

/* NULL: the location had none. */
const XtfClockMap *xtf_earlier_clocks_of(const XtfEarlierClocks *earlier, uint64_t location);

/* Says in a writer what the clocks were before, in place of what it said. */
bool xtf_earlier_clocks_store(const XtfEarlierClocks *earlier, XtfWriter *writer, GError **error);

/* Gives the locations in a writer of the trace, or of a copy, the maps from before the alignment, which is forgotten.
 * Nothing is committed. XTF_ERROR_NOT_FOUND if there was no alignment, or it cannot be undone. */
bool xtf_alignment_undo(XtfTrace *trace, XtfWriter *writer, GError **error);
