/*
 * Indexes of messages: the rows of an array by envelope, in memory.
 *
 * In an array with many groups, a rank or a select in totals may read many rows. An index finds both by a hash and a
 * bisection. Making it reads the whole array once. So an array gets one only after queries that cost about as much, and
 * if the bytes of all indexes stay below a bound.
 *
 * An array has no index if it is large or new, or if its keys do not fit into 32 bits. Nor has it one if some of its
 * rows are removed, damaged or missing. Totals then answer, and fail only if they need such rows.
 */
#pragma once

#include "src/tables/match/order/message-types.h"

typedef struct XtfMessageIndex XtfMessageIndex;

/* The bounds of all indexes of a trace. */
typedef struct {
    gsize bytes;             /* atomic: of all indexes */
    size_t bytes_most;       /* 0: make none */
    uint32_t rows_per_query; /* rows that an index reads in the time of a query without an index */
} XtfMessageIndexBounds;

/* The place of an array's index. Starts as all zeros. */
typedef struct {
    XtfMessageIndex *index; /* atomic; NULL: not made */
    gint queries;           /* atomic: since the array was loaded */
    gint made;              /* atomic: a thread makes the index, or has tried to */
} XtfMessageIndexPlace;

void xtf_message_index_bounds_init(XtfMessageIndexBounds *bounds);

/* Returns an array's index, and makes it if enough queries asked for it. NULL if there is none. The place owns the
 * index. May be called from any thread. */
const XtfMessageIndex *xtf_message_index_find(XtfMessageIndexPlace *place, XtfMessageIndexBounds *bounds,
                                              const XtfMessageType *type, const XtfArray *array);
/* Returns an array's index; NULL if none was made. */
static inline const XtfMessageIndex *xtf_message_index_made(XtfMessageIndexPlace *place)
{
    return g_atomic_pointer_get(&place->index);
}
/* Frees the index of a place, if there is one. No other thread may use it. */
void xtf_message_index_free(XtfMessageIndexPlace *place, XtfMessageIndexBounds *bounds);

/* The rows of a group in ascending order, borrowed from the index. */
typedef struct {
    const uint32_t *rows;
    uint32_t n;
} XtfGroupRows;

/* Returns the rows of a group; none if the array has no such group. */
XtfGroupRows xtf_message_index_rows(const XtfMessageIndex *index, const uint64_t envelope[XTF_ENVELOPE_KEYS]);
/* Returns the number of rows of the group before row n. */
uint32_t xtf_group_rows_rank(const XtfGroupRows *group, uint64_t n);
