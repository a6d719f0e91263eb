/*
 * The postings of a location's messages, in the order of posting, until what becomes of them is known.
 *
 * A non-blocking receive or send is posted under a request id, and completed or cancelled later, in any order. Whatever
 * was posted before all open requests can be taken from the front. An id means the latest posting of its kind: posting
 * it again forgets the one before, which its program has freed. A request that nobody ever hears of again holds up what
 * was posted behind it until the location ends. So the memory is bounded: beyond XTF_REQUESTS_IN_MEMORY postings it is
 * an unlinked file, mapped, whose pages the system can write out.
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
    XTF_REQUEST_FORGOTTEN, /* never completed, or nothing is to be written of it */
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
    const char *folder;  /* of the unlinked files, borrowed; NULL: the system's for temporary files */
    uint64_t first, end; /* numbers of the postings that are held; number n is ring[n & (room - 1)] */
    uint64_t room;       /* a power of two; 0 before the first posting */
    XtfRequest *ring;
    uint64_t *slots;                     /* 2 * room of them, by id and kind: a number plus 1; 0: free */
    XtfFileMemory ring_file, slots_file; /* which hold them if they are large */
} XtfRequests;

void xtf_requests_init(XtfRequests *requests, const char *folder);
void xtf_requests_finish(XtfRequests *requests); /* twice is fine */
/* Forgets all. */
void xtf_requests_clear(XtfRequests *requests);

/* Posts a message that is `state`. An id means something while it is RECEIVING or SENDING. */
bool xtf_requests_post(XtfRequests *requests, XtfRequestState state, uint64_t id, const XtfPostingsRow *row,
                       GError **error);
/* The receive that completes, now RECEIVED, whose envelope and message are to be set; NULL: none is open. */
XtfPostingsRow *xtf_requests_receive(XtfRequests *requests, uint64_t id);
/* A send completes. */
void xtf_requests_sent(XtfRequests *requests, uint64_t id);
/* The later posted of the receive and the send of that id, if there is one, is cancelled. */
void xtf_requests_cancel(XtfRequests *requests, uint64_t id);

/* Takes the first posting, unless it is open; `ended`: open ones are forgotten. Good until the next call; NULL: there
 * is none. */
const XtfRequest *xtf_requests_take(XtfRequests *requests, bool ended);

static inline bool xtf_requests_empty(const XtfRequests *requests)
{
    return requests->first == requests->end;
}
