#include "src/record/mpi/creation/create.h"

#include <stdlib.h>
#include <string.h>

#include "src/record/mpi/comms/comms.h"
#include "src/record/mpi/comms/groups.h"
#include "src/record/mpi/comms/partial.h"
#include "src/record/mpi/comms/world.h"
#include "src/record/mpi/library/records.h"
#include "src/record/mpi/messages/messages.h"

enum { NAME_MOST = 256, DIMENSIONS_MOST = 64, CREATE_DESTROY_EVENTS = 1 /* as in OTF2 */ };

/* ---- Definitions. */

static void define_named(XtfRing *ring, uint32_t id, XtfDefineComm comm, const char *name)
{
    char data[sizeof comm + NAME_MOST];

    if (!ring)
        return;
    comm.name_size = (uint32_t)strnlen(name, NAME_MOST);
    memcpy(data, &comm, sizeof comm);
    memcpy(data + sizeof comm, name, comm.name_size);
    xtf_core_define(ring, XTF_DEFINE_COMM, id, data, sizeof comm + comm.name_size);
}

void xtf_mpi_define_comm(XtfRing *ring, uint32_t id, uint32_t group, uint32_t remote, uint32_t from, const char *name)
{
    define_named(ring, id, (XtfDefineComm){group, remote, from, CREATE_DESTROY_EVENTS, 0}, name);
}

void xtf_mpi_comm_named(XtfRing *ring, int result, MPI_Comm comm, const char *name)
{
    uint32_t id = xtf_mpi_comm_id(comm), none = XTF_WIRE_NONE;

    if (result == MPI_SUCCESS && id != XTF_WIRE_NONE)
        define_named(ring, id, (XtfDefineComm){none, none, none, XTF_WIRE_NAME_ONLY, 0}, name);
}

/* ---- Making. */

static void define_group_of(XtfRing *ring, MPI_Comm comm, uint32_t id)
{
    MPI_Group group;
    int rank = 0;

    if (XTF_PMPI(Comm_rank)(comm, &rank) != MPI_SUCCESS || (rank != 0 && !xtf_mpi_met_others)) {
        xtf_mpi_name_group(ring, id);
        return;
    }
    if (XTF_PMPI(Comm_group)(comm, &group) != MPI_SUCCESS)
        return;
    if (xtf_mpi_met_others)
        xtf_mpi_define_mixed_group(ring, id, comm, group);
    else
        xtf_mpi_define_group(ring, id, group);
    XTF_PMPI(Group_free)(&group);
}

/* Sets up an intracommunicator with an id: its attribute, its group and its definition. */
static void comm_begins(XtfRing *ring, MPI_Comm comm, uint32_t id, uint32_t from)
{
    xtf_mpi_comm_set_id(comm, id);
    if (id == XTF_WIRE_NONE)
        return;
    define_group_of(xtf_mpi_ring(ring), comm, id);
    xtf_mpi_define_comm(xtf_mpi_ring(ring), id, id, XTF_WIRE_NONE, from, "");
    if (ring)
        xtf_core_record(ring, xtf_core_now(), XTF_WIRE_COMM_CREATE, 0, id);
}

/* True if a group of an intercommunicator has members of several worlds. The result is the same in all members. */
static bool has_worlds(MPI_Comm comm)
{
    MPI_Group own, remote;
    bool mixed = false;

    if (XTF_PMPI(Comm_group)(comm, &own) == MPI_SUCCESS) {
        mixed = xtf_mpi_is_mixed(own);
        XTF_PMPI(Group_free)(&own);
    }
    if (!mixed && XTF_PMPI(Comm_remote_group)(comm, &remote) == MPI_SUCCESS) {
        mixed = xtf_mpi_is_mixed(remote);
        XTF_PMPI(Group_free)(&remote);
    }
    return mixed;
}

