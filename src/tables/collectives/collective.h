/*
 * All members of a collective operation, found on request.
 *
 * The k-th operation of a communicator in which one member takes part is the k-th of every other member. Blocking and
 * non-blocking operations are counted separately, since MPI never matches one with the other. A communicator without a
 * group is private to each process. Times do not decide who takes part, since clocks may differ.
 *
 * An operation is certain if all members agree on operation and root, and have equal numbers of operations of the
 * communicator in the whole trace. Then no record was lost. Uncertain operations are shown as recorded, with the state
 * `uncertain`.
 *
 * Memory does not grow with a communicator, but for an index of 24 bytes for each XTF_MEMBERS_AT_ONCE members.
 * All functions may be called from any thread.
 */
#pragma once

#include "src/analysis/formulas/collective-waits.h"
#include "src/tables/collectives/collective-types.h"
#include "src/trace/select/keeper.h"
#include "src/trace/text/row-sink.h"

enum { XTF_MEMBERS_AT_ONCE = 4096 };

typedef struct {
    XtfTraceContext *context; /* borrowed */
    XtfCollectiveTypes types;
    XtfKeeper processes, comms, operations;
} XtfCollectives;

void xtf_collectives_init(XtfCollectives *collectives, XtfTraceContext *context);
void xtf_collectives_finish(XtfCollectives *collectives);

/* An operation, identified by one of its records. */
typedef struct {
    uint32_t location; /* index in XtfLocations */
    uint64_t row;      /* row of its END or COMPLETE in the array of `location` */
    uint64_t proc;     /* process of the location */
    uint64_t event, comm;
    uint64_t n; /* number of members */
} XtfCollectiveId;

/* Identifies the operation of a record of `collectives`. *found is false if the trace does not record its communicator,
 * the members of the communicator, or totals of `collectives`. */
bool xtf_collectives_identify(XtfCollectives *collectives, uint32_t location, uint64_t row, XtfCollectiveId *id,
                              bool *found, GError **error);

/* Computes the size of the table `members` in bytes, and reads any range of its bytes. If clocks contradict each other,
 * operations of several members are uncertain: waits and the last member depend on clocks. */
bool xtf_members_size(XtfCollectives *collectives, const XtfCollectiveId *id, uint64_t *size, GError **error);
bool xtf_members_read(XtfCollectives *collectives, const XtfCollectiveId *id, bool clocks_contradict, uint64_t offset,
                      char *buffer, size_t length, GError **error);
bool xtf_members_rows(XtfCollectives *collectives, const XtfCollectiveId *id, bool clocks_contradict,
                      const XtfRowSink *sink, GError **error);
extern const XtfTableDeclaration xtf_table_members;

typedef enum {
    XTF_MEMBER_FIRST, /* member that began first */
    XTF_MEMBER_LAST,
    XTF_MEMBER_ROOT,
    XTF_N_MEMBER_LINKS,
} XtfMemberLink;

/* Finds the END or COMPLETE of a member; *found is false if there is none. */
bool xtf_members_link(XtfCollectives *collectives, const XtfCollectiveId *id, XtfMemberLink link, uint32_t *location,
                      uint64_t *row, bool *found, GError **error);
