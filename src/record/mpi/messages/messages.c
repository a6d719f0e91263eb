#include "src/record/mpi/messages/messages.h"

#include <stdbool.h>
#include <stddef.h>

#include "src/record/mpi/comms/comms.h"
#include "src/record/mpi/library/valid.h"

uint64_t xtf_mpi_bytes(long long count, MPI_Datatype type)
{
    int size;
    MPI_Count large;

    if (count <= 0 || type == MPI_DATATYPE_NULL)
        return 0;
    if (xtf_pmpi.Type_size(type, &size) != MPI_SUCCESS)
        return 0; /* MPI has called the error handler already: call it only once */
    if (size != MPI_UNDEFINED)
        return (uint64_t)count * (uint64_t)size;
    if (xtf_pmpi.Type_size_x(type, &large) == MPI_SUCCESS && large != MPI_UNDEFINED)
        return (uint64_t)count * (uint64_t)large;
    return 0;
}

void xtf_mpi_messages_begin(void)
{
    int level;

    if (xtf_pmpi.Query_thread(&level) == MPI_SUCCESS)
        xtf_mpi_requests_share(level == MPI_THREAD_MULTIPLE);
    xtf_mpi_valid_begin();
}

bool xtf_mpi_can_send(MPI_Datatype type, MPI_Comm comm)
{
    return (comm == xtf_mpi_world_handle || comm == MPI_COMM_SELF || xtf_mpi_valid_has(XTF_MPI_HANDLE(comm))) &&
           xtf_mpi_valid_has(XTF_MPI_HANDLE(type));
}

static uint32_t shown_peer(int peer)
{
    return peer == MPI_ANY_SOURCE ? XTF_WIRE_NONE : peer == MPI_PROC_NULL ? XTF_WIRE_NULL : (uint32_t)peer;
}

static uint32_t shown_tag(int tag)
{
    return tag == MPI_ANY_TAG ? XTF_WIRE_NONE : (uint32_t)tag;
}

void xtf_mpi_awaits(XtfRing *ring, uint64_t time, int peer, int tag, MPI_Comm comm)
{
    xtf_core_show_awaited(ring, time, shown_peer(peer), shown_tag(tag), xtf_mpi_comm_id(comm), 0);
}

void xtf_mpi_awaits_both(XtfRing *ring, uint64_t time, int source, int recvtag, int dest, int sendtag, MPI_Comm comm)
{
    xtf_core_show_both(ring, time, shown_peer(source), shown_tag(recvtag), xtf_mpi_comm_id(comm), shown_peer(dest),
                       (uint32_t)sendtag);
}

/* Shows a call that waits for a request that sends, with an id, and receives, with the next one. */
static void show_sendrecv(XtfRing *ring, uint64_t time, const XtfMpiRequest *request)
{
    for (unsigned i = 0; ring->list && i < 2; i++)
        atomic_store_explicit(&ring->list[i], request->id + i, memory_order_relaxed);
    xtf_core_show_requests(ring, time, shown_peer((int)request->peer), shown_tag((int)request->tag), request->comm,
                           ring->list ? 2 : 1, ring->list ? XTF_WIRE_LISTED : 0);
}

void xtf_mpi_awaits_request(XtfRing *ring, uint64_t time, uint64_t saved)
{
    const XtfMpiRequest *request = ring && saved != XTF_MPI_NO_REQUEST ? xtf_mpi_requests_held(saved) : NULL;

    if (!request)
        return;
    switch (request->kind) {
    case XTF_MPI_REQUEST_SEND:
    case XTF_MPI_REQUEST_RECV:
        xtf_core_show_requests(ring, time, shown_peer((int)request->peer), shown_tag((int)request->tag), request->comm,
                               1, request->id);
        return;
    case XTF_MPI_REQUEST_SENDRECV:
        show_sendrecv(ring, time, request);
        return;
    case XTF_MPI_REQUEST_COLLECTIVE:
        xtf_core_show_requests(ring, time, XTF_WIRE_NONE, XTF_WIRE_NONE, request->comm, 1, request->id);
        return;
    default:
        return;
    }
}

