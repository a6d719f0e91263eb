#include "src/record/mpi/creation/spawn.h"

#include "src/record/mpi/comms/comms.h"
#include "src/record/mpi/comms/groups.h"
#include "src/record/mpi/comms/world.h"
#include "src/record/mpi/creation/between.h"
#include "src/record/mpi/library/records.h"

/* Indices of the reserved ids of a spawned world's rank 0: see XTF_MPI_RESERVED_IDS. */
enum { WORLD, BETWEEN, PARENTS };

void xtf_mpi_find_parents(XtfRing *ring)
{
    MPI_Comm parent = MPI_COMM_NULL;
    XtfMpiWorld first = xtf_mpi_world;

    if (XTF_PMPI(Comm_get_parent)(&parent) != MPI_SUCCESS || parent == MPI_COMM_NULL)
        return;
    first.rank = 0;
    const XtfMpiBetween ids = {xtf_mpi_world_make_id(&first, BETWEEN), xtf_mpi_world_id,
                               xtf_mpi_world_make_id(&first, PARENTS)};
    if (xtf_mpi_world.rank == 0)
        xtf_mpi_between_send(parent, 0, &ids);
    xtf_mpi_name_group(xtf_mpi_ring(ring), ids.receiver);
    xtf_mpi_between_start(ring, parent, &ids, XTF_WIRE_NONE);
}

void xtf_mpi_spawned(XtfRing *ring, uint64_t *left, int result, MPI_Comm from, MPI_Comm made)
{
    XtfMpiBetween ids = {XTF_WIRE_NONE, XTF_WIRE_NONE, XTF_WIRE_NONE};
    int rank = 0;

    if (result == MPI_SUCCESS && xtf_mpi_agreeing && made != MPI_COMM_NULL) {
        xtf_mpi_met_others = true;
        bool apart = xtf_mpi_comm_is_apart(from);
        XTF_PMPI(Comm_rank)(from, &rank);
        if (rank == 0 && !apart && !xtf_mpi_between_receive(made, 0, &ids))
            xtf_core_say("the spawned processes are not recorded, or sent no ids");
        if (!apart)
            XTF_PMPI(Bcast)(&ids, sizeof ids, MPI_BYTE, 0, from);
        if (ids.comm == XTF_WIRE_NONE)
            xtf_mpi_comm_set_apart(made);
    }
    if (ids.comm != XTF_WIRE_NONE) {
        xtf_mpi_between_define(ring, ids.receiver, from);
        xtf_mpi_name_group(xtf_mpi_ring(ring), ids.giver);
        xtf_mpi_between_start(ring, made, &ids, xtf_mpi_comm_id(from));
    }
    *left = xtf_core_now();
    xtf_mpi_collective_end(ring, *left, XTF_MPI_OP_CREATE_HANDLE, xtf_mpi_comm_id(from));
}
