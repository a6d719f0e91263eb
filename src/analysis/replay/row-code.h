/*
 * Rows of a process as records of a log: what is equal to, or near, what the row before had takes few bytes.
 *
 * What many rows have in common is their envelope: it lies in a table of the process's, of which a row has the number.
 */
#pragma once

#include "src/analysis/replay/logs/log.h"
#include "src/analysis/replay/replay-rows.h"

typedef struct {
    uint32_t comm, peer, tag;
    uint8_t kind, pattern;
    bool sends, receives;
    uint32_t group; /* of messages, or of the process's operations of the communicator; UINT32_MAX: none is known */
} XtfEnvelope;

/* The call path of a call, and what follows of it. */
typedef struct {
    uint32_t region, callpath;
    uint8_t kind;
} XtfRowPath;

/* What the rows before were: that of who writes and that of who reads are equal at the same row. Zeros at first. */
typedef struct {
    uint64_t time, seq, recv, request;
    uint64_t rows[XTF_ROW_SENT + 1]; /* by kind */
    uint32_t location;
    XtfReplayCall call;
    XtfRowPath paths[XTF_ROW_SENT + 1]; /* by kind: of the latest row that is not in the call of the row before it */
} XtfRowState;

/* Writes a row, with its call, if there is one; returns where it ends. */
uint8_t *xtf_row_encode(XtfRowState *state, const XtfReplayRow *row, const XtfReplayCall *call, uint8_t *to);
/* Reads what that wrote: row->envelope first, of which `envelopes` says more. *call: state->call, if there is one. */
void xtf_row_decode(XtfRowState *state, const XtfEnvelope *envelopes, const uint8_t *from, bool calls,
                    XtfReplayRow *row);