void xtf_mpi_awaits_members(XtfRing *ring, uint64_t time, uint32_t comm)
{
    if (ring)
        xtf_core_show_awaited(ring, time, XTF_WIRE_NONE, XTF_WIRE_NONE, comm, 0);
}

void xtf_mpi_awaits_all(XtfRing *ring, uint64_t time, MPI_Comm comm)
{
    if (ring)
        xtf_mpi_awaits_members(ring, time, xtf_mpi_comm_id(comm));
}

void xtf_mpi_awaits_root(XtfRing *ring, uint64_t time, int root, long long count, MPI_Comm comm)
{
    if (root >= 0 && count > 0)
        xtf_core_show_root(ring, time, (uint32_t)root, xtf_mpi_comm_id(comm));
    else
        xtf_mpi_awaits_all(ring, time, comm);
}

void xtf_mpi_send(XtfRing *ring, uint64_t time, uint64_t bytes, int dest, int tag, MPI_Comm comm)
{
    if (dest == MPI_PROC_NULL)
        return;
    xtf_core_record(ring, time, XTF_WIRE_SEND, 0, (uint32_t)dest, xtf_core_pair(xtf_mpi_comm_id(comm), (uint32_t)tag),
                    bytes);
}

/* Returns the received bytes. The status may have more than an int can count. */
uint64_t xtf_mpi_received(const MPI_Status *status)
{
    int n;
    MPI_Count large;

    if (xtf_pmpi.Get_count(status, MPI_BYTE, &n) == MPI_SUCCESS && n != MPI_UNDEFINED)
        return (uint64_t)n;
    if (xtf_pmpi.Get_elements_x(status, MPI_BYTE, &large) == MPI_SUCCESS && large != MPI_UNDEFINED)
        return (uint64_t)large;
    return 0;
}

static void record_recv(XtfRing *ring, uint64_t time, uint32_t comm, const MPI_Status *status)
{
    if (status->MPI_SOURCE == MPI_PROC_NULL)
        return;
    xtf_core_record(ring, time, XTF_WIRE_RECV, 0, (uint32_t)status->MPI_SOURCE,
                    xtf_core_pair(comm, (uint32_t)status->MPI_TAG), xtf_mpi_received(status));
}

void xtf_mpi_recv(XtfRing *ring, uint64_t time, MPI_Comm comm, const MPI_Status *status)
{
    record_recv(ring, time, xtf_mpi_comm_id(comm), status);
}

static void record_isend(XtfRing *ring, uint64_t time, uint32_t comm, int dest, int tag, uint64_t bytes, uint64_t id)
{
    xtf_core_record(ring, time, XTF_WIRE_ISEND, 0, (uint32_t)dest, xtf_core_pair(comm, (uint32_t)tag), bytes, id);
}

/* Id of a request of which nothing is recorded. */
#define NO_ID UINT64_MAX

/* Adds a request that was started with an id. `peer`, `tag`: as given by the program. */
static void add_started(MPI_Request request, XtfMpiRequestKind kind, uint64_t id, uint32_t comm, int peer, int tag)
{
    XtfMpiRequest *added = xtf_mpi_requests_open(XTF_MPI_HANDLE(request), kind);

    if (!added)
        return;
    added->id = id;
    added->comm = comm;
    added->peer = (uint32_t)peer;
    added->tag = (uint32_t)tag;
    xtf_mpi_requests_close(added);
}

void xtf_mpi_isend(XtfRing *ring, uint64_t time, uint64_t bytes, int dest, int tag, MPI_Comm comm, MPI_Request request)
{
    if (dest == MPI_PROC_NULL) {
        add_started(request, XTF_MPI_REQUEST_SILENT, NO_ID, 0, dest, tag);
        return;
    }
    uint64_t id = xtf_mpi_requests_ids(1);
    uint32_t number = xtf_mpi_comm_id(comm);
    record_isend(ring, time, number, dest, tag, bytes, id);
    add_started(request, XTF_MPI_REQUEST_SEND, id, number, dest, tag);
}

