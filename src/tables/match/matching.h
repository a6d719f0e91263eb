/*
 * What matching a trace's messages needs from one question to the next: caches, and what the names of regions tell.
 */
#pragma once

#include "src/tables/match/order/message-process.h"

/* What a call of a region does to messages: a set of bits. */
enum {
    XTF_CALL_OF_MPI = 1,  /* sends, receives, waits or tests: there may be waiting in it */
    XTF_CALL_TESTS = 2,   /* MPI_Test*: never waits */
    XTF_CALL_WAITS = 4,   /* MPI_Wait* */
    XTF_CALL_MATCHED = 8, /* MPI_Mrecv, MPI_Imrecv: takes a message that a probe has matched before */
    XTF_CALL_MPROBE = 16, /* MPI_Mprobe: waits for a message, and posts its receive if the recorder tells */
};

typedef struct {
    XtfTraceContext *context; /* borrowed */
    XtfMessageTypes types;
    XtfKeeper processes;
    XtfKeeper shifts; /* message-shifts.h */
    GMutex lock;      /* for loading, once */
    gint uses_loaded; /* atomic */
    uint64_t n_regions;
    uint8_t *uses;    /* by row of definitions/regions */
    bool has_matched; /* some region is MATCHED */
} XtfMatching;

void xtf_matching_init(XtfMatching *matching, XtfTraceContext *context);
void xtf_matching_finish(XtfMatching *matching);

/* XTF_ERROR_UNSUPPORTED if the trace's messages are not matched. */
bool xtf_matching_check(const XtfMatching *matching, GError **error);

/* Loads what regions tell, unless that is done. */
bool xtf_matching_load_uses(XtfMatching *matching, GError **error);
/* Of a row of regions; it is loaded. */
static inline unsigned xtf_matching_use(const XtfMatching *matching, uint64_t region)
{
    return region < matching->n_regions ? matching->uses[region] : 0;
}
