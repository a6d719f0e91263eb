/*
 * The rows of a process that a replay needs, of all its locations together, in the order of its clock: (time, location,
 * seq); with the calls around them.
 */
#pragma once

#include "libxtf/array.h"
#include "libxtf/field-load.h"
#include "src/analysis/replay/replay.h"
#include "src/trace/context/trace-context.h"

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
    XTF_ROW_BITS = 48,        /* of a key of posted receives; the location is above */
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
    uint32_t envelope;    /* number in the process; see row-code.h */
    uint32_t group;       /* of the envelope */
} XtfReplayRow;

#define XTF_NONE_COMM UINT32_MAX

/* A field of a number. */
typedef struct {
    XtfFieldLoad load;
    bool known, optional;
    uint64_t none; /* the bits of none, if it is optional */
} XtfReplayColumn;

/* Of messages. */
typedef struct {
    XtfReplayColumn seq, bytes, message, comm, peer, tag;
} XtfReplayColumns;

/* Where the fields of the trace's schemas lie; NULL where there is none. Immutable. */
typedef struct {
    const XtfSchema *sends, *postings, *recvs, *collectives, *cancelled, *requests;
    struct {
        const XtfField *seq, *peer, *comm, *tag, *bytes, *message, *event;
    } send, posting, recv, cancel, request;
    const XtfField *seq, *event, *operation, *comm, *root, *sent, *received, *n_to_n; /* of collectives */
    GArray *patterns;                                                                 /* guint8, by operation */
    GArray *shapes;                             /* XtfCollectiveShape, by operation */
    uint32_t sent_event;                        /* of requests: MPI_ISEND_COMPLETE */
    uint32_t begin, end, complete;              /* events of collectives; UINT32_MAX: there is none */
    uint32_t barrier;                           /* operation */
    XtfReplayColumns columns[XTF_ROW_SENT + 1]; /* by the kind of row: messages */
} XtfReplayFields;

void xtf_replay_fields_init(XtfReplayFields *fields, XtfTrace *trace);
/* The shape of an operation, a label's number. */
XtfCollectiveShape xtf_replay_fields_shape(const XtfReplayFields *fields, uint32_t operation);
void xtf_replay_fields_finish(XtfReplayFields *fields); /* also one of zeros */

typedef struct XtfReplayReader XtfReplayReader;

/* The rows of one process, on their way. */
typedef struct {
    const XtfReplayFields *fields;
    XtfReplayReader *readers;
    uint32_t n_readers, room;
    XtfReplayReader *current; /* of the row that was handed out; NULL: none yet */
    XtfReplayReader *next;    /* of the first row of all others; NULL: there are none */
} XtfReplayRows;

void xtf_replay_rows_init(XtfReplayRows *rows, const XtfReplayFields *fields);
void xtf_replay_rows_finish(XtfReplayRows *rows); /* also one of zeros */
/* Adds the arrays of a location of the process, the number-th; with completions of sends, if `calls`. */
void xtf_replay_rows_add(XtfReplayRows *rows, const XtfArray *arrays, uint32_t n_arrays, bool calls, uint32_t number);
/* The array of a schema that can be read; NULL if there is none. */
const XtfArray *xtf_replay_array_of(const XtfArray *arrays, uint32_t n_arrays, const XtfSchema *schema);
/* Once all are added. */
bool xtf_replay_rows_begin(XtfReplayRows *rows, GError **error);
/* The next row, good until the next call; NULL at the end. */
bool xtf_replay_rows_next(XtfReplayRows *rows, XtfReplayRow **row, GError **error);
