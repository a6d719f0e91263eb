#include <limits.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

#include "src/record/mpi/library/wrapper.h"
#include "src/record/mpi/messages/messages.h"

enum { FIRST_ROOM = 64 };

/* Memory of a thread besides its ring. */
typedef struct {
    uint64_t *saved;
    long long room;
    uint32_t failed_probes;
} Memory;

static __thread Memory *memory_of_thread __attribute__((tls_model("initial-exec")));
static pthread_key_t memory_key;
static pthread_once_t memory_once = PTHREAD_ONCE_INIT;

static void free_memory(void *data)
{
    Memory *memory = data;

    memory_of_thread = NULL;
    free(memory->saved);
    free(memory);
}

static void make_memory_key(void)
{
    if (pthread_key_create(&memory_key, free_memory) != 0)
        memory_key = (pthread_key_t)-1;
}

static Memory *make_memory(void)
{
    Memory *memory = calloc(1, sizeof *memory);

    pthread_once(&memory_once, make_memory_key);
    if (!memory || pthread_setspecific(memory_key, memory) != 0) {
        free(memory);
        return NULL;
    }
    return memory_of_thread = memory;
}

static Memory *own_memory(void)
{
    return __builtin_expect(memory_of_thread != NULL, 1) ? memory_of_thread : make_memory();
}

/* Returns room for `n` requests; NULL: there is no memory, or the arguments are wrong. */
static uint64_t *room_for(long long n, const MPI_Request *requests)
{
    Memory *thread_memory = own_memory();

    if (!thread_memory || n < 0 || (n > 0 && !requests))
        return NULL;
    if (n > thread_memory->room || !thread_memory->saved) {
        long long room = n > FIRST_ROOM ? n : FIRST_ROOM;
        uint64_t *grown = realloc(thread_memory->saved, (size_t)room * sizeof *grown);
        if (!grown)
            return NULL;
        thread_memory->saved = grown;
        thread_memory->room = room;
    }
    return thread_memory->saved;
}

uint64_t *xtf_mpi_save_requests(long long n, const MPI_Request *requests)
{
    uint64_t *saved = room_for(n, requests);

    for (long long i = 0; saved && i < n; i++)
        saved[i] = xtf_mpi_save_request(requests[i]);
    return saved;
}

/* True if a call may have to wait for a request that is not null; NULL: it is unknown. */
static inline bool is_awaited(const XtfMpiRequest *request)
{
    return !request || (request->id != 0 && request->kind != XTF_MPI_REQUEST_SILENT);
}

/* Returns the id of the record of a request; 0: the request has no record of its own. */
static inline uint64_t recorded_id(const XtfMpiRequest *request)
{
    bool has_record = request && (request->kind == XTF_MPI_REQUEST_SEND || request->kind == XTF_MPI_REQUEST_RECV ||
                                  request->kind == XTF_MPI_REQUEST_COLLECTIVE);

    return has_record ? request->id : 0;
}

uint64_t *xtf_mpi_save_awaited(XtfRing *ring, uint64_t time, long long n, const MPI_Request *requests)
{
    uint64_t *saved = room_for(n, requests);
    _Atomic uint64_t *list = ring ? ring->list : NULL;
    uint32_t n_awaited = 0;

    for (long long i = 0; saved && i < n; i++) {
        if (requests[i] == MPI_REQUEST_NULL) {
            saved[i] = XTF_MPI_NO_REQUEST;
            continue;
        }
        XtfMpiHeldRequest held = xtf_mpi_requests_hold_known(XTF_MPI_HANDLE(requests[i]));
        saved[i] = held.hold;
        if (!is_awaited(held.request))
            continue;
        if (list && n_awaited < XTF_WIRE_LIST_SIZE)
            atomic_store_explicit(&list[n_awaited], recorded_id(held.request), memory_order_relaxed);
        n_awaited++;
    }
    if (ring && saved)
        xtf_core_show_requests(ring, time, XTF_WIRE_NONE, XTF_WIRE_NONE, XTF_WIRE_NONE, n_awaited,
                               list && n_awaited <= XTF_WIRE_LIST_SIZE ? XTF_WIRE_LISTED : 0);
    return saved;
}

uint64_t *xtf_mpi_handles(long long n, const MPI_Request *requests)
{
    uint64_t *handles = room_for(n, requests);

    for (long long i = 0; handles && i < n; i++)
        handles[i] = XTF_MPI_HANDLE(requests[i]);
    return handles;
}

bool xtf_mpi_probe_failed(void)
{
    Memory *thread_memory = own_memory();

    return !thread_memory || thread_memory->failed_probes++ == 0;
}

