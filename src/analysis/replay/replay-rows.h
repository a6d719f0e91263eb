/*
 * The rows of a process that a replay needs, and the calls around them. The rows of all its locations are merged in the
 * order of the process's clock: (time, location, seq).
 */
#pragma once

#include "libxtf/array.h"
#include "libxtf/field-load.h"
#include "src/analysis/replay/replay.h"
#include "src/trace/context/trace-context.h"

typedef enum {
    XTF_ROW_SEND,
    XTF_ROW_POSTING, /* posting of the receive `message` */
    XTF_ROW_RECV,
    XTF_ROW_BEGIN, /* BEGIN of a collective operation; the row has the fields of its END */
    XTF_ROW_END,
    XTF_ROW_UNCERTAIN, /* a collective operation that the replay skips */
    XTF_ROW_SENT,      /* completion of a non-blocking send; with calls only */
} XtfReplayRowKind;

enum {
    XTF_ROW_NO_PATTERN = 255, /* the operation orders no members */
    XTF_ROW_BITS = 48,        /* low bits of a key of posted receives, for the row; the location is above */
};

typedef struct {
    uint64_t time;
    uint64_t row, seq;
    uint64_t bytes;    /* of a message; of a collective operation: sent */
    uint64_t message;  /* POSTING: row of `recvs`; SEND, SENT: the request; UINT64_MAX: none */
    uint32_t comm;     /* XTF_NONE_COMM: none */
    uint32_t peer;     /* rank of the other side, or of the root */
    uint32_t tag;      /* of a message; or the operation, a label's number */
    uint32_t location; /* number in the process */
    uint8_t kind, pattern;
    bool sends, receives; /* of a collective operation: true if this member does */
    uint32_t envelope;    /* number in the process; see row-code.h */
    uint32_t group;       /* of the envelope */
} XtfReplayRow;

#define XTF_NONE_COMM UINT32_MAX

/* A numeric field. */
typedef struct {
    XtfFieldLoad load;
    bool known, optional;
    uint64_t none; /* the bits that mean none, if the field is optional */
} XtfReplayColumn;

/* The columns of messages. */
typedef struct {
    XtfReplayColumn seq, bytes, message, comm, peer, tag;
} XtfReplayColumns;

/* Offsets of the fields of the trace's schemas; NULL: the trace has no such field. Immutable. */
typedef struct {
    const XtfSchema *sends, *postings, *recvs, *collectives, *cancelled, *requests;
    struct {
        const XtfField *seq, *peer, *comm, *tag, *bytes, *message, *event;
    } send, posting, recv, cancel, request;
    const XtfField *seq, *event, *operation, *comm, *root, *sent, *received, *n_to_n; /* of collectives */
    GArray *patterns;                                                                 /* guint8, by operation */
    GArray *shapes;                             /* XtfCollectiveShape, by operation */
    uint32_t sent_event;                        /* label of MPI_ISEND_COMPLETE in `requests` */
    uint32_t begin, end, complete;              /* events of collectives; UINT32_MAX: there is none */
    uint32_t barrier;                           /* label of the operation BARRIER */
    XtfReplayColumns columns[XTF_ROW_SENT + 1]; /* by the kind of row: messages */
} XtfReplayFields;

void xtf_replay_fields_init(XtfReplayFields *fields, XtfTrace *trace);
/* Returns the shape of an operation, given by its label's number. */
XtfCollectiveShape xtf_replay_fields_shape(const XtfReplayFields *fields, uint32_t operation);
void xtf_replay_fields_finish(XtfReplayFields *fields); /* accepts zeros */

typedef struct XtfReplayReader XtfReplayReader;

/* A reader of the rows of one process. */
typedef struct {
    const XtfReplayFields *fields;
    XtfRunWindow window; /* only rows in it */
    XtfReplayReader *readers;
    uint32_t n_readers, room;
    XtfReplayReader *current; /* reader of the row that was returned; NULL: none yet */
    XtfReplayReader *next;    /* reader of the first row among all others; NULL: no others */
} XtfReplayRows;

void xtf_replay_rows_init(XtfReplayRows *rows, const XtfReplayFields *fields, XtfRunWindow window);
void xtf_replay_rows_finish(XtfReplayRows *rows); /* accepts zeros */
/* Adds the arrays of the location with this number in the process. `calls`: also the completions of sends. */
void xtf_replay_rows_add(XtfReplayRows *rows, const XtfArray *arrays, uint32_t n_arrays, bool calls, uint32_t number);
/* Returns the i-th array that was added, of n_readers, with its kind: BEGIN for collectives. *cancelled is that of an
 * array of sends; NULL: none. */
const XtfArray *xtf_replay_rows_array(const XtfReplayRows *rows, uint32_t i, XtfReplayRowKind *kind,
                                      const XtfArray **cancelled);
/* Finds the array of a schema that can be read; NULL if there is none. */
const XtfArray *xtf_replay_array_of(const XtfArray *arrays, uint32_t n_arrays, const XtfSchema *schema);
/* Begins to read, after all locations were added. */
bool xtf_replay_rows_begin(XtfReplayRows *rows, GError **error);
/* Returns the next row, valid until the next call; NULL at the end. */
bool xtf_replay_rows_next(XtfReplayRows *rows, XtfReplayRow **row, GError **error);
