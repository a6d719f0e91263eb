#include "src/record/mpi/windows/rma.h"

#include <stdatomic.h>
#include <string.h>

#include "src/record/mpi/comms/comms.h"
#include "src/record/mpi/comms/groups.h"
#include "src/record/mpi/comms/world.h"
#include "src/record/mpi/library/records.h"
#include "src/record/mpi/messages/messages.h"
#include "src/record/mpi/windows/window-state.h"

enum { NAME_MOST = 256, CREATE_DESTROY_EVENTS = 1 /* as in OTF2 */, COMPLETE_LOCALLY = 1, SHARED_LOCK = 1 };

/* ---- Windows. */

static void define_window(XtfRing *ring, uint32_t id, uint32_t comm, uint32_t flags, const char *name)
{
    XtfDefineWindow window = {comm, flags, (uint32_t)strnlen(name, NAME_MOST)};
    char data[sizeof window + NAME_MOST];

    if (!ring)
        return;
    memcpy(data, &window, sizeof window);
    memcpy(data + sizeof window, name, window.name_size);
    xtf_core_define(ring, XTF_DEFINE_WINDOW, id, data, sizeof window + window.name_size);
}

/* Records the end of a collective operation, also of a failed one, since its beginning is recorded. `id`:
 * XTF_WIRE_NONE without a window. */
static void collective_end(XtfRing *ring, uint64_t time, uint32_t operation, uint32_t id)
{
    if (ring)
        xtf_core_record(ring, time, XTF_WIRE_RMA_COLLECTIVE_END, operation, XTF_WIRE_NONE,
                        xtf_core_pair(id, XTF_MPI_SYNC_PROCESS | XTF_MPI_SYNC_MEMORY), 0, 0);
}

void xtf_mpi_win_begin(XtfRing *ring, uint64_t entered, uint32_t comm)
{
    xtf_mpi_awaits_members(ring, entered, comm);
    if (ring)
        xtf_core_record(ring, entered, XTF_WIRE_RMA_COLLECTIVE_BEGIN, 0, 0);
}

void xtf_mpi_win_created(XtfRing *ring, uint64_t *left, int result, MPI_Comm comm, MPI_Win win, bool allocates)
{
    uint32_t id = XTF_WIRE_NONE;

    if (result == MPI_SUCCESS && xtf_mpi_agreeing) {
        id = xtf_mpi_comm_agree(comm);
        xtf_mpi_window_begin(win, id, xtf_mpi_comm_id(comm), allocates);
        *left = xtf_core_now();
    }
    if (id != XTF_WIRE_NONE) {
        define_window(xtf_mpi_ring(ring), id, xtf_mpi_comm_id(comm), CREATE_DESTROY_EVENTS, "");
        if (ring)
            xtf_core_record(ring, *left, XTF_WIRE_RMA_WIN_CREATE, 0, id);
    }
    collective_end(ring, *left, allocates ? XTF_MPI_OP_CREATE_HANDLE_AND_ALLOCATE : XTF_MPI_OP_CREATE_HANDLE, id);
}

XtfMpiEndingWin xtf_mpi_win_ending(XtfRing *ring, uint64_t entered, MPI_Win win)
{
    XtfMpiWindow *window = xtf_mpi_window(win);

    if (!window)
        return (XtfMpiEndingWin){XTF_WIRE_NONE, XTF_WIRE_NONE, false};
    xtf_mpi_window_complete(window, ring, entered, XTF_MPI_ANY_TARGET, false);
    return (XtfMpiEndingWin){window->id, window->comm, window->allocated};
}

void xtf_mpi_win_freed(XtfRing *ring, uint64_t left, XtfMpiEndingWin ending)
{
    collective_end(ring, left, ending.allocated ? XTF_MPI_OP_DESTROY_HANDLE_AND_DEALLOCATE : XTF_MPI_OP_DESTROY_HANDLE,
                   ending.id);
}

void xtf_mpi_win_named(XtfRing *ring, int result, MPI_Win win, const char *name)
{
    XtfMpiWindow *window = xtf_mpi_window(win);

    if (result == MPI_SUCCESS && window)
        define_window(ring, window->id, XTF_WIRE_NONE, XTF_WIRE_NAME_ONLY, name);
}

/* ---- Operations. */

/* Records the completion at the origin, once the request of MPI_Rput or a similar call has completed. */
static void access_done(void *ring, uint64_t time, const XtfMpiRequest *request, const void *status)
{
    if (status && xtf_mpi_window_complete_one(request->comm, request->bytes) && ring)
        xtf_core_record((XtfRing *)ring, time, XTF_WIRE_RMA_COMPLETE, COMPLETE_LOCALLY, request->comm, request->bytes);
}

static void add_request(const XtfMpiWindow *window, const MPI_Request *request, uint64_t matching)
{
    const XtfMpiRequest entry = {.handle = XTF_MPI_HANDLE(*request),
                                 .id = xtf_mpi_requests_ids(1),
                                 .kind = XTF_MPI_REQUEST_OTHER,
                                 .comm = window->id,
                                 .bytes = matching,
                                 .done = access_done};
    xtf_mpi_requests_add(&entry);
}

