/*
 * Order in which a process takes part in the operations of a communicator, and the place of the k-th operation.
 *
 * In MPI, all members start the operations of a communicator in the same order. Blocking operations end in that order.
 * Non-blocking operations are ordered by their requests. A request does not name its communicator, but the completion
 * with its id does. So the functions read the records around a completion, between two rows before which no request is
 * open. If there are more than XTF_COLLECTIVES_NEAR records, or ids do not identify the request of a completion, the
 * order of completions is used. A result by completions is not sure.
 *
 * Operations of a process's locations (threads) are ordered by time, at equal times by location id.
 */
#pragma once

#include "src/tables/collectives/collective-process.h"

/* Records of one process in one operation. */
typedef struct {
    uint32_t at;  /* index in the process's locations */
    uint64_t n;   /* row of its END or COMPLETE */
    uint64_t end; /* time of its END or COMPLETE */
    bool started; /* true if `begin`, the time of its BEGIN or REQUEST, is known */
    uint64_t begin;
    bool sure; /* true if the operation is certainly the k-th */
    uint8_t row[XTF_ROW_MAX];
} XtfCollectivePart;

/* Counts the operations in the whole trace that match `wanted` and in which the process takes part. */
bool xtf_collective_count(const XtfCollectiveProcess *process, const XtfCollectiveFilter *wanted, uint64_t *count,
                          GError **error);
/* Counts the matching operations before the one of row n, an END or COMPLETE that matches `wanted`. */
bool xtf_collective_number(const XtfCollectiveProcess *process, const XtfCollectiveFilter *wanted, uint32_t at,
                           uint64_t n, uint64_t *k, GError **error);
/* Finds the operation with k matching operations before it. */
bool xtf_collective_find(const XtfCollectiveProcess *process, const XtfCollectiveFilter *wanted, uint64_t k,
                         XtfCollectivePart *part, bool *found, GError **error);

/* Finds the row that names the communicator: the END of a BEGIN, the COMPLETE of a REQUEST. For an END or a COMPLETE,
 * the row itself. */
bool xtf_collective_completion(const XtfCollectiveTypes *types, const XtfArray *array, uint64_t n, uint64_t *completion,
                               bool *found, GError **error);
