#include "src/record/mpi/comms/comms.h"

#include "src/record/mpi/comms/world.h"
#include "src/record/mpi/library/records.h"
#include "src/record/mpi/library/valid.h"

__thread XtfMpiCached xtf_mpi_cache[XTF_MPI_CACHE];
_Atomic uint32_t xtf_mpi_generation = 1;
MPI_Comm xtf_mpi_world_handle;
uint32_t xtf_mpi_world_id = XTF_WIRE_NONE;

static int keyval = MPI_KEYVAL_INVALID, apart_keyval = MPI_KEYVAL_INVALID;

/* ---- The attribute. */

static int copy_id(MPI_Comm comm, int key, void *extra, void *value, void *copy, int *flag)
{
    (void)comm, (void)key, (void)extra, (void)value, (void)copy;
    *flag = 0; /* MPI must not copy the id: a duplicate gets a new one */
    return MPI_SUCCESS;
}

/* Ends the communicator: MPI calls this callback when the program or a library frees it. */
static int delete_id(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)key, (void)extra;
    xtf_mpi_valid_remove((uint64_t)(uintptr_t)comm);
    xtf_mpi_forget();
    xtf_mpi_record_end(XTF_WIRE_COMM_DESTROY, (uint32_t)(uintptr_t)value);
    return MPI_SUCCESS;
}

static int delete_apart(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)key, (void)value, (void)extra;
    xtf_mpi_valid_remove((uint64_t)(uintptr_t)comm);
    xtf_mpi_forget(); /* else a window with the same handle would get the cached "no id", which it would read as an
                         address */
    return MPI_SUCCESS;
}

bool xtf_mpi_comms_begin(void)
{
    if (XTF_PMPI(Comm_create_keyval)(copy_id, delete_apart, &apart_keyval, NULL) != MPI_SUCCESS)
        apart_keyval = MPI_KEYVAL_INVALID;
    if (XTF_PMPI(Comm_create_keyval)(copy_id, delete_id, &keyval, NULL) == MPI_SUCCESS)
        return true;
    keyval = MPI_KEYVAL_INVALID;
    return false;
}

uint32_t xtf_mpi_comm_look_up(MPI_Comm comm)
{
    uint64_t handle = (uint64_t)(uintptr_t)comm;
    uint32_t generation = atomic_load_explicit(&xtf_mpi_generation, memory_order_acquire);
    uint32_t id = XTF_WIRE_NONE;
    void *value;
    int found = 0;

    if (xtf_mpi_world_id == XTF_WIRE_NONE || comm == MPI_COMM_NULL)
        return XTF_WIRE_NONE;
    /* The cache does not keep a failed look-up: the same bits may be the handle of a window. */
    if (comm != MPI_COMM_SELF && !xtf_mpi_valid_has(handle))
        return XTF_WIRE_NONE;
    if (comm == MPI_COMM_SELF)
        id = XTF_MPI_SELF;
    else if (keyval != MPI_KEYVAL_INVALID &&
             XTF_PMPI(Comm_get_attr)(comm, keyval, (void *)&value, &found) == MPI_SUCCESS && found)
        id = (uint32_t)(uintptr_t)value;
    *xtf_mpi_cache_entry(handle) = (XtfMpiCached){handle, id, generation};
    return id;
}

void xtf_mpi_comm_set_id(MPI_Comm comm, uint32_t id)
{
    if (keyval == MPI_KEYVAL_INVALID || id == XTF_WIRE_NONE)
        return;
    if (XTF_PMPI(Comm_set_attr)(comm, keyval, (void *)(uintptr_t)id) == MPI_SUCCESS)
        xtf_mpi_valid_add((uint64_t)(uintptr_t)comm);
    xtf_mpi_forget();
}

/* ---- Communicators with members that are not recorded. */

void xtf_mpi_comm_set_apart(MPI_Comm comm)
{
    if (apart_keyval != MPI_KEYVAL_INVALID && XTF_PMPI(Comm_set_attr)(comm, apart_keyval, NULL) == MPI_SUCCESS)
        xtf_mpi_valid_add((uint64_t)(uintptr_t)comm);
}

bool xtf_mpi_comm_is_apart(MPI_Comm comm)
{
    void *value;
    int found = 0;

    return apart_keyval != MPI_KEYVAL_INVALID && xtf_mpi_valid_has((uint64_t)(uintptr_t)comm) &&
           XTF_PMPI(Comm_get_attr)(comm, apart_keyval, (void *)&value, &found) == MPI_SUCCESS && found;
}

XtfMpiFrom xtf_mpi_from(MPI_Comm comm)
{
    return (XtfMpiFrom){xtf_mpi_comm_id(comm), xtf_mpi_comm_is_apart(comm), .all = true};
}

XtfMpiFrom xtf_mpi_from_leader(MPI_Comm local, int leader, MPI_Comm peer)
{
    XtfMpiFrom from = xtf_mpi_from(local);
    int rank = 0;
    unsigned char apart = 0;

    if (from.apart || !xtf_mpi_agreeing || XTF_PMPI(Comm_rank)(local, &rank) != MPI_SUCCESS)
        return from;
    if (rank == leader)
        apart = xtf_mpi_comm_is_apart(peer);
    if (XTF_PMPI(Bcast)(&apart, 1, MPI_BYTE, leader, local) == MPI_SUCCESS)
        from.apart = apart;
    return from;
}

/* ---- New ids. */

uint32_t xtf_mpi_new_id(void)
{
    static _Atomic uint64_t new_id = XTF_MPI_RESERVED_IDS;

    return xtf_mpi_world_make_id(&xtf_mpi_world, atomic_fetch_add_explicit(&new_id, 1, memory_order_relaxed));
}

uint32_t xtf_mpi_comm_agree(MPI_Comm comm)
{
    int rank = 0;
    uint32_t id = XTF_WIRE_NONE;

    if (xtf_mpi_comm_is_apart(comm) || XTF_PMPI(Comm_rank)(comm, &rank) != MPI_SUCCESS)
        return XTF_WIRE_NONE;
    if (rank == 0)
        id = xtf_mpi_new_id();
    return XTF_PMPI(Bcast)(&id, sizeof id, MPI_BYTE, 0, comm) == MPI_SUCCESS ? id : XTF_WIRE_NONE;
}

bool xtf_mpi_comm_agree_between(MPI_Comm comm, uint32_t *own, uint32_t *remote)
{
    int rank = 0;
    uint32_t new_id = 0, remote_id = 0, own_id = 0;

    if (xtf_mpi_comm_is_apart(comm) || XTF_PMPI(Comm_rank)(comm, &rank) != MPI_SUCCESS)
        return false;
    if (rank == 0)
        new_id = xtf_mpi_new_id();
    /* A reduction over an intercommunicator gives each group the result of the other group. The first one gives the
     * id that the other group made. The second one returns it, so that this group gets its own id. */
    if (XTF_PMPI(Allreduce)(&new_id, &remote_id, sizeof new_id, MPI_BYTE, MPI_BOR, comm) != MPI_SUCCESS ||
        XTF_PMPI(Allreduce)(&remote_id, &own_id, sizeof remote_id, MPI_BYTE, MPI_BOR, comm) != MPI_SUCCESS)
        return false;
    *own = own_id;
    *remote = remote_id;
    return true;
}
