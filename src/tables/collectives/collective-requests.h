/*
 * The requests of non-blocking collective operations around a row: those of one location between two rows before which
 * no request is open.
 */
#pragma once

#include "src/tables/collectives/collective-types.h"

enum {
    XTF_COLLECTIVES_NEAR = 4096, /* rows that are looked at, before row n and behind it */
};

typedef struct {
    uint64_t request, complete; /* rows; `request` is UINT64_MAX if no earlier one has the id */
    uint64_t request_time, complete_time;
    uint64_t comm; /* of the completion */
} XtfCollectiveRequest;

/* Fills *requests, a new array of XtfCollectiveRequest, by `request`, with those whose completions are in rows [*from,
 * *to) around row n. Not *sure if there are too many rows, or a request of one of them is not known: then whoever asks
 * has at least that of the row n, if it is a completion. */
bool xtf_collective_requests_around(const XtfCollectiveTypes *types, const XtfArray *array, uint64_t n, uint64_t *from,
                                    GArray **requests, bool *sure, GError **error);
