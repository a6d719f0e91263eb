/*
 * Processes of a selection that can be compared, since they were recorded equally long.
 *
 * A location that is not recorded, for a while or at all, is in a region of the class UNRECORDED. The activity of its
 * process is then unknown. So tables of all processes leave out a process that was recorded less than the others.
 */
#pragma once

#include "src/tables/totals/regions/region-times.h"
#include "src/trace/context/region-classes.h"

typedef struct {
    XtfNumberSet *procs;     /* the processes that can be compared; NULL: all of the selection */
    XtfSelection *selection; /* selection of the processes that can be compared */
    uint64_t unrecorded;     /* least time, in ticks, in which a process was not recorded */
    double share;            /* part of the processes' time that was not recorded */
} XtfRecordedProcs;

/* True if processes of the trace may have been recorded for different times. Otherwise all can be compared. */
static inline bool xtf_recorded_procs_may_differ(const XtfRegionClasses *classes)
{
    return classes->present & XTF_CLASS_BIT(XTF_CLASS_UNRECORDED);
}

/* Finds the processes that were recorded as long as the one that was recorded longest, to a hundredth of the window.
 * Their times do not depend on the type and the facets of the selection. */
bool xtf_recorded_procs_find(XtfRecordedProcs *recorded, XtfFormats *formats, const XtfSelection *selection,
                             GError **error);
void xtf_recorded_procs_finish(XtfRecordedProcs *recorded);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfRecordedProcs, xtf_recorded_procs_finish)