void xtf_mpi_probe_found(XtfRing *ring, uint64_t time)
{
    Memory *thread_memory = own_memory();

    if (thread_memory && thread_memory->failed_probes > 0)
        xtf_core_record(ring, time, XTF_WIRE_FOUND_NOTHING, 0, thread_memory->failed_probes);
    if (thread_memory)
        thread_memory->failed_probes = 0;
}

/* Outcome of a request. `ring` is NULL if the thread does not record. */
typedef enum { COMPLETED, CANCELLED, FAILED } Outcome;

static void record_outcome(XtfRing *ring, uint64_t time, const XtfMpiRequest *request, Outcome outcome,
                           const MPI_Status *status)
{
    uint64_t id = request->id;
    uint32_t peer = request->peer, tag = request->tag;
    uint64_t bytes = request->bytes;

    if (!ring && request->kind != XTF_MPI_REQUEST_OTHER)
        return;
    switch (request->kind) {
    case XTF_MPI_REQUEST_SENDRECV:
        xtf_core_record(ring, time, outcome == COMPLETED ? XTF_WIRE_ISEND_COMPLETE : XTF_WIRE_REQUEST_CANCELLED, 0, 0,
                        id++);
        __attribute__((fallthrough));
    case XTF_MPI_REQUEST_RECV:
        if (outcome == COMPLETED && status->MPI_SOURCE != MPI_PROC_NULL) {
            if (!(request->flags & XTF_MPI_REQUEST_KNOWN)) {
                peer = (uint32_t)status->MPI_SOURCE;
                tag = (uint32_t)status->MPI_TAG;
                bytes = xtf_mpi_received(status);
            }
            xtf_core_record(ring, time, XTF_WIRE_IRECV, 0, peer, xtf_core_pair(request->comm, tag), bytes, id);
            return;
        }
        xtf_core_record(ring, time, XTF_WIRE_REQUEST_CANCELLED, 0, 0, id);
        return;
    case XTF_MPI_REQUEST_SEND:
        xtf_core_record(ring, time, outcome == COMPLETED ? XTF_WIRE_ISEND_COMPLETE : XTF_WIRE_REQUEST_CANCELLED, 0, 0,
                        id);
        return;
    case XTF_MPI_REQUEST_COLLECTIVE:
        if (outcome == COMPLETED)
            xtf_core_record(ring, time, XTF_WIRE_ICOLLECTIVE_COMPLETE, request->detail, peer,
                            xtf_core_pair(request->comm, request->tag), bytes, request->received, id);
        return;
    case XTF_MPI_REQUEST_OTHER:
        request->done(ring, time, request, outcome == COMPLETED ? status : NULL);
        return;
    default:
        return;
    }
}

/* Records how many tests found nothing, if there were more than the first one, which is recorded already. */
static void record_tests(XtfRing *ring, uint64_t time, const XtfMpiRequest *request)
{
    if (ring && request->tests > 1 && request->kind != XTF_MPI_REQUEST_OTHER &&
        request->kind != XTF_MPI_REQUEST_SILENT && !xtf_mpi_wants_tests)
        xtf_core_record(ring, time, XTF_WIRE_REQUEST_TEST, 0, request->tests, request->id);
}

static void complete_request(XtfRing *ring, uint64_t time, uint64_t hold, bool failed, MPI_Status *status)
{
    XtfMpiRequest request;
    Outcome outcome = failed ? FAILED : COMPLETED;
    int cancelled;

    if (hold == XTF_MPI_NO_REQUEST || !xtf_mpi_requests_complete(hold, &request))
        return;
    if (__builtin_expect(request.tests > 1, 0))
        record_tests(ring, time, &request);
    if (__builtin_expect(request.flags & XTF_MPI_REQUEST_CANCEL, 0) && !failed &&
        xtf_pmpi.Test_cancelled(status, &cancelled) == MPI_SUCCESS && cancelled)
        outcome = CANCELLED;
    record_outcome(ring, time, &request, outcome, status);
}

void xtf_mpi_release(uint64_t hold)
{
    if (hold != XTF_MPI_NO_REQUEST)
        xtf_mpi_requests_release(hold);
}

void xtf_mpi_message_lost(XtfRing *ring, uint64_t time, uint64_t saved, MPI_Message message)
{
    XtfMpiRequest lost_message;

    if (saved == XTF_MPI_NO_REQUEST)
        return;
    if (message != MPI_MESSAGE_NULL)
        xtf_mpi_release(saved);
    else if (xtf_mpi_requests_complete(saved, &lost_message) && ring)
        xtf_core_record(ring, time, XTF_WIRE_REQUEST_CANCELLED, 0, 0, lost_message.id);
}

void xtf_mpi_freed(int result, uint64_t saved)
{
    XtfMpiRequest freed;

    if (result != MPI_SUCCESS)
        xtf_mpi_release(saved);
    else if (saved != XTF_MPI_NO_REQUEST)
        xtf_mpi_requests_free(saved, &freed);
}

