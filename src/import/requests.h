/*
 * A queue of the postings of a location's messages, in the order of posting. A posting stays until its request ends.
 *
 * A non-blocking receive or send is posted under a request id, and completed or cancelled later, in any order. Postings
 * before the first open request can be taken from the front. An id names the latest posting of its kind: posting it
 * again drops the posting before, whose request the program has freed. A request that never ends holds up all later
 * postings until the location ends. Therefore the memory is bounded. More than XTF_REQUESTS_IN_MEMORY postings are in
 * an unlinked, mapped file, so that the kernel can write its pages to disk.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libxtf/base/file-memory.h"
#include "libxtf/error.h"
#include "src/model/schemas.h"

enum { XTF_REQUESTS_IN_MEMORY = 1 << 18 };

typedef enum {
    XTF_REQUEST_FORGOTTEN, /* never completed, or without a row to write */
    XTF_REQUEST_RECEIVING,
    XTF_REQUEST_RECEIVED,
    XTF_REQUEST_SENDING,
    XTF_REQUEST_CANCELLED_SEND,
} XtfRequestState;

typedef struct {
    XtfPostingsRow row;
    uint32_t state; /* XtfRequestState */
    uint64_t id;
} XtfRequest;

typedef struct {
    const char *folder;  /* of the unlinked files, borrowed; NULL: the system's temporary folder */
    uint64_t first, end; /* numbers of the postings in the queue; number n is at ring[n & (capacity - 1)] */
    uint64_t capacity;   /* of the ring, a power of two; 0 before the first posting */
    XtfRequest *ring;
    uint64_t *slots; /* hash table of 2 * capacity slots, by id and kind: posting's number plus 1; 0: free */
    XtfFileMemory ring_file, slots_file; /* the memory of large rings and slots */
} XtfRequests;

void xtf_requests_init(XtfRequests *requests, const char *folder);
void xtf_requests_finish(XtfRequests *requests); /* may be called twice */
/* Removes all postings. */
void xtf_requests_clear(XtfRequests *requests);

/* Adds a posting in the given state. The id is used only by the states RECEIVING and SENDING. */
bool xtf_requests_post(XtfRequests *requests, XtfRequestState state, uint64_t id, const XtfPostingsRow *row,
                       GError **error);
/* Completes the receive of that id: its state becomes RECEIVED. Returns its row, in which the caller sets the envelope
 * and the message; NULL: no such receive is open. */
XtfPostingsRow *xtf_requests_receive(XtfRequests *requests, uint64_t id);
/* Completes the send of that id. */
void xtf_requests_sent(XtfRequests *requests, uint64_t id);
/* Cancels the receive or the send of that id; of both, the one posted later. No-op if none is open. */
void xtf_requests_cancel(XtfRequests *requests, uint64_t id);

/* Removes and returns the first posting that is not FORGOTTEN, valid until the next call. NULL: there is none, or an
 * open request precedes it. If the location has `ended`, open requests become FORGOTTEN first. */
const XtfRequest *xtf_requests_take(XtfRequests *requests, bool ended);

static inline bool xtf_requests_empty(const XtfRequests *requests)
{
    return requests->first == requests->end;
}
