/*
 * Locations of a process that have messages, with their arrays. Finding them takes longer than reading them, so the
 * latest are kept.
 *
 * Messages of several locations are ordered by time, at equal times by location id. If all locations share one clock
 * map, local times are compared, since a map may give several local ticks the same global one.
 */
#pragma once

#include "src/tables/match/order/message-index.h"
#include "src/trace/select/keeper.h"

typedef struct {
    uint32_t index; /* index in XtfLocations */
    uint64_t id;
    bool has[XTF_MESSAGES_N_KINDS], has_recvs, has_calls;
    XtfArray arrays[XTF_MESSAGES_N_KINDS], recvs, calls;
    XtfArray ordered[XTF_MESSAGES_N_KINDS]; /* as `arrays`, with the times that order the process's messages */
    XtfMessageIndexPlace indexes[XTF_MESSAGES_N_KINDS]; /* of sends and postings */
    gint probes;                                        /* atomic: message-doubts.c */
    GHashTable *unposted;                               /* atomic: message-unposted.h; NULL: not loaded yet */
} XtfMessageLocation;

typedef struct {
    XtfKept kept;
    XtfMessageIndexBounds *bounds; /* borrowed */
    uint64_t proc;
    uint32_t n;                    /* locations with sends or postings */
    XtfMessageLocation *locations; /* by id; NULL: not loaded */
} XtfMessageProcess;

typedef struct {
    XtfKeeper kept;
    XtfMessageIndexBounds bounds;
} XtfMessageProcesses;

void xtf_message_processes_init(XtfMessageProcesses *processes);
void xtf_message_processes_finish(XtfMessageProcesses *processes);

/* Takes a process, which is immutable but for its atomic fields; xtf_message_process_put() returns it. NULL with an
 * error. */
XtfMessageProcess *xtf_message_process_take(XtfMessageProcesses *processes, const XtfMessageTypes *types,
                                            XtfTraceContext *context, uint64_t proc, GError **error);
/* Takes the process of a location, which has sends or postings, by the location's index in XtfLocations. Sets
 * *location, which is valid until the process is put back. */
bool xtf_message_process_take_location(XtfMessageProcesses *processes, const XtfMessageTypes *types,
                                       XtfTraceContext *context, uint32_t index, XtfMessageProcess **process,
                                       const XtfMessageLocation **location, GError **error);
void xtf_message_process_put(XtfMessageProcesses *processes, XtfMessageProcess *process); /* NULL is fine */

/* Returns the position of a location of the process by its index in XtfLocations; n if it is not there. */
uint32_t xtf_message_process_find(const XtfMessageProcess *process, uint32_t index);
