/*
 * The rows of a process that a replay needs, of all its locations together, in the order of its clock: (time, location,
 * seq). They are read in batches; between batches no page is held.
 */
#pragma once

#include "libxtf/array.h"
#include "src/analysis/replay/replay-calls.h"
#include "src/analysis/replay/replay.h"
#include "src/query/select/trace-context.h"

typedef enum {
    XTF_ROW_SEND,
    XTF_ROW_POSTING, /* of the receive `message` */
    XTF_ROW_RECV,
    XTF_ROW_BEGIN, /* with all that its end says */
    XTF_ROW_END,
    XTF_ROW_UNCERTAIN, /* a collective operation that is left out */
    XTF_ROW_SENT,      /* a non-blocking send is complete: with calls only */
} XtfReplayRowKind;

enum {
    XTF_ROW_NO_PATTERN = 255, /* nothing follows of the operation */
};

typedef struct {
    uint64_t time;
    uint64_t row, seq;
    uint64_t bytes;    /* of messages; of a collective operation: sent */
    uint64_t message;  /* POSTING: row of `recvs`; SEND, SENT: the request, UINT64_MAX: none */
    uint32_t comm;     /* XTF_NONE_COMM: none */
    uint32_t peer;     /* rank of the other side, or of the root */
    uint32_t tag;      /* of messages; else the operation, a label's number */
    uint32_t location; /* number in the process */
    uint8_t kind, pattern;
    bool sends, receives; /* a collective operation: whether this member does */
} XtfReplayRow;

#define XTF_NONE_COMM UINT32_MAX

/* Where the fields of the trace's schemas lie; NULL where there is none. Immutable. */
typedef struct {
    const XtfSchema *sends, *postings, *recvs, *collectives, *cancelled, *requests;
    struct {
        const XtfField *seq, *peer, *comm, *tag, *bytes, *message, *event;
    } send, posting, recv, cancel, request;
    const XtfField *seq, *event, *operation, *comm, *root, *sent, *received; /* of collectives */
    GArray *patterns;                                                        /* guint8, by operation */
    GArray *shapes;                                                          /* XtfCollectiveShape, by operation */
    uint32_t sent_event;                                                     /* of requests: MPI_ISEND_COMPLETE */
    uint32_t begin, end, complete; /* events of collectives; UINT32_MAX: there is none */
    uint32_t barrier;              /* operation */
} XtfReplayFields;

void xtf_replay_fields_init(XtfReplayFields *fields, XtfTrace *trace);
void xtf_replay_fields_finish(XtfReplayFields *fields); /* also one of zeros */

typedef struct XtfReplaySource XtfReplaySource;

/* The rows of one process, on their way. */
typedef struct {
    XtfReplaySource *sources;
    uint32_t n_sources, room;
    uint64_t n_rows; /* of all sources */
    XtfReplayRow *batch;
    uint32_t at, n, batch_size;
    /* With calls only. */
    XtfReplayWalk *walks; /* by location */
    uint32_t n_walks;
    XtfReplayCall *calls; /* of the rows of the batch; NULL unless `walking` */
    bool walking;
} XtfReplayRows;

void xtf_replay_rows_init(XtfReplayRows *rows, uint32_t batch_size);
void xtf_replay_rows_finish(XtfReplayRows *rows); /* also one of zeros */
/* Adds the arrays of a location of the process, the number-th; with the calls around, if `types` is not NULL. */
bool xtf_replay_rows_add(XtfReplayRows *rows, const XtfReplayFields *fields, const XtfReplayCallTypes *types,
                         XtfTrace *trace, bool local, const XtfLocation *location, uint32_t number, GError **error);
/* To the beginning. */
void xtf_replay_rows_rewind(XtfReplayRows *rows);
/* Reads the next batch; *n is 0 at the end, and then all calls were gone through. */
bool xtf_replay_rows_fill(XtfReplayRows *rows, const XtfReplayFields *fields, GError **error);