static void define_groups_between(XtfRing *ring, MPI_Comm comm, uint32_t own, uint32_t remote, bool mixed)
{
    MPI_Group group;
    int rank = 0;

    if (mixed) {
        /* Only the members themselves know their numbers: each group sends them to the other one. */
        xtf_mpi_name_group(ring, own);
        xtf_mpi_define_remote_group(ring, remote, comm);
        return;
    }
    XTF_PMPI(Comm_rank)(comm, &rank);
    if (rank == 0 && XTF_PMPI(Comm_group)(comm, &group) == MPI_SUCCESS) {
        xtf_mpi_define_group(ring, own, group);
        XTF_PMPI(Group_free)(&group);
    } else {
        xtf_mpi_name_group(ring, own);
    }
    xtf_mpi_name_group(ring, remote);
}

/* Sets up an intercommunicator. Its id is the smaller one of the ids of its groups, which both sides know. */
static void intercomm_begins(XtfRing *ring, MPI_Comm comm, uint32_t from)
{
    uint32_t own = XTF_WIRE_NONE, remote = XTF_WIRE_NONE;
    XtfRing *definitions = xtf_mpi_ring(ring);
    bool mixed = has_worlds(comm);

    if (mixed)
        xtf_mpi_met_others = true;
    if (!xtf_mpi_comm_agree_between(comm, &own, &remote) || own == XTF_WIRE_NONE || remote == XTF_WIRE_NONE)
        return;
    uint32_t id = own < remote ? own : remote;
    xtf_mpi_comm_set_id(comm, id);
    define_groups_between(definitions, comm, own, remote, mixed);
    xtf_mpi_define_comm(definitions, id, id, own < remote ? remote : own, from, "");
    if (ring)
        xtf_core_record(ring, xtf_core_now(), XTF_WIRE_COMM_CREATE, 0, id);
}

void xtf_mpi_comm_created(XtfRing *ring, uint64_t *left, int result, XtfMpiFrom out_of, MPI_Comm made)
{
    uint32_t from = out_of.id;
    int between = 0;

    if (result != MPI_SUCCESS) {
        if (ring)
            xtf_mpi_failed(ring, *left);
        return;
    }
    if (xtf_mpi_agreeing && made != MPI_COMM_NULL) {
        if (xtf_mpi_partial_is_apart(made, out_of.apart))
            xtf_mpi_comm_set_apart(made);
        XTF_PMPI(Comm_test_inter)(made, &between);
        if (between)
            intercomm_begins(ring, made, from);
        else
            comm_begins(ring, made, xtf_mpi_comm_agree(made), from);
    }
    *left = xtf_core_now();
    if (out_of.all)
        xtf_mpi_collective_end(ring, *left, XTF_MPI_OP_CREATE_HANDLE, from);
}

void xtf_mpi_cart_created(XtfRing *ring, int result, MPI_Comm made)
{
    int n = 0, sizes[DIMENSIONS_MOST], periods[DIMENSIONS_MOST], place[DIMENSIONS_MOST], rank = 0;
    char data[sizeof(XtfDefineCart) + DIMENSIONS_MOST * sizeof(XtfDefineDimension)];
    uint32_t id = result == MPI_SUCCESS ? xtf_mpi_comm_id(made) : XTF_WIRE_NONE;
    XtfRing *definitions = xtf_mpi_ring(ring);

    if (id == XTF_WIRE_NONE || !definitions || XTF_PMPI(Cartdim_get)(made, &n) != MPI_SUCCESS || n > DIMENSIONS_MOST ||
        XTF_PMPI(Cart_get)(made, n, sizes, periods, place) != MPI_SUCCESS)
        return;
    XTF_PMPI(Comm_rank)(made, &rank);
    const XtfDefineCart cart = {id, (uint32_t)n, (uint32_t)rank};
    memcpy(data, &cart, sizeof cart);
    for (int i = 0; i < n; i++) {
        const XtfDefineDimension dimension = {(uint32_t)sizes[i], periods[i] != 0, (uint32_t)place[i]};
        memcpy(data + sizeof cart + (size_t)i * sizeof dimension, &dimension, sizeof dimension);
    }
    xtf_core_define(definitions, XTF_DEFINE_CART, id, data, sizeof cart + (size_t)n * sizeof(XtfDefineDimension));
}

