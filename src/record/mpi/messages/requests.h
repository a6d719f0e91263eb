/*
 * The requests of the process, from the call that makes one to the call that completes it.
 *
 * A request is found by its handle. Handles are the library's: it may give the same one to many requests at once (such
 * as are complete when they are made), and gives those of completed requests again, possibly before their completion
 * has been noted here, by another thread. So a handle has many requests, in the order in which they were added, and
 * whatever happens to a handle happens to its first one. A request has an id, by which records mean it: one for each
 * time that it is started.
 *
 * Requests that end while nothing is recorded are forgotten then, as their handles will be given again.
 *
 * Memory is only added where more requests exist at once than ever before; it is never given back.
 *
 * Threads: all functions may be called by many at once, unless xtf_mpi_requests_share(false) promised that they are
 * not.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

typedef enum {
    XTF_MPI_REQUEST_SILENT, /* nothing is recorded of it: a message from or to nobody */
    XTF_MPI_REQUEST_SEND,
    XTF_MPI_REQUEST_RECV,
    XTF_MPI_REQUEST_SENDRECV, /* the send has the id, the receive the next one */
    XTF_MPI_REQUEST_COLLECTIVE,
    XTF_MPI_REQUEST_MESSAGE, /* a message that a matching probe found: no request of MPI's, but its handle is alike */
    XTF_MPI_REQUEST_OTHER,   /* `done` says what it is */
} XtfMpiRequestKind;

struct XtfMpiRequest;
/* A request of kind OTHER has completed at `time`. `ring` is an XtfRing, `status` an MPI_Status; NULL: it failed, or
 * was cancelled. */
typedef void XtfMpiRequestDone(void *ring, uint64_t time, const struct XtfMpiRequest *request, const void *status);

enum {
    XTF_MPI_REQUEST_PERSISTENT = 1, /* it stays when it completes */
    XTF_MPI_REQUEST_CANCEL = 2,     /* the program asked to cancel it */
    XTF_MPI_REQUEST_HELD = 8,       /* the table's */
    XTF_MPI_REQUEST_KNOWN = 4,      /* what it receives is known from the start: its status does not tell */
};

/* A cache line. What the kinds do not need is 0. */
typedef struct XtfMpiRequest {
    uint64_t handle;
    uint64_t id;           /* 0: not active */
    uint32_t next, before; /* the table's */
    uint8_t kind;          /* XtfMpiRequestKind */
    uint8_t flags;         /* XTF_MPI_REQUEST_... */
    uint16_t detail;       /* COLLECTIVE: the operation, an index in xtf_collective_operations; OTHER: its owner's */
    uint32_t comm;         /* id; OTHER: its owner's */
    uint32_t peer;         /* destination, or source as asked for; COLLECTIVE: root; OTHER: its owner's */
    uint32_t tag;          /* likewise, but COLLECTIVE: XtfWireExchange */
    uint64_t bytes;        /* that are sent, or come in a KNOWN receive; OTHER: its owner's */
    union {
        uint64_t received;       /* COLLECTIVE */
        XtfMpiRequestDone *done; /* OTHER */
    };
    uint32_t tests; /* how often a test found that it was not complete */
} XtfMpiRequest;

/* Whether many threads may come at once; at first they may. While only one thread is there. */
void xtf_mpi_requests_share(bool share);

/* Whether any request is known, active or not; true where many threads come at once. */
bool xtf_mpi_requests_are_there(void);

/* An id that was never given before; `n` of them, the first is returned. Never 0. */
uint64_t xtf_mpi_requests_ids(unsigned n);

/* Adds a request of a handle and a kind, all else 0, which the caller fills in, and then closes: at once, as others may
 * wait. NULL: there is no memory for it, it will not be known. */
XtfMpiRequest *xtf_mpi_requests_open(uint64_t handle, XtfMpiRequestKind kind);
void xtf_mpi_requests_close(XtfMpiRequest *request);
/* Adds a request; it is copied. False: there is no memory for it, it will not be known. */
bool xtf_mpi_requests_add(const XtfMpiRequest *request);

/*
 * A call that may complete a request, or free it, holds it before it calls MPI: once MPI has completed it, another
 * thread may be given its handle, and be quicker here. A hold is of the handle's first request, active or not, that
 * nobody holds; it ends with one of the four functions below. `message`: the handle is that of a message, not of a
 * request. Where threads do not come at once, a hold is the handle itself, and costs nothing.
 */
extern bool xtf_mpi_requests_shared;
uint64_t xtf_mpi_requests_claim(uint64_t handle, bool message);
static inline uint64_t xtf_mpi_requests_hold(uint64_t handle, bool message)
{
    return xtf_mpi_requests_shared ? xtf_mpi_requests_claim(handle, message) : handle;
}

/* The request has completed: copied to *request and forgotten; a persistent one stays, inactive, and is copied as it
 * was while it was active. False: no active request was held, and nothing happens. */
bool xtf_mpi_requests_complete(uint64_t hold, bool message, XtfMpiRequest *request);
/* True of a request that is known and not active: a persistent one that was not started. */
bool xtf_mpi_requests_is_idle(uint64_t hold);
/* A test found nothing: counts it; copied to *request. False: no active request was held. */
bool xtf_mpi_requests_test(uint64_t hold, XtfMpiRequest *request);
/* The program has freed the request, active or not. Copied to *request. False: there is none. */
bool xtf_mpi_requests_free(uint64_t hold, XtfMpiRequest *request);
/* Nothing has become of it. */
void xtf_mpi_requests_release(uint64_t hold);
/* The active request that is held, until the hold ends; NULL: there is none. */
const XtfMpiRequest *xtf_mpi_requests_held(uint64_t hold);
/* The handle of what is held; 0: nothing is. */
uint64_t xtf_mpi_requests_handle(uint64_t hold);

/* A persistent request is started, as `id`, and its handle is `new_handle` from now on. False: it is not known. */
bool xtf_mpi_requests_start(uint64_t handle, uint64_t new_handle, uint64_t id, XtfMpiRequest *request);
/* The program wants to cancel it. */
void xtf_mpi_requests_cancel(uint64_t handle);

/* Calls `visit` for each request that is active, in no order; not while other threads record. */
void xtf_mpi_requests_each(void (*visit)(const XtfMpiRequest *request, void *data), void *data);

#pragma GCC visibility pop