static void record_posting(XtfRing *ring, uint64_t time, uint32_t comm, int source, int tag, uint64_t id)
{
    xtf_core_record(ring, time, XTF_WIRE_IRECV_REQUEST, 0, shown_peer(source), id, xtf_core_pair(comm, shown_tag(tag)));
}

/* Posts a receive of a communicator that has an id. */
static void post_receive(XtfRing *ring, uint64_t time, uint32_t comm, int source, int tag, MPI_Request request)
{
    uint64_t id = xtf_mpi_requests_ids(1);

    record_posting(ring, time, comm, source, tag, id);
    add_started(request, XTF_MPI_REQUEST_RECV, id, comm, source, tag);
}

static void add_silent(MPI_Request request, unsigned flags)
{
    xtf_mpi_requests_add(&(XtfMpiRequest){
        .handle = XTF_MPI_HANDLE(request),
        .kind = XTF_MPI_REQUEST_SILENT,
        .flags = (uint8_t)flags,
        .id = flags & XTF_MPI_REQUEST_PERSISTENT ? 0 : NO_ID,
    });
}

void xtf_mpi_irecv(XtfRing *ring, uint64_t time, int source, int tag, MPI_Comm comm, MPI_Request request)
{
    if (source == MPI_PROC_NULL)
        add_silent(request, 0);
    else
        post_receive(ring, time, xtf_mpi_comm_id(comm), source, tag, request);
}

/* True if the status of MPI_Isendrecv must not be used: MPICH (4.0) leaves its old content in place. */
static bool must_ignore_status(int source, int tag)
{
#ifdef MPICH_VERSION
    return source != MPI_ANY_SOURCE && tag != MPI_ANY_TAG;
#else
    return false;
#endif
}

void xtf_mpi_isendrecv(XtfRing *ring, uint64_t time, uint64_t bytes, int dest, int tag, uint64_t room, int source,
                       int recvtag, MPI_Comm comm, MPI_Request request)
{
    if (source == MPI_PROC_NULL) {
        xtf_mpi_isend(ring, time, bytes, dest, tag, comm, request);
        return;
    }
    XtfMpiRequest added = {.handle = XTF_MPI_HANDLE(request),
                           .kind = XTF_MPI_REQUEST_SENDRECV,
                           .id = xtf_mpi_requests_ids(2),
                           .comm = xtf_mpi_comm_id(comm)};
    if (dest == MPI_PROC_NULL) {
        added.kind = XTF_MPI_REQUEST_RECV;
        added.id++;
    } else {
        record_isend(ring, time, added.comm, dest, tag, bytes, added.id);
    }
    record_posting(ring, time, added.comm, source, recvtag, added.id + (dest != MPI_PROC_NULL));
    added.flags = must_ignore_status(source, recvtag) ? XTF_MPI_REQUEST_KNOWN : 0;
    added.peer = (uint32_t)source;
    added.tag = (uint32_t)recvtag;
    added.bytes = room;
    xtf_mpi_requests_add(&added);
}

static void add_persistent(XtfMpiRequestKind kind, uint64_t bytes, int peer, int tag, MPI_Comm comm,
                           MPI_Request request, unsigned flags)
{
    flags |= XTF_MPI_REQUEST_PERSISTENT;
    if (peer == MPI_PROC_NULL) {
        add_silent(request, flags);
        return;
    }
    xtf_mpi_requests_add(&(XtfMpiRequest){
        .handle = XTF_MPI_HANDLE(request),
        .kind = kind,
        .flags = (uint8_t)flags,
        .comm = xtf_mpi_comm_id(comm),
        .peer = (uint32_t)peer,
        .tag = (uint32_t)tag,
        .bytes = bytes,
    });
}

void xtf_mpi_send_init(uint64_t bytes, int dest, int tag, MPI_Comm comm, MPI_Request request, unsigned flags)
{
    add_persistent(XTF_MPI_REQUEST_SEND, bytes, dest, tag, comm, request, flags);
}

