/*
 * The members of one operation, XTF_MEMBERS_AT_ONCE of them at a time, and what is known of all together.
 */
#pragma once

#include "src/tables/collectives/collective.h"

/* What `proc` is where it is not known; what the process of a root is where nobody is, or where the record does not say
 * who is. */
#define XTF_NO_PROC      UINT64_MAX
#define XTF_NO_ROOT      UINT64_MAX
#define XTF_UNKNOWN_ROOT (UINT64_MAX - 1)

typedef struct {
    uint64_t proc;
    bool found, started;      /* it has a record; its begin is known */
    uint32_t location;        /* index in XtfLocations */
    uint64_t row, begin, end; /* of its END or COMPLETE; times */
    uint64_t sent, received;  /* UINT64_MAX: not known */
    bool sure;                /* see XtfCollectivePart */
    bool n_to_n;              /* its record says that it exchanges data with all others */
    uint64_t operation, root; /* as its record has them; the process of the root, or one of the above */
} XtfCollectiveMember;

/* An operation; a thread has it alone while it is taken. */
typedef struct {
    XtfKept kept;
    XtfCollectiveId id;
    uint64_t k;
    bool made;
    bool certain, waits;      /* `waits`: all agree in an operation, and have a begin */
    XtfCollectiveShape shape; /* ALL_TO_ALL also where all members say that they exchange data with all others */
    XtfCollectiveSummary summary;
    GArray *senders;              /* of XtfMemberTime: before each block the latest begin of those that sent */
    XtfCollectiveMember *members; /* of one block; NULL: none */
    uint64_t block;
} XtfCollectiveOperation;

void xtf_collective_operations_init(XtfKeeper *operations);
void xtf_collective_comms_init(XtfKeeper *comms);

/* Takes an operation with all that is known of it; xtf_collective_operation_put() gives it back. NULL with an error. */
XtfCollectiveOperation *xtf_collective_operation_take(XtfCollectives *collectives, const XtfCollectiveId *id,
                                                      GError **error);
void xtf_collective_operation_put(XtfCollectives *collectives, XtfCollectiveOperation *operation);

/* Makes `members` those of a block, which exists. */
bool xtf_collective_operation_load(XtfCollectives *collectives, XtfCollectiveOperation *operation, uint64_t block,
                                   GError **error);

/* The times of the i-th member; false if they are not all known. */
bool xtf_collective_member_times(const XtfCollectiveMember *member, uint64_t i, XtfCollectiveTimes *times);
