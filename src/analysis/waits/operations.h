/*
 * The operations of many whose members have points: who takes part, and who synchronises. By the number that points
 * have as their instance, in files that have no name.
 *
 * Operations of the same members lie side by side in most programs, so a list of members that is among those of late is
 * not written again: operations with equal `first` and `n_members` have equal members.
 *
 * One thread puts; any number of threads may read what was put.
 */
#pragma once

#include "src/analysis/replay/logs/spool.h"

enum { XTF_OPERATION_HEADS = 16 };

/* A member of an operation's communicator. */
typedef struct {
    uint32_t location; /* index */
    bool synchronises; /* it has a point */
} XtfOperationMember;

typedef struct {
    uint64_t first;     /* of its members, which are in the order of their locations */
    uint64_t late_seq;  /* END of the one that was waited for... */
    uint32_t late;      /* ...and its location */
    uint32_t n_members; /* 0: no member has a point */
    uint32_t n_points;
    uint32_t unused;
} XtfOperation;

typedef struct {
    XtfSpool heads, members;
    GHashTable *sets; /* lists of members of late; NULL: none yet */
    uint64_t n;       /* no number is as great as this */
} XtfOperations;

#define XTF_OPERATIONS_NONE ((XtfOperations){XTF_SPOOL_NONE, XTF_SPOOL_NONE, NULL, 0})

bool xtf_operations_open(XtfOperations *operations, GError **error);
void xtf_operations_close(XtfOperations *operations); /* twice is fine */
/* Sets first, n_members and n_points of the operation; sorts the members. */
bool xtf_operations_put(XtfOperations *operations, uint64_t instance, XtfOperation *operation,
                        XtfOperationMember *members, uint32_t n, GError **error);
/* All members of an operation. */
bool xtf_operations_members(const XtfOperations *operations, const XtfOperation *operation, XtfOperationMember *members,
                            GError **error);

/* Heads, as one thread asks for them again and again, often side by side. */
typedef struct {
    const XtfOperations *operations;
    uint64_t block; /* that was read last, plus 1; 0: none */
    XtfOperation heads[XTF_OPERATION_HEADS];
} XtfOperationHeads;

static inline void xtf_operation_heads_init(XtfOperationHeads *heads, const XtfOperations *operations)
{
    heads->operations = operations;
    heads->block = 0;
}

/* What was never put has no members. */
bool xtf_operation_heads_get(XtfOperationHeads *heads, uint64_t instance, XtfOperation *operation, GError **error);
