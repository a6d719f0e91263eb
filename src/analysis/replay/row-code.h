/*
 * Rows of a process as records of a log. A field that equals, or is near, the same field of the row before takes few
 * bytes.
 *
 * The fields that many rows share are their envelope. It is in a table of the process, and a row has its number.
 */
#pragma once

#include "src/analysis/replay/logs/log.h"
#include "src/analysis/replay/replay-rows.h"

typedef struct {
    uint32_t comm, peer, tag;
    uint8_t kind, pattern;
    bool sends, receives;
    uint32_t group; /* of messages, or of the process's operations on the communicator; UINT32_MAX: not known */
} XtfEnvelope;

/* The call path of a call, with the properties that depend on it. */
typedef struct {
    uint32_t region, callpath;
    uint8_t kind;
} XtfRowPath;

/* The values of the rows before. Writer and reader have equal states at the same row. Zeros at first. */
typedef struct {
    uint64_t time, seq, recv, request;
    uint64_t rows[XTF_ROW_SENT + 1]; /* by kind */
    uint32_t location;
    XtfReplayCall call;
    XtfRowPath
        paths[XTF_ROW_SENT + 1]; /* by kind: of the latest row whose call differs from that of the row before it */
} XtfRowState;
