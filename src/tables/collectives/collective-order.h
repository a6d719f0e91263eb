/*
 * The order in which a process takes part in the operations of a communicator, and where its k-th one is.
 *
 * MPI has all members start the operations of a communicator in one order. Blocking ones end in that order.
 * Non-blocking ones are ordered by their requests; a request does not name its communicator, but the completion that
 * has its id does. So the records around a completion are looked at, from where no request is open to where none is
 * again. If that is more than XTF_COLLECTIVES_NEAR records, or if ids do not tell which request a completion is of, the
 * order of completions stands in, and is not sure.
 *
 * Locations (threads) of a process are ordered by time, at equal times by their ids.
 */
#pragma once

#include "src/tables/collectives/collective-process.h"

/* One process's part in one operation. */
typedef struct {
    uint32_t at;  /* which of the process's locations */
    uint64_t n;   /* the row of its END or COMPLETE */
    uint64_t end; /* its time */
    bool started; /* `begin` is known: the time of its BEGIN or REQUEST */
    uint64_t begin;
    bool sure; /* it is the k-th */
    uint8_t row[XTF_ROW_MAX];
} XtfCollectivePart;

/* How many operations that `wanted` takes the process takes part in, over the whole trace. */
bool xtf_collective_count(const XtfCollectiveProcess *process, const XtfCollectiveFilter *wanted, uint64_t *count,
                          GError **error);
/* How many of them come before the one of row n, an END or COMPLETE that `wanted` takes. */
bool xtf_collective_number(const XtfCollectiveProcess *process, const XtfCollectiveFilter *wanted, uint32_t at,
                           uint64_t n, uint64_t *k, GError **error);
/* The one that has k before it. */
bool xtf_collective_find(const XtfCollectiveProcess *process, const XtfCollectiveFilter *wanted, uint64_t k,
                         XtfCollectivePart *part, bool *found, GError **error);

/* The END of a BEGIN, or the COMPLETE of a REQUEST: the row that names the communicator. An END or a COMPLETE is its
 * own. */
bool xtf_collective_completion(const XtfCollectiveTypes *types, const XtfArray *array, uint64_t n, uint64_t *completion,
                               bool *found, GError **error);
