/*
 * All members of a collective operation, put together when somebody asks.
 *
 * The k-th operation of a communicator that one member takes part in is the k-th one of every other member; blocking
 * and non-blocking operations are counted apart, since MPI never matches one with the other. A communicator without a
 * group is one of each process's own. Times say nothing of who takes part: clocks may differ.
 *
 * It is certain if every member has as many operations of the communicator in the whole trace, so none was lost, and if
 * all agree in operation and root. What is not certain is shown as the trace has it, and says so.
 *
 * Nothing of the size of a communicator is held but an index of 24 bytes for each XTF_MEMBERS_AT_ONCE members.
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

/* An operation, by one of its records. */
typedef struct {
    uint32_t location; /* index in XtfLocations */
    uint64_t row;      /* its END or COMPLETE in this location's array */
    uint64_t proc;     /* of the location */
    uint64_t event, comm;
    uint64_t n; /* members */
} XtfCollectiveId;

/* The operation that a record of `collectives` is part of. Not *found: the trace does not say in which communicator it
 * is, who the members of that are, or what its totals are. */
bool xtf_collectives_identify(XtfCollectives *collectives, uint32_t location, uint64_t row, XtfCollectiveId *id,
                              bool *found, GError **error);

/* The table `members`: its bytes, and any part of them, which lies within the size. Where clocks contradict each other,
 * nothing is certain of several members: who was late and who was last hangs on clocks. */
bool xtf_members_size(XtfCollectives *collectives, const XtfCollectiveId *id, uint64_t *size, GError **error);
bool xtf_members_read(XtfCollectives *collectives, const XtfCollectiveId *id, bool clocks_contradict, uint64_t offset,
                      char *buffer, size_t length, GError **error);
bool xtf_members_rows(XtfCollectives *collectives, const XtfCollectiveId *id, bool clocks_contradict,
                      const XtfRowSink *sink, GError **error);
extern const XtfTableDeclaration xtf_table_members;

typedef enum {
    XTF_MEMBER_FIRST, /* who began first */
    XTF_MEMBER_LAST,
    XTF_MEMBER_ROOT,
    XTF_N_MEMBER_LINKS,
} XtfMemberLink;

/* The record, END or COMPLETE, of one of the members; not *found if there is none. */
bool xtf_members_link(XtfCollectives *collectives, const XtfCollectiveId *id, XtfMemberLink link, uint32_t *location,
                      uint64_t *row, bool *found, GError **error);
