/* Messages and requests as the wrappers of MPI's functions see them: from the arguments of a call to records.
 *
 * Wrappers call these functions after MPI's own has returned, and only if it succeeded, unless there is a parameter
 * `result`. A send that may block is recorded before the call if xtf_mpi_can_send(), so that a reader who follows
 * the trace sees it while it waits. Sends and postings get the time at which their call was entered. Receives and
 * completions get the time at which it returned. Nothing is recorded of messages from or to MPI_PROC_NULL, nor of
 * their requests. Bytes are counts times sizes of types in 64 bits; for received messages the status gives the
 * count.
 *
 * If a call changes an argument, the wrapper saves it before the call: requests (xtf_mpi_save_requests()), and
 * messages (xtf_mpi_save_message()). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/record/core/core.h"
#include "src/record/mpi/library/pmpi.h"
#include "src/record/mpi/messages/requests.h"

#pragma GCC visibility push(hidden)

/* Converts a handle of any kind to the key of the table of requests. */
#define XTF_MPI_HANDLE(handle) ((uint64_t)(uintptr_t)(handle))

/* Sets, after MPI_Init, whether several threads may use the table of requests at once. */
void xtf_mpi_messages_begin(void);
/* Records the counted tests of requests that were not completed, before MPI_Finalize. */
void xtf_mpi_messages_finish(XtfRing *ring, uint64_t time);

/* Returns the bytes of `count` elements; 0: no element, or no type. */
uint64_t xtf_mpi_bytes(long long count, MPI_Datatype type);
/* Returns the bytes that were received. */
uint64_t xtf_mpi_received(const MPI_Status *status);

/* True if type and communicator are certain to be valid (valid.h), before a send. The recorder asks MPI nothing
 * about others before the call has succeeded. Asking would call an error handler, perhaps another one than the call
 * does. */
bool xtf_mpi_can_send(MPI_Datatype type, MPI_Comm comm);
/* Shows what a call waits for, before a call that may block, and records nothing. The call was entered at `time`.
 * MPI is asked nothing about a handle that may be invalid. */
void xtf_mpi_awaits(XtfRing *ring, uint64_t time, int peer, int tag, MPI_Comm comm);
/* Shows the same of a call that receives a message and sends one. */
void xtf_mpi_awaits_both(XtfRing *ring, uint64_t time, int source, int recvtag, int dest, int sendtag, MPI_Comm comm);
/* Shows what a call waits for that waits for one held request; `ring` may be NULL. */
void xtf_mpi_awaits_request(XtfRing *ring, uint64_t time, uint64_t saved);
/* Shows that a call waits in a collective operation; `ring` may be NULL. */
void xtf_mpi_awaits_all(XtfRing *ring, uint64_t time, MPI_Comm comm);
/* Shows the same of an operation with a root. `count`: elements of a block that the caller sends to the root, or
 * receives from it. If there are none, or the root is in another group, the root is not shown. */
void xtf_mpi_awaits_root(XtfRing *ring, uint64_t time, int root, long long count, MPI_Comm comm);
/* Shows the same, by the communicator's id. */
void xtf_mpi_awaits_members(XtfRing *ring, uint64_t time, uint32_t comm);
/* Records a send, before the call or after it has succeeded. */
void xtf_mpi_send(XtfRing *ring, uint64_t time, uint64_t bytes, int dest, int tag, MPI_Comm comm);
void xtf_mpi_recv(XtfRing *ring, uint64_t time, MPI_Comm comm, const MPI_Status *status);
void xtf_mpi_isend(XtfRing *ring, uint64_t time, uint64_t bytes, int dest, int tag, MPI_Comm comm, MPI_Request request);
void xtf_mpi_irecv(XtfRing *ring, uint64_t time, int source, int tag, MPI_Comm comm, MPI_Request request);
/* Records a combined send and receive. `room`: size of the receive buffer in bytes. */
void xtf_mpi_isendrecv(XtfRing *ring, uint64_t time, uint64_t bytes, int dest, int tag, uint64_t room, int source,
                       int recvtag, MPI_Comm comm, MPI_Request request);

/* Adds persistent requests. `flags`: further XTF_MPI_REQUEST_... flags. `bytes` of a receive is its size if it is
 * partitioned, else 0. */
void xtf_mpi_send_init(uint64_t bytes, int dest, int tag, MPI_Comm comm, MPI_Request request, unsigned flags);
void xtf_mpi_recv_init(uint64_t bytes, int source, int tag, MPI_Comm comm, MPI_Request request, unsigned flags);
/* Records the start of a persistent request. MPI may give it another handle; `handle`: the one before. */
void xtf_mpi_start(XtfRing *ring, uint64_t time, uint64_t handle, MPI_Request request);
/* Returns the handles of several requests, in the same memory as xtf_mpi_save_requests(). */
uint64_t *xtf_mpi_handles(long long n, const MPI_Request *requests);
void xtf_mpi_start_all(XtfRing *ring, uint64_t time, long long n, const uint64_t *handles, const MPI_Request *requests);

