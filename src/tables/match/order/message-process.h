/*
 * The locations of a process that have messages, with their arrays. Looking them up takes longer than asking them, so
 * the latest are kept.
 *
 * The order of a process of several locations is that of time, at equal times that of the locations' ids. If all of
 * them have one clock map, time is what their own clock says: a map may lead from several local ticks to one.
 */
#pragma once

#include "src/tables/match/order/message-types.h"
#include "src/trace/select/keeper.h"

typedef struct {
    uint32_t index; /* in XtfLocations */
    uint64_t id;
    bool has[XTF_MESSAGES_N_KINDS], has_recvs, has_calls;
    XtfArray arrays[XTF_MESSAGES_N_KINDS], recvs, calls;
    XtfArray ordered[XTF_MESSAGES_N_KINDS]; /* the same, by the time that orders the process */
    gint probes;                            /* atomic: message-doubts.c */
    GHashTable *unposted;                   /* atomic: message-unposted.h; NULL: not asked yet */
} XtfMessageLocation;

typedef struct {
    XtfKept kept;
    uint64_t proc;
    uint32_t n;                    /* locations with sends or postings */
    XtfMessageLocation *locations; /* by id; NULL: not loaded */
} XtfMessageProcess;

void xtf_message_processes_init(XtfKeeper *processes);

/* Takes a process, which is immutable but for what is atomic; xtf_message_process_put() gives it back. NULL with an
 * error. */
XtfMessageProcess *xtf_message_process_take(XtfKeeper *processes, const XtfMessageTypes *types,
                                            XtfTraceContext *context, uint64_t proc, GError **error);
void xtf_message_process_put(XtfKeeper *processes, XtfMessageProcess *process); /* NULL is fine */

/* Which of its locations has an index in XtfLocations; n if none does. */
uint32_t xtf_message_process_find(const XtfMessageProcess *process, uint32_t index);
