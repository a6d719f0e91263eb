/*
 * The operations of many whose members have points: who takes part, and who synchronises. By the number that points
 * have as their instance, in files that have no name.
 */
#pragma once

#include "src/analysis/waits/spool.h"

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
} XtfOperations;

#define XTF_OPERATIONS_NONE ((XtfOperations){XTF_SPOOL_NONE, XTF_SPOOL_NONE})

bool xtf_operations_open(XtfOperations *operations, GError **error);
void xtf_operations_close(XtfOperations *operations); /* twice is fine */
/* Sets first, n_members and n_points of the operation; sorts the members. */
bool xtf_operations_put(XtfOperations *operations, uint64_t instance, XtfOperation *operation,
                        XtfOperationMember *members, uint32_t n, GError **error);
bool xtf_operations_get(const XtfOperations *operations, uint64_t instance, XtfOperation *operation, GError **error);
/* All members of an operation. */
bool xtf_operations_members(const XtfOperations *operations, const XtfOperation *operation, XtfOperationMember *members,
                            GError **error);