/* ---- Matching probes, and calls that receive the probed messages. `saved`: saved state of the message. A probe takes
 * its message, so that no receive posted later gets it. So the probe records the posting, at the time at which it was
 * entered, and the receiving call completes it. If a message was probed while nothing was recorded, the receiving call
 * counts as its posting. */

void xtf_mpi_mprobe(XtfRing *ring, uint64_t time, MPI_Message message, MPI_Comm comm);
void xtf_mpi_mrecv(XtfRing *ring, uint64_t time, uint64_t saved, const MPI_Status *status);
void xtf_mpi_imrecv(XtfRing *ring, uint64_t time, uint64_t saved, MPI_Request request);
/* Ends a message whose receive has failed. `message`: after the call; the null message: MPI has freed it all the
 * same. */
void xtf_mpi_message_lost(XtfRing *ring, uint64_t time, uint64_t saved, MPI_Message message);

/* Counts a probe that found nothing. True for the first one of the thread since a probe found a message. */
bool xtf_mpi_probe_failed(void);
/* Records how many probes found nothing before this one, which found a message. */
void xtf_mpi_probe_found(XtfRing *ring, uint64_t time);

/* Saved state of a request, or of a message, that a call may complete: a hold (requests.h). */
#define XTF_MPI_NO_REQUEST UINT64_MAX
static inline uint64_t xtf_mpi_save_request(MPI_Request request)
{
    return request == MPI_REQUEST_NULL ? XTF_MPI_NO_REQUEST : xtf_mpi_requests_hold(XTF_MPI_HANDLE(request), false);
}
static inline uint64_t xtf_mpi_save_message(MPI_Message message)
{
    return message == MPI_MESSAGE_NO_PROC || message == MPI_MESSAGE_NULL
               ? XTF_MPI_NO_REQUEST
               : xtf_mpi_requests_hold(XTF_MPI_HANDLE(message), true);
}
/* Holds several requests. The thread reuses the memory in its next call. NULL: there is no memory. */
uint64_t *xtf_mpi_save_requests(long long n, const MPI_Request *requests);
/* Holds several requests likewise, and shows for which of them a call waits. Null and inactive requests do not count,
 * nor requests of messages from or to MPI_PROC_NULL. `ring` may be NULL. */
uint64_t *xtf_mpi_save_awaited(XtfRing *ring, uint64_t time, long long n, const MPI_Request *requests);
/* Releases a hold without any change of the request. */
void xtf_mpi_release(uint64_t saved);
/* Removes a freed request, if the call succeeded. */
void xtf_mpi_freed(int result, uint64_t saved);

/* ---- Records of the requests that a call has completed. `saved`: saved state from before the call. `requests`: as the
 * call left them. `status`, `statuses`: never MPI's constants to ignore them. `ring` is NULL, here and for matched
 * messages, if the thread does not record: then the requests are only removed. */

void xtf_mpi_completed(XtfRing *ring, uint64_t time, int result, uint64_t saved, MPI_Request request,
                       MPI_Status *status);
void xtf_mpi_completed_all(XtfRing *ring, uint64_t time, int result, long long n, const uint64_t *saved,
                           const MPI_Request *requests, MPI_Status *statuses);
void xtf_mpi_completed_any(XtfRing *ring, uint64_t time, int result, long long n, uint64_t *saved,
                           const MPI_Request *requests, int index, MPI_Status *status);
void xtf_mpi_completed_some(XtfRing *ring, uint64_t time, int result, long long n, uint64_t *saved, int n_done,
                            const int *indices, MPI_Status *statuses);

/* Tests that find nothing. A program may call millions. For each request the first one is recorded, and their number
 * when the request completes. If all calls are recorded, each test is. A test of several requests is recorded
 * and counted with the first active one. */
typedef struct {
    uint64_t id;
    bool is_known; /* false: nothing is recorded of the test */
} XtfMpiTest;

/* True if a test is recorded: one that completes a request, and the first of a request that finds nothing. A test of
 * only null and inactive requests is not recorded, since it completes at once. Nor is a test that finds an unknown
 * request, such as a generalized one, still incomplete. `ring` is NULL if the thread does not record. */
bool xtf_mpi_test_is_recorded(XtfRing *ring, bool found, long long n, const uint64_t *saved, XtfMpiTest *test);
void xtf_mpi_record_test(XtfRing *ring, uint64_t time, const XtfMpiTest *test);

#pragma GCC visibility pop
