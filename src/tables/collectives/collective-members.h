/*
 * Members of one collective operation, XTF_MEMBERS_AT_ONCE at a time, and their agreement.
 */
#pragma once

#include "src/tables/collectives/collective.h"

/* Values of `proc` and `root`: an unknown process; an operation without a root; a root that the record does not
 * identify. */
#define XTF_NO_PROC      UINT64_MAX
#define XTF_NO_ROOT      UINT64_MAX
#define XTF_UNKNOWN_ROOT (UINT64_MAX - 1)

typedef struct {
    uint64_t proc;
    bool found, started;      /* the member has a record; its begin is known */
    uint32_t location;        /* index in XtfLocations */
    uint64_t row, begin, end; /* row of its END or COMPLETE; times of its begin and of that record */
    uint64_t sent, received;  /* bytes; UINT64_MAX: unknown */
    bool sure;                /* see XtfCollectivePart */
    bool n_to_n;              /* true if its record says that the member exchanges data with all other members */
    uint64_t operation, root; /* as recorded; `root` is a process, XTF_NO_ROOT or XTF_UNKNOWN_ROOT */
} XtfCollectiveMember;

/* An operation. The thread that took it has exclusive use of it. */
typedef struct {
    XtfKept kept;
    XtfCollectiveId id;
    uint64_t k;
    bool made;
    bool certain;             /* all members are known, and agree on function, root and number */
    bool waits;               /* the members agree on a blocking operation, so waits can be computed */
    XtfCollectiveShape shape; /* ALL_TO_ALL also if all members say that they exchange data with all others */
    XtfCollectiveSummary summary;
    GArray *senders;              /* XtfMemberTime by block: the latest begin of the senders in the blocks before */
    XtfCollectiveMember *members; /* of block `block`; NULL: none read yet */
    uint64_t block;
} XtfCollectiveOperation;

void xtf_collective_operations_init(XtfKeeper *operations);
void xtf_collective_comms_init(XtfKeeper *comms);

/* Takes an operation with its summary; xtf_collective_operation_put() returns it. NULL with an error. */
XtfCollectiveOperation *xtf_collective_operation_take(XtfCollectives *collectives, const XtfCollectiveId *id,
                                                      GError **error);
void xtf_collective_operation_put(XtfCollectives *collectives, XtfCollectiveOperation *operation);

/* Reads the members of a block, which exists, into `members`. */
bool xtf_collective_operation_load(XtfCollectives *collectives, XtfCollectiveOperation *operation, uint64_t block,
                                   GError **error);

/* Fills the times of the i-th member. Returns false if its begin is unknown. */
bool xtf_collective_member_times(const XtfCollectiveMember *member, uint64_t i, XtfCollectiveTimes *times);
