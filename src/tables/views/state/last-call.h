/*
 * The last call of MPI that a location has left: where a process computes that has called no function of MPI since.
 */
#pragma once

#include "src/trace/select/aggregate-ref.h"
#include "src/trace/select/location-arrays.h"

typedef struct {
    bool found;
    uint64_t region; /* row of definitions/regions */
    uint64_t site;   /* row of definitions/sites; UINT64_MAX: none */
    uint64_t end;    /* global time of its LEAVE */
} XtfLastCall;

/* Finds the last call of MPI that a location leaves before time t. `frames` is the aggregate of its calls by region.
 * Costs a few descents. */
bool xtf_last_call_find(XtfLastCall *call, const XtfLocationArrays *arrays, const XtfAggregateRef *frames,
                        const XtfRegionClasses *classes, uint64_t t, GError **error);
