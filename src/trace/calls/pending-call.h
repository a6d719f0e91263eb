/*
 * The call of MPI in which the records of a location end. It is the location's last PENDING row, unless a later ENTER
 * or LEAVE shows that the call has returned. Behind it are the rows of the requests that the call completes.
 */
#pragma once

#include "src/trace/select/location-arrays.h"

typedef struct {
    const XtfArray *array; /* of `pending`; NULL: the location's records do not end in a call of MPI */
    uint64_t n;            /* its PENDING row */
    uint64_t n_requests;   /* rows behind that one */
} XtfPendingCall;

/* Finds the call of a location. `pending` and `calls` are the schemas of the open calls, and of ENTERs and LEAVEs. */
bool xtf_pending_call_find(const XtfLocationArrays *arrays, const XtfSchema *pending, const XtfSchema *calls,
                           XtfPendingCall *call, GError **error);
