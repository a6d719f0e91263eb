/*
 * The collective operations whose members have points: their members, and which of them synchronise. The key is the
 * instance number of the points. The store is in unnamed temporary files.
 *
 * Consecutive operations of most programs have the same members. A list of members that was stored lately is not
 * stored again, so operations with equal `first` and `n_members` have equal members.
 *
 * Only one thread may put operations. Any number of threads may read what was put.
 */
#pragma once

#include "src/analysis/replay/logs/spool.h"

enum { XTF_OPERATION_HEADS = 16 };

/* A member of an operation's communicator. */
typedef struct {
    uint32_t location; /* index */
    bool synchronises; /* true if it has a point */
} XtfOperationMember;

typedef struct {
    uint64_t first;       /* place of its members, which are in the order of their locations */
    uint64_t culprit_seq; /* seq of the END of the member that the others waited for */
    uint32_t culprit;     /* location of that member */
    uint32_t n_members;   /* 0: no member has a point */
    uint32_t n_points;
    uint32_t unused;
} XtfOperation;

typedef struct {
    XtfSpool heads, members;
    GHashTable *sets; /* lists of members stored lately; NULL: none yet */
    uint64_t n;       /* one more than the greatest instance number */
} XtfOperations;

#define XTF_OPERATIONS_NONE ((XtfOperations){XTF_SPOOL_NONE, XTF_SPOOL_NONE, NULL, 0})

bool xtf_operations_open(XtfOperations *operations, GError **error);
void xtf_operations_close(XtfOperations *operations); /* may be called twice */
/* Sets first, n_members and n_points of the operation; sorts the members. */
bool xtf_operations_put(XtfOperations *operations, uint64_t instance, XtfOperation *operation,
                        XtfOperationMember *members, uint32_t n, GError **error);
/* Stores an operation with the members of another one: `first`, n_members and n_points are equal. */
bool xtf_operations_put_head(XtfOperations *operations, uint64_t instance, const XtfOperation *operation,
                             GError **error);
/* Reads all members of an operation into `members`, which has room for n_members. */
bool xtf_operations_members(const XtfOperations *operations, const XtfOperation *operation, XtfOperationMember *members,
                            GError **error);

/* A reader of heads for one thread, with one block of them in memory. */
typedef struct {
    const XtfOperations *operations;
    uint64_t block; /* number of the block in `heads`, plus 1; 0: none */
    XtfOperation heads[XTF_OPERATION_HEADS];
} XtfOperationHeads;

static inline void xtf_operation_heads_init(XtfOperationHeads *heads, const XtfOperations *operations)
{
    heads->operations = operations;
    heads->block = 0;
}

/* Reads the head of an operation. An operation that was never put has n_members 0. */
bool xtf_operation_heads_get(XtfOperationHeads *heads, uint64_t instance, XtfOperation *operation, GError **error);
