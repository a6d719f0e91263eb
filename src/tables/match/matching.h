/*
 * State of message matching: the caches, and the roles of MPI regions in messages.
 */
#pragma once

#include "src/tables/match/order/message-process.h"

/* Effects of a call of a region on messages: a set of bits. */
enum {
    XTF_CALL_OF_MPI = 1,  /* sends, receives, waits or tests: time in the call may be waiting */
    XTF_CALL_TESTS = 2,   /* MPI_Test*: never waits */
    XTF_CALL_WAITS = 4,   /* MPI_Wait* */
    XTF_CALL_MATCHED = 8, /* MPI_Mrecv, MPI_Imrecv: receives a message that an earlier probe matched */
    XTF_CALL_MPROBE = 16, /* MPI_Mprobe: waits for a message; posts its receive if the recorder records that */
};

typedef struct {
    XtfTraceContext *context; /* borrowed */
    XtfMessageTypes types;
    XtfMessageProcesses processes;
    XtfKeeper shifts; /* message-shifts.h */
    GMutex lock;      /* serializes loading */
    gint uses_loaded; /* atomic */
    uint64_t n_regions;
    uint8_t *uses;    /* by row of definitions/regions */
    bool has_matched; /* true if a region has XTF_CALL_MATCHED */
    bool has_mprobe;  /* true if a region has XTF_CALL_MPROBE */
    gint needs_uses;  /* atomic: true if many messages of the last batch needed the uses of their calls */
} XtfMatching;

void xtf_matching_init(XtfMatching *matching, XtfTraceContext *context);
void xtf_matching_finish(XtfMatching *matching);
/* Frees the processes that no thread uses, with their indexes. Later queries load them again. Thread-safe. */
void xtf_matching_free_idle(XtfMatching *matching);

/* Returns true if the trace's messages can be matched; else false with XTF_ERROR_UNSUPPORTED. */
bool xtf_matching_check(const XtfMatching *matching, GError **error);

/* Loads `uses` of all regions, if not loaded yet. */
bool xtf_matching_load_uses(XtfMatching *matching, GError **error);
/* Returns the XTF_CALL_ bits of a region. `uses` must be loaded. */
static inline unsigned xtf_matching_use(const XtfMatching *matching, uint64_t region)
{
    return region < matching->n_regions ? matching->uses[region] : 0;
}
