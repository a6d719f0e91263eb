/*
 * Record types and side arrays that message matching reads, and their fields.
 *
 * docs/VOCABULARY.md, section 5, describes the matching. A trace of another writer may lack what matching needs. Then
 * no messages are matched, and `missing` says why.
 */
#pragma once

#include "src/trace/context/trace-context.h"

typedef enum {
    XTF_MESSAGES_SENDS,
    XTF_MESSAGES_POSTINGS,
    XTF_MESSAGES_CANCELLED, /* may be missing: no send was cancelled */
    XTF_MESSAGES_N_KINDS,
} XtfMessagesKind;

/* Keys of an envelope, in the order of its aggregate. */
enum { XTF_ENVELOPE_COMM, XTF_ENVELOPE_PEER, XTF_ENVELOPE_TAG, XTF_ENVELOPE_KEYS };

typedef struct {
    const XtfSchema *schema; /* NULL: the trace has none */
    unsigned envelopes;      /* number of the schema's aggregate by comm, peer and tag, with the sum of bytes */
    const XtfField *seq, *region, *event, *bytes, *message, *request;
} XtfMessageType;

typedef struct {
    XtfMessageType types[XTF_MESSAGES_N_KINDS];
    const XtfSchema *recvs;
    const XtfField *recvs_seq, *recvs_posted, *recvs_region, *recvs_event;
    const XtfSchema *calls;    /* has an aggregate of frames; NULL: no calls */
    unsigned frames;           /* number of this aggregate */
    const XtfField *calls_seq; /* NULL: calls have no seq */
    const XtfField *site;      /* of the site of a call; NULL: the trace has no call sites */
    const char *missing;       /* why messages cannot be matched; NULL: they can */
} XtfMessageTypes;

void xtf_message_types_find(XtfMessageTypes *types, const XtfTraceContext *context);

/* Fills the envelope of a row: the keys of its aggregate. */
void xtf_message_envelope(const XtfMessageType *type, const uint8_t *row, uint64_t envelope[XTF_ENVELOPE_KEYS]);

/* Computes the hash of an envelope, an array of XTF_ENVELOPE_KEYS uint64_t, for a GHashTable. */
guint xtf_envelope_hash(const void *envelope);
/* Compares two envelopes, for a GHashTable. */
gboolean xtf_envelope_equal(const void *a, const void *b);
