/*
 * New times of the records of a trace, for a copy: of a run without probes, or of a predicted run.
 */
#pragma once

#include "src/analysis/compensate/order.h"
#include "src/analysis/compensate/walk.h"

/* Called with each record of a location and its new time, and with the changes of order whose later receive it is. */
typedef struct {
    void *data;
    bool (*record)(void *data, const XtfWalkedRecord *record, uint64_t time, GError **error);
    bool (*order)(void *data, const XtfWalkedRecord *record, uint64_t time, const XtfOrderChange *change,
                  GError **error);
} XtfNewTimesVisitor;

typedef struct XtfNewTimes {
    const void *data; /* of the functions; borrowed, as all else */
    const XtfLocations *locations;
    uint64_t n_records; /* of all locations; 0: not known */
    /* Visits all records of a location, given by its index, in order; after a receive its changes of order. */
    bool (*visit)(const void *data, uint32_t location, const XtfNewTimesVisitor *visitor, XtfSteps *steps,
                  GError **error);
    /* Returns the number of a process of the replay, as an XtfOrderChange has it. NULL: there are no changes of
     * order. */
    uint64_t (*proc)(const void *data, uint32_t process);
} XtfNewTimes;