static void release_all(long long n, const uint64_t *saved)
{
    for (long long i = 0; saved && i < n; i++)
        xtf_mpi_release(saved[i]);
}

/* True if a failed call has removed the request, which then has failed. A request that is still there may have
 * failed only if it is persistent. */
static bool is_removed(uint64_t hold, MPI_Request request)
{
    return hold != XTF_MPI_NO_REQUEST && xtf_mpi_requests_handle(hold) != XTF_MPI_HANDLE(request);
}

void xtf_mpi_completed(XtfRing *ring, uint64_t time, int result, uint64_t saved, MPI_Request request,
                       MPI_Status *status)
{
    if (result == MPI_SUCCESS || is_removed(saved, request))
        complete_request(ring, time, saved, result != MPI_SUCCESS, status);
    else
        xtf_mpi_release(saved);
}

void xtf_mpi_completed_all(XtfRing *ring, uint64_t time, int result, long long n, const uint64_t *saved,
                           const MPI_Request *requests, MPI_Status *statuses)
{
    for (long long i = 0; saved && i < n; i++)
        if (result == MPI_SUCCESS)
            complete_request(ring, time, saved[i], false, &statuses[i]);
        else if (result == MPI_ERR_IN_STATUS && statuses[i].MPI_ERROR != MPI_ERR_PENDING)
            complete_request(ring, time, saved[i], statuses[i].MPI_ERROR != MPI_SUCCESS, &statuses[i]);
        else if (result != MPI_ERR_IN_STATUS && is_removed(saved[i], requests[i]))
            complete_request(ring, time, saved[i], true, &statuses[i]);
        else
            xtf_mpi_release(saved[i]);
}

void xtf_mpi_completed_any(XtfRing *ring, uint64_t time, int result, long long n, uint64_t *saved,
                           const MPI_Request *requests, int index, MPI_Status *status)
{
    if (!saved)
        return;
    if (index != MPI_UNDEFINED && index >= 0 && index < n) {
        xtf_mpi_completed(ring, time, result, saved[index], requests[index], status);
        saved[index] = XTF_MPI_NO_REQUEST;
    }
    release_all(n, saved);
}

void xtf_mpi_completed_some(XtfRing *ring, uint64_t time, int result, long long n, uint64_t *saved, int n_done,
                            const int *indices, MPI_Status *statuses)
{
    if (!saved)
        return;
    if (n_done == MPI_UNDEFINED || (result != MPI_SUCCESS && result != MPI_ERR_IN_STATUS))
        n_done = 0;
    for (int i = 0; i < n_done; i++)
        if (indices[i] >= 0 && indices[i] < n) {
            complete_request(ring, time, saved[indices[i]],
                             result == MPI_ERR_IN_STATUS && statuses[i].MPI_ERROR != MPI_SUCCESS, &statuses[i]);
            saved[indices[i]] = XTF_MPI_NO_REQUEST;
        }
    release_all(n, saved);
}

/* True if some of the requests may have completed: each that is not null and not idle. */
static bool may_have_completed(long long n, const uint64_t *saved)
{
    for (long long i = 0; saved && i < n; i++)
        if (saved[i] != XTF_MPI_NO_REQUEST && !xtf_mpi_requests_is_idle(saved[i]))
            return true;
    return false;
}

bool xtf_mpi_test_is_recorded(XtfRing *ring, bool found, long long n, const uint64_t *saved, XtfMpiTest *test)
{
    XtfMpiRequest request;

    test->is_known = false;
    if (found && (!ring || xtf_mpi_wants_tests || may_have_completed(n, saved)))
        return true;
    if (found || !ring) {
        release_all(n, saved);
        return false;
    }
    for (long long i = 0; saved && i < n; i++) {
        if (saved[i] == XTF_MPI_NO_REQUEST || !xtf_mpi_requests_test(saved[i], &request))
            continue;
        if (request.kind != XTF_MPI_REQUEST_OTHER && request.kind != XTF_MPI_REQUEST_SILENT)
            *test = (XtfMpiTest){.id = request.id, .is_known = true};
        release_all(n - i - 1, saved + i + 1);
        return request.tests == 1;
    }
    return false;
}

void xtf_mpi_record_test(XtfRing *ring, uint64_t time, const XtfMpiTest *test)
{
    if (test->is_known)
        xtf_core_record(ring, time, XTF_WIRE_REQUEST_TEST, 0, 1, test->id);
}

typedef struct {
    XtfRing *ring;
    uint64_t time;
} Finish;

static void finish_request(const XtfMpiRequest *request, void *data)
{
    Finish *finish = data;

    record_tests(finish->ring, finish->time, request);
}

void xtf_mpi_messages_finish(XtfRing *ring, uint64_t time)
{
    Finish finish = {ring, time};

    xtf_mpi_requests_each(finish_request, &finish);
}