/* ---- Freeing. */

void xtf_mpi_comm_freed(XtfRing *ring, uint64_t left, int result, uint32_t comm)
{
    (void)result; /* MPI has run the operation in any case */
    xtf_mpi_collective_end(ring, left, XTF_MPI_OP_DESTROY_HANDLE, comm);
}

/* ---- MPI_Comm_idup.
 *
 * Member 0 broadcasts the id over the old communicator. Each member starts the broadcast inside its call of
 * MPI_Comm_idup, since all members call it in the same order. They complete their duplicates in any order, so
 * no broadcast is possible then. For an intercommunicator one broadcast is not enough: the two groups would have to
 * exchange their ids, and then broadcast them to their own members. So its duplicate has no id, on either side. */

typedef struct {
    MPI_Comm *made;
    MPI_Request id_request;
    uint32_t id, from;
    bool has_broadcast, apart;
} Idup;

/* Sets up the duplicate, if the request succeeded. After a failure *made is no valid handle, even if its bits look
 * like one. The failure path does not wait for the id either: a member whose call failed never takes part in the
 * broadcast. */
static void idup_done(void *ring, uint64_t time, const XtfMpiRequest *request, const void *status)
{
    Idup *idup = (Idup *)(uintptr_t)request->bytes;
    int is_received = 1;

    (void)time;
    if (idup->has_broadcast && status)
        XTF_PMPI(Wait)(&idup->id_request, MPI_STATUS_IGNORE);
    else if (idup->has_broadcast && XTF_PMPI(Test)(&idup->id_request, &is_received, MPI_STATUS_IGNORE) != MPI_SUCCESS)
        is_received = 0;
    if (status && idup->made && *idup->made != MPI_COMM_NULL) {
        if (idup->apart)
            xtf_mpi_comm_set_apart(*idup->made);
        comm_begins(ring, *idup->made, idup->id, idup->from);
    }
    if (is_received) /* if the id has not arrived, MPI may still write it */
        free(idup);
}

void xtf_mpi_idup(XtfRing *ring, int result, MPI_Comm from, MPI_Comm *made, MPI_Request request)
{
    int rank = 0, between = 0;
    Idup *idup = result == MPI_SUCCESS && xtf_mpi_agreeing ? malloc(sizeof *idup) : NULL;

    if (!idup)
        return;
    *idup = (Idup){.made = made, .id = XTF_WIRE_NONE, .from = xtf_mpi_comm_id(from)};
    idup->apart = xtf_mpi_comm_is_apart(from);
    XTF_PMPI(Comm_test_inter)(from, &between);
    idup->has_broadcast = !between && !idup->apart;
    XTF_PMPI(Comm_rank)(from, &rank);
    if (rank == 0 && idup->has_broadcast)
        idup->id = xtf_mpi_new_id();
    if (idup->has_broadcast &&
        XTF_PMPI(Ibcast)(&idup->id, sizeof idup->id, MPI_BYTE, 0, from, &idup->id_request) != MPI_SUCCESS) {
        idup->has_broadcast = false;
        idup->id = XTF_WIRE_NONE;
    }
    const XtfMpiRequest entry = {.handle = XTF_MPI_HANDLE(request),
                                 .id = xtf_mpi_requests_ids(1),
                                 .kind = XTF_MPI_REQUEST_OTHER,
                                 .bytes = (uint64_t)(uintptr_t)idup,
                                 .done = idup_done};
    (void)ring;
    if (!xtf_mpi_requests_add(&entry)) {
        if (idup->has_broadcast)
            XTF_PMPI(Wait)(&idup->id_request, MPI_STATUS_IGNORE);
        free(idup);
    }
}
