/*
 * The messages and operations that an export writes: a replay hands out both ends, or all members.
 *
 * Memory: a bit for each row of `sends` and `recvs`, 16 bytes for each operation and for each member in it.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/handles.h"
#include "src/trace/context/run-gaps.h"

typedef struct {
    uint64_t row;       /* of the member's END in `collectives` */
    uint32_t operation; /* index in XtfTiKept.operations */
    uint32_t rank;      /* of the member in its communicator */
} XtfTiEnd;

typedef struct {
    uint64_t sent; /* sum of the bytes that all members sent */
    uint32_t n_members, n_ended;
} XtfTiOperation;

typedef struct {
    GByteArray *sends, *receives; /* a bit for each row of `sends` and `recvs`; NULL: no row */
    GArray *ends;                 /* of XtfTiEnd, by row; NULL: none */
} XtfTiRows;

/* One process, whose number among the replay's processes is its rank. */
typedef struct {
    uint64_t proc;
    uint32_t first, n;      /* its locations, as indexes in XtfLocations */
    uint32_t communicating; /* the location that has its messages and operations; else its first one */
} XtfTiProcess;

typedef struct {
    XtfTiProcess *processes;
    uint32_t n_processes, n_locations;
    XtfTiRows *rows;                              /* by location */
    GArray *operations;                           /* of XtfTiOperation */
    uint64_t uncertain_sends, uncertain_receives; /* ends of messages that are left out */
    uint64_t uncertain_ends; /* ends of operations that are left out: non-blocking, or with uncertain members */
    uint64_t n_separate;     /* operations that need no other member, and are left out */
} XtfTiKept;

/* Replays a window of a trace. `progress` is as in XtfReplayOptions. XTF_ERROR_UNSUPPORTED if two threads of a process
 * communicate. */
bool xtf_ti_kept_find(XtfTiKept *kept, XtfTrace *trace, XtfRunWindow window,
                      void (*progress)(uint64_t done, uint64_t total, void *data), void *progress_data, GError **error);
void xtf_ti_kept_finish(XtfTiKept *kept); /* accepts all zeros */

/* True if the set has a row: XtfTiRows.sends or .receives. */
bool xtf_ti_rows_contain(const GByteArray *set, uint64_t row);
/* Returns the rank of a process; UINT32_MAX if the trace has none. */
uint32_t xtf_ti_kept_rank(const XtfTiKept *kept, uint64_t proc);
