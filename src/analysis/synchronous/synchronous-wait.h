/*
 * The waits of a run with synchronous sends.
 */
#pragma once

#include <stdint.h>

typedef enum {
    XTF_SYNCHRONOUS_SEND,
    XTF_SYNCHRONOUS_RECEIVE,
    XTF_SYNCHRONOUS_OPERATION,
} XtfSynchronousKind;

/* The wait of a location, in a call. */
typedef struct {
    uint64_t row;      /* of the record in `sends`, `recvs` or `collectives`, in `record_location` */
    uint64_t call_row; /* of the ENTER of the call in which it waits; UINT64_MAX: none */
    uint32_t location, awaited, record_location; /* indexes in XtfLocations */
    uint32_t region;                             /* of that call; UINT32_MAX: none */
    uint32_t comm, tag;                          /* `tag` of a message */
    XtfSynchronousKind kind;
} XtfSynchronousWait;