void xtf_mpi_recv_init(uint64_t bytes, int source, int tag, MPI_Comm comm, MPI_Request request, unsigned flags)
{
    add_persistent(XTF_MPI_REQUEST_RECV, bytes, source, tag, comm, request, flags);
}

void xtf_mpi_start(XtfRing *ring, uint64_t time, uint64_t handle, MPI_Request request)
{
    uint64_t id = xtf_mpi_requests_ids(1);
    XtfMpiRequest started;

    if (!xtf_mpi_requests_start(handle, XTF_MPI_HANDLE(request), id, &started))
        return;
    switch (started.kind) {
    case XTF_MPI_REQUEST_SEND:
        record_isend(ring, time, started.comm, (int)started.peer, (int)started.tag, started.bytes, id);
        break;
    case XTF_MPI_REQUEST_RECV:
        record_posting(ring, time, started.comm, (int)started.peer, (int)started.tag, id);
        break;
    case XTF_MPI_REQUEST_COLLECTIVE:
        xtf_core_record(ring, time, XTF_WIRE_ICOLLECTIVE_REQUEST, 0, started.comm, id);
        break;
    default:
        break;
    }
}

void xtf_mpi_start_all(XtfRing *ring, uint64_t time, long long n, const uint64_t *handles, const MPI_Request *requests)
{
    for (long long i = 0; handles && i < n; i++)
        xtf_mpi_start(ring, time, handles[i], requests[i]);
}

void xtf_mpi_mprobe(XtfRing *ring, uint64_t time, MPI_Message message, MPI_Comm comm)
{
    XtfMpiRequest stale;

    if (message == MPI_MESSAGE_NULL || message == MPI_MESSAGE_NO_PROC)
        return;
    XtfMpiRequest probed = {.handle = XTF_MPI_HANDLE(message),
                            .kind = XTF_MPI_REQUEST_MESSAGE,
                            .id = xtf_mpi_requests_ids(1),
                            .comm = xtf_mpi_comm_id(comm)};
    /* Existing messages have different handles: an older one with this handle was received unseen. */
    if (xtf_mpi_requests_complete(xtf_mpi_save_message(message), &stale) && ring)
        xtf_core_record(ring, time, XTF_WIRE_REQUEST_CANCELLED, 0, 0, stale.id);
    xtf_core_record(ring, time, XTF_WIRE_IRECV_REQUEST, 1, XTF_WIRE_NONE, probed.id,
                    xtf_core_pair(probed.comm, XTF_WIRE_NONE));
    xtf_mpi_requests_add(&probed);
}

void xtf_mpi_mrecv(XtfRing *ring, uint64_t time, uint64_t saved, const MPI_Status *status)
{
    XtfMpiRequest message;
    bool known = saved != XTF_MPI_NO_REQUEST && xtf_mpi_requests_complete(saved, &message);

    if (ring && known)
        xtf_core_record(ring, time, XTF_WIRE_IRECV, 0, (uint32_t)status->MPI_SOURCE,
                        xtf_core_pair(message.comm, (uint32_t)status->MPI_TAG), xtf_mpi_received(status), message.id);
    else if (ring)
        record_recv(ring, time, XTF_WIRE_NONE, status);
}

void xtf_mpi_imrecv(XtfRing *ring, uint64_t time, uint64_t saved, MPI_Request request)
{
    XtfMpiRequest message;

    if (saved == XTF_MPI_NO_REQUEST) {
        if (ring)
            add_silent(request, 0);
        return;
    }
    bool known = xtf_mpi_requests_complete(saved, &message);
    if (ring && known)
        add_started(request, XTF_MPI_REQUEST_RECV, message.id, message.comm, MPI_ANY_SOURCE, MPI_ANY_TAG);
    else if (ring)
        post_receive(ring, time, XTF_WIRE_NONE, MPI_ANY_SOURCE, MPI_ANY_TAG, request);
}
