/* The requests of the process, from the call that makes one to the call that completes it.
 *
 * The table finds a request by its handle, which the MPI library chooses. The library may give one handle to several
 * requests at once, such as requests that are complete when they are made. It reuses the handles of completed
 * requests, possibly in another thread before this table has removed them. So a handle has several requests, in the
 * order in which they were added, and each operation on a handle applies to its first one. Records name a request by
 * its id. It gets a new id each time it is started.
 *
 * Requests that end while nothing is recorded are removed, since their handles will be reused.
 *
 * The table allocates memory only if more requests exist at once than ever before. It never frees memory.
 *
 * Several threads may call all functions at once, unless xtf_mpi_requests_share(false) was called. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

typedef enum {
    XTF_MPI_REQUEST_SILENT, /* nothing is recorded of it: a message from or to MPI_PROC_NULL */
    XTF_MPI_REQUEST_SEND,
    XTF_MPI_REQUEST_RECV,
    XTF_MPI_REQUEST_SENDRECV, /* the send has the id, the receive has the next one */
    XTF_MPI_REQUEST_COLLECTIVE,
    XTF_MPI_REQUEST_MESSAGE, /* message that a matching probe found: no request of MPI, but it has a handle, too */
    XTF_MPI_REQUEST_OTHER,   /* kind of its owner, who sets `done` */
} XtfMpiRequestKind;

struct XtfMpiRequest;
/* Called when a request of kind OTHER completes at `time`. `ring` is an XtfRing, `status` an MPI_Status; NULL: it
 * failed, or was cancelled. */
typedef void XtfMpiRequestDone(void *ring, uint64_t time, const struct XtfMpiRequest *request, const void *status);

enum {
    XTF_MPI_REQUEST_PERSISTENT = 1, /* stays in the table when it completes */
    XTF_MPI_REQUEST_CANCEL = 2,     /* the program asked to cancel it */
    XTF_MPI_REQUEST_HELD = 8,       /* used by the table */
    XTF_MPI_REQUEST_KNOWN =
        4, /* source, tag and bytes of the receive are known from the start: its status does not give them */
};

/* Request, in one cache line. Fields that a kind does not need are 0. */
typedef struct XtfMpiRequest {
    uint64_t handle;
    uint64_t id;           /* number of the request; 0: not active */
    uint32_t next, before; /* used by the table */
    uint8_t kind;          /* XtfMpiRequestKind */
    uint8_t flags;         /* XTF_MPI_REQUEST_... */
    uint16_t detail;       /* COLLECTIVE: the operation, an index in xtf_collective_operations; OTHER: its owner's */
    uint32_t comm;         /* id of the communicator; OTHER: its owner's */
    uint32_t peer;         /* destination, or source as given by the program; COLLECTIVE: root; OTHER: its owner's */
    uint32_t tag;          /* tag as given by the program; COLLECTIVE: XtfWireExchange; OTHER: its owner's */
    uint64_t bytes;        /* sent, or received by a KNOWN receive; OTHER: its owner's */
    union {
        uint64_t received;       /* COLLECTIVE: bytes received */
        XtfMpiRequestDone *done; /* OTHER: function that its owner wants called */
    };
    uint32_t tests; /* number of tests that found it incomplete */
} XtfMpiRequest;

/* Sets whether several threads may call at once; true at first. Call it while only one thread runs. */
void xtf_mpi_requests_share(bool share);

/* True if the table has any request, active or not, and always while it is shared by threads. */
bool xtf_mpi_requests_may_exist(void);

/* Returns the first of `n` new ids. Never 0. */
uint64_t xtf_mpi_requests_ids(unsigned n);

/* Adds a request with a handle and a kind, all else 0. The caller fills it in and closes it at once, as other
 * threads may wait for the lock. NULL: there is no memory, and the request stays unknown. */
XtfMpiRequest *xtf_mpi_requests_open(uint64_t handle, XtfMpiRequestKind kind);
void xtf_mpi_requests_close(XtfMpiRequest *request);
/* Adds a copy of a request. Returns false if there is no memory; then the request stays unknown. */
bool xtf_mpi_requests_add(const XtfMpiRequest *request);

/* Holds. A call that may complete or free a request holds it before it calls MPI. Once MPI has completed the
 * request, another thread may get its handle, and be faster here. A hold takes the handle's first request, active or
 * not, that is not held. One of the next functions ends it. `message`: the handle is that of a message, not of a
 * request. */
uint64_t xtf_mpi_requests_hold(uint64_t handle, bool message);

typedef struct {
    uint64_t hold;
    const XtfMpiRequest *request; /* active or not, valid until the hold ends; NULL: none is held */
} XtfMpiHeldRequest;

/* Holds a request likewise, and returns it, too. */
XtfMpiHeldRequest xtf_mpi_requests_hold_known(uint64_t handle);

/* Copies a completed request to *request and removes it. A persistent request stays, inactive; its copy is as it was
 * while active. Returns false, and changes nothing, if no active request was held. */
bool xtf_mpi_requests_complete(uint64_t hold, XtfMpiRequest *request);
/* True if the held request is known and not active: a persistent one that was not started. */
bool xtf_mpi_requests_is_idle(uint64_t hold);
/* Counts a test that found the held request not completed, and copies the request to *request. Returns false if no
 * active request was held. */
bool xtf_mpi_requests_test(uint64_t hold, XtfMpiRequest *request);
/* Copies a request that the program has freed, active or not, to *request and removes it. Returns false if nothing
 * was held. */
bool xtf_mpi_requests_free(uint64_t hold, XtfMpiRequest *request);
/* Ends a hold without any change of the request. */
void xtf_mpi_requests_release(uint64_t hold);
/* Returns the active request that is held, valid until the hold ends; NULL: none is. */
const XtfMpiRequest *xtf_mpi_requests_held(uint64_t hold);
/* Returns the handle of the held request; 0: none is held. */
uint64_t xtf_mpi_requests_handle(uint64_t hold);

/* Starts a persistent request with the id `id`. Its handle is `new_handle` from then on. Returns false if it is
 * unknown. */
bool xtf_mpi_requests_start(uint64_t handle, uint64_t new_handle, uint64_t id, XtfMpiRequest *request);
/* Marks a request that the program wants to cancel. */
void xtf_mpi_requests_cancel(uint64_t handle);

/* Calls `visit` for each request that is active, in no order; not while other threads record. */
void xtf_mpi_requests_each(void (*visit)(const XtfMpiRequest *request, void *data), void *data);

#pragma GCC visibility pop
