/*
 * Locations of a process that take part in collective operations, with their arrays. Finding them takes longer than
 * reading them, so the latest are kept.
 */
#pragma once

#include "src/tables/collectives/collective-types.h"
#include "src/trace/select/keeper.h"

typedef struct {
    uint32_t location; /* index in XtfLocations */
    uint64_t id;
    XtfArray array;
} XtfCollectiveLocation;

typedef struct {
    XtfKept kept;
    uint64_t proc;
    uint32_t n;                       /* number of locations with collective operations */
    XtfCollectiveLocation *locations; /* by id; NULL: not loaded */
} XtfCollectiveProcess;

void xtf_collective_processes_init(XtfKeeper *processes);

/* Takes a process, which is immutable; xtf_collective_process_put() returns it. NULL with an error. */
XtfCollectiveProcess *xtf_collective_process_take(XtfKeeper *processes, const XtfCollectiveTypes *types,
                                                  XtfTraceContext *context, uint64_t proc, GError **error);
void xtf_collective_process_put(XtfKeeper *processes, XtfCollectiveProcess *process); /* NULL is fine */