void xtf_mpi_access(XtfRing *ring, uint64_t entered, int result, unsigned kind, uint32_t atomic, XtfMpiAccess access)
{
    static _Atomic uint64_t accesses;
    XtfMpiWindow *window = result == MPI_SUCCESS && access.target >= 0 ? xtf_mpi_window(access.win) : NULL;

    if (!window)
        return;
    uint64_t matching = atomic_fetch_add_explicit(&accesses, 1, memory_order_relaxed) + 1;
    uint64_t bytes = xtf_mpi_bytes(access.count, access.type);
    if (kind == XTF_WIRE_RMA_ATOMIC)
        xtf_core_record(ring, entered, kind, 0, (uint32_t)access.target, xtf_core_pair(window->id, atomic), bytes,
                        matching, xtf_mpi_bytes(access.result_count, access.result_type));
    else
        xtf_core_record(ring, entered, kind, 0, (uint32_t)access.target, xtf_core_pair(window->id, atomic), bytes,
                        matching);
    xtf_mpi_window_add(window, matching, access.target);
    if (access.request)
        add_request(window, access.request, matching);
}

uint32_t xtf_mpi_fetch_kind(MPI_Op op)
{
    return op == MPI_SUM ? XTF_MPI_FETCH_AND_ADD : op == MPI_REPLACE ? XTF_MPI_SWAP : XTF_MPI_FETCH_AND_ACCUMULATE;
}

/* ---- Synchronisation. */

void xtf_mpi_win_fenced(XtfRing *ring, uint64_t left, int result, MPI_Win win)
{
    XtfMpiWindow *window = xtf_mpi_window(win);

    if (window && result == MPI_SUCCESS)
        xtf_mpi_window_complete(window, ring, left, XTF_MPI_ANY_TARGET, false);
    collective_end(ring, left, XTF_MPI_OP_BARRIER, window ? window->id : XTF_WIRE_NONE);
}

static void group_sync(XtfRing *ring, uint64_t time, uint32_t window, uint32_t level, uint32_t group)
{
    xtf_core_record(ring, time, XTF_WIRE_RMA_GROUP_SYNC, 0, window, xtf_core_pair(level, group), 0);
}

void xtf_mpi_win_opened(XtfRing *ring, uint64_t left, int result, MPI_Win win, MPI_Group group, bool exposure)
{
    XtfMpiWindow *window = result == MPI_SUCCESS ? xtf_mpi_window(win) : NULL;

    if (!window)
        return;
    uint32_t id = xtf_mpi_group_id(ring, group);
    if (exposure)
        window->exposure = id;
    else
        window->access = id;
    group_sync(ring, left, window->id, XTF_MPI_SYNC_PROCESS, id);
}

void xtf_mpi_win_closed(XtfRing *ring, uint64_t left, int result, MPI_Win win, bool exposure)
{
    XtfMpiWindow *window = result == MPI_SUCCESS ? xtf_mpi_window(win) : NULL;
    uint32_t *group;

    if (!window)
        return;
    group = exposure ? &window->exposure : &window->access;
    if (!exposure)
        xtf_mpi_window_complete(window, ring, left, XTF_MPI_ANY_TARGET, false);
    group_sync(ring, left, window->id, XTF_MPI_SYNC_PROCESS | XTF_MPI_SYNC_MEMORY, *group);
    *group = XTF_WIRE_NONE;
}

void xtf_mpi_win_locks(XtfRing *ring, uint64_t entered, MPI_Win win, int target, int lock_type)
{
    XtfMpiWindow *window = target >= 0 ? xtf_mpi_window(win) : NULL;
    uint32_t shared = lock_type == MPI_LOCK_SHARED ? SHARED_LOCK : 0;

    if (window)
        xtf_core_record(ring, entered, XTF_WIRE_RMA_REQUEST_LOCK, 0, (uint32_t)target,
                        xtf_core_pair(window->id, shared), 0);
}

void xtf_mpi_win_unlocked(XtfRing *ring, uint64_t left, int result, MPI_Win win, int target)
{
    XtfMpiWindow *window = result == MPI_SUCCESS && target >= 0 ? xtf_mpi_window(win) : NULL;

    if (!window)
        return;
    xtf_mpi_window_complete(window, ring, left, target, false);
    xtf_core_record(ring, left, XTF_WIRE_RMA_RELEASE_LOCK, 0, (uint32_t)target,
                    xtf_core_pair(window->id, XTF_WIRE_NONE), 0);
}

void xtf_mpi_win_flushed(XtfRing *ring, uint64_t left, int result, MPI_Win win, int target, bool local)
{
    XtfMpiWindow *window = result == MPI_SUCCESS ? xtf_mpi_window(win) : NULL;

    if (window)
        xtf_mpi_window_complete(window, ring, left, target, local);
}

void xtf_mpi_win_synced(XtfRing *ring, uint64_t left, int result, MPI_Win win)
{
    XtfMpiWindow *window = result == MPI_SUCCESS ? xtf_mpi_window(win) : NULL;

    if (window)
        xtf_core_record(ring, left, XTF_WIRE_RMA_SYNC, 0, XTF_WIRE_NONE, xtf_core_pair(window->id, 0));
}
