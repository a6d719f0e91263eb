/*
 * Messages and requests as the wrappers of MPI's functions see them: from the arguments of a call to records.
 *
 * The wrappers call these functions after MPI's own has returned, and only if it succeeded, but where it says `result`.
 * A send that may block is recorded before, if xtf_mpi_can_send(): who follows the trace sees it while it waits. Sends
 * and postings are recorded with the time at which their call was entered, receives and completions with the time at
 * which it returned. A message from or to MPI_PROC_NULL is none, and its request is one of which nothing is recorded.
 * Bytes are counts times sizes of types in 64 bits; of received messages what the status says.
 *
 * What a call asks for must be kept before the call where the call changes it: requests (xtf_mpi_save_requests()), and
 * messages (xtf_mpi_save_message()).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/record/core/core.h"
#include "src/record/mpi/library/pmpi.h"
#include "src/record/mpi/messages/requests.h"

#pragma GCC visibility push(hidden)

/* A handle of any kind as the table of requests knows it. */
#define XTF_MPI_HANDLE(handle) ((uint64_t)(uintptr_t)(handle))

/* MPI is there: tells the table of requests whether many threads may come at once. */
void xtf_mpi_messages_begin(void);
/* MPI will go: what is known of requests that were not completed is recorded. */
void xtf_mpi_messages_finish(XtfRing *ring, uint64_t time);

/* The bytes of so many elements; 0: no element, or no type. */
uint64_t xtf_mpi_bytes(long long count, MPI_Datatype type);
/* The bytes that were received. */
uint64_t xtf_mpi_received(const MPI_Status *status);

/* Before a send: whether type and communicator are certain to be valid (valid.h). Of others nothing is asked before the
 * call has succeeded: that would call an error handler, and maybe another one than the call does. */
bool xtf_mpi_can_send(MPI_Datatype type, MPI_Comm comm);
/* Before a call that may block, which was entered at `time`: shows what it waits for, and records nothing. Of a
 * handle that may be invalid MPI is asked nothing. */
void xtf_mpi_awaits(XtfRing *ring, uint64_t time, int peer, int tag, MPI_Comm comm);
/* The same of a call that waits for one request, which is held; `ring` may be NULL. Of calls that wait for many nothing
 * is shown: which of them holds the call up is not known before it, and two look-ups take 30 ns. */
void xtf_mpi_awaits_request(XtfRing *ring, uint64_t time, uint64_t saved);
/* The same of a collective operation. */
void xtf_mpi_awaits_all(XtfRing *ring, uint64_t time, MPI_Comm comm);
/* Before the call, or after it has succeeded. */
void xtf_mpi_send(XtfRing *ring, uint64_t time, uint64_t bytes, int dest, int tag, MPI_Comm comm);
void xtf_mpi_recv(XtfRing *ring, uint64_t time, MPI_Comm comm, const MPI_Status *status);
void xtf_mpi_isend(XtfRing *ring, uint64_t time, uint64_t bytes, int dest, int tag, MPI_Comm comm, MPI_Request request);
void xtf_mpi_irecv(XtfRing *ring, uint64_t time, int source, int tag, MPI_Comm comm, MPI_Request request);
/* `room`: the bytes that may be received. */
void xtf_mpi_isendrecv(XtfRing *ring, uint64_t time, uint64_t bytes, int dest, int tag, uint64_t room, int source,
                       int recvtag, MPI_Comm comm, MPI_Request request);

/* Persistent requests. `flags`: further ones of XTF_MPI_REQUEST_.... The bytes of a partitioned receive are known,
 * those of another are 0. */
void xtf_mpi_send_init(uint64_t bytes, int dest, int tag, MPI_Comm comm, MPI_Request request, unsigned flags);
void xtf_mpi_recv_init(uint64_t bytes, int source, int tag, MPI_Comm comm, MPI_Request request, unsigned flags);
/* MPI may give the request another handle when it is started; `handle`: the one before. */
void xtf_mpi_start(XtfRing *ring, uint64_t time, uint64_t handle, MPI_Request request);
/* The handles of many, in memory as that of xtf_mpi_save_requests(). */
uint64_t *xtf_mpi_handles(long long n, const MPI_Request *requests);
void xtf_mpi_start_all(XtfRing *ring, uint64_t time, long long n, const uint64_t *handles, const MPI_Request *requests);

/*
 * Matching probes, and what receives the messages that they found. `saved`: of the message. A message is taken by its
 * probe: no receive that is posted later gets it. So the probe posts the receive, at the time at which it was entered,
 * and what receives the message completes it. A message that was probed while nothing was recorded counts as posted by
 * the call that receives it.
 */
void xtf_mpi_mprobe(XtfRing *ring, uint64_t time, MPI_Message message, MPI_Comm comm);
void xtf_mpi_mrecv(XtfRing *ring, uint64_t time, uint64_t saved, const MPI_Status *status);
void xtf_mpi_imrecv(XtfRing *ring, uint64_t time, uint64_t saved, MPI_Request request);
/* The call has failed. `message`: after it; the null message: it is gone all the same. */
void xtf_mpi_message_lost(XtfRing *ring, uint64_t time, uint64_t saved, MPI_Message message);

/* A probe found nothing: whether it is the first one of the thread since a probe found something. */
bool xtf_mpi_probe_failed(void);
/* A probe found something: tells how many before did not. */
void xtf_mpi_probe_found(XtfRing *ring, uint64_t time);

/* What a call must know of a request, or of a message, that it may complete: a hold (requests.h). */
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
/* Of many, in memory of the thread that is good until the next call; NULL: there is no memory. */
uint64_t *xtf_mpi_save_requests(long long n, const MPI_Request *requests);
/* Nothing became of a request. */
void xtf_mpi_release(uint64_t saved);
/* It was freed, if the call succeeded. */
void xtf_mpi_freed(int result, uint64_t saved);

/* What a call that completes requests has done. `saved`: before it, `requests`: after it; `status`,
 * `statuses`: never to be ignored. `ring` is NULL, here and of matched messages, where the thread does not record: they
 * are forgotten. */
void xtf_mpi_completed(XtfRing *ring, uint64_t time, int result, uint64_t saved, MPI_Request request,
                       MPI_Status *status);
void xtf_mpi_completed_all(XtfRing *ring, uint64_t time, int result, long long n, const uint64_t *saved,
                           const MPI_Request *requests, MPI_Status *statuses);
void xtf_mpi_completed_any(XtfRing *ring, uint64_t time, int result, long long n, uint64_t *saved,
                           const MPI_Request *requests, int index, MPI_Status *status);
void xtf_mpi_completed_some(XtfRing *ring, uint64_t time, int result, long long n, uint64_t *saved, int n_done,
                            const int *indices, MPI_Status *statuses);

/*
 * Tests that find nothing come in millions. Of each request the first is recorded, and their number when the request
 * completes; if all calls are recorded, each test is. Of a test of many requests, the first active one stands for all.
 */
typedef struct {
    uint64_t id;
    bool is_known; /* else nothing is to be recorded */
} XtfMpiTest;

/* Tells whether a test is recorded: one that completes a request, and the first of a request that finds nothing. Not
 * one of null and inactive requests alone, which are complete at once, nor one that finds a request of which nothing is
 * known, a generalized one say, still incomplete. `ring` is NULL where the thread does not record. */
bool xtf_mpi_test_is_recorded(XtfRing *ring, bool found, long long n, const uint64_t *saved, XtfMpiTest *test);
void xtf_mpi_record_test(XtfRing *ring, uint64_t time, const XtfMpiTest *test);

#pragma GCC visibility pop
