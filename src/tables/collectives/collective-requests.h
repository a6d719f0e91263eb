/*
 * Requests of non-blocking collective operations around a row of a location: from a row before which no request is open
 * to the next such row.
 */
#pragma once

#include "src/tables/collectives/collective-types.h"

enum {
    XTF_COLLECTIVES_NEAR =
        4096, /* most rows read before row n, and after it, in search of a row where no request is open */
};

typedef struct {
    uint64_t request, complete; /* rows; `request` is UINT64_MAX if no earlier request has the id */
    uint64_t request_time, complete_time;
    uint64_t comm; /* communicator in the record of completion */
} XtfCollectiveRequest;

/* Fills *requests, a new array of XtfCollectiveRequest ordered by `request`, with the requests that complete in rows
 * from *from on around row n. *sure is false if there are too many rows, or the request of a completion is unknown.
 * Even then the array has the completion of row n, if row n is one. */
bool xtf_collective_requests_around(const XtfCollectiveTypes *types, const XtfArray *array, uint64_t n, uint64_t *from,
                                    GArray **requests, bool *sure, GError **error);
