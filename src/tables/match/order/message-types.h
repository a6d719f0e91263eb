/*
 * The record types and side arrays by which a trace's messages are matched, and where they keep what is asked.
 *
 * docs/VOCABULARY.md, section 5, says how messages are matched. A trace of another writer may lack what it takes: then
 * nothing is matched, and `missing` says what there is not.
 */
#pragma once

#include "src/trace/context/trace-context.h"

typedef enum {
    XTF_MESSAGES_SENDS,
    XTF_MESSAGES_POSTINGS,
    XTF_MESSAGES_CANCELLED, /* may be missing: no send was cancelled */
    XTF_MESSAGES_N_KINDS,
} XtfMessagesKind;

/* Keys of an envelope as its aggregate has them. */
enum { XTF_ENVELOPE_COMM, XTF_ENVELOPE_PEER, XTF_ENVELOPE_TAG, XTF_ENVELOPE_KEYS };

typedef struct {
    const XtfSchema *schema; /* NULL: the trace has none */
    unsigned envelopes;      /* its aggregate by comm, peer and tag, with the sum of bytes */
    const XtfField *seq, *region, *event, *bytes, *message;
} XtfMessageType;

typedef struct {
    XtfMessageType types[XTF_MESSAGES_N_KINDS];
    const XtfSchema *recvs;
    const XtfField *recvs_seq, *recvs_posted, *recvs_region, *recvs_event;
    const XtfSchema *calls; /* with an aggregate of frames; NULL: there are none */
    unsigned frames;        /* its number */
    const char *missing;    /* why nothing is matched; NULL: messages are */
} XtfMessageTypes;

void xtf_message_types_find(XtfMessageTypes *types, const XtfTraceContext *context);

/* The envelope of a row, as the keys of its aggregate. */
void xtf_message_envelope(const XtfMessageType *type, const uint8_t *row, uint64_t envelope[XTF_ENVELOPE_KEYS]);
