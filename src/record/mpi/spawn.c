#include "src/record/mpi/spawn.h"

#include <stdlib.h>
#include <time.h>

#include "src/record/mpi/comms.h"
#include "src/record/mpi/create.h"
#include "src/record/mpi/groups.h"
#include "src/record/mpi/records.h"
#include "src/record/mpi/world.h"

enum {
    TAG = 0x5846,  /* of the message, below the least MPI_TAG_UB that the standard allows */
    PATIENCE = 10, /* seconds */
};
/* Ids of a spawned world's rank 0, by their numbers: XTF_MPI_RESERVED_IDS. */
enum { WORLD, BETWEEN, PARENTS };

typedef struct {
    uint32_t comm, children, parents;
} Ids;

static void begin(XtfRing *ring, MPI_Comm comm, const Ids *ids, uint32_t from)
{
    XtfRing *any = xtf_mpi_ring(ring);

    xtf_mpi_comm_set_id(comm, ids->comm);
    xtf_mpi_define_comm(any, ids->comm, ids->children, ids->parents, from, "");
    if (ring)
        xtf_core_record(ring, xtf_core_now(), XTF_WIRE_COMM_CREATE, 0, ids->comm);
}

void xtf_mpi_find_parents(XtfRing *ring)
{
    MPI_Comm parent = MPI_COMM_NULL;
    XtfMpiWorld first = xtf_mpi_world;

    if (XTF_PMPI(Comm_get_parent)(&parent) != MPI_SUCCESS || parent == MPI_COMM_NULL)
        return;
    first.rank = 0;
    Ids ids = {xtf_mpi_world_make_id(&first, BETWEEN), xtf_mpi_world_id, xtf_mpi_world_make_id(&first, PARENTS)};
    if (xtf_mpi_world.rank == 0)
        XTF_PMPI(Send)(&ids, sizeof ids, MPI_BYTE, 0, TAG, parent);
    xtf_mpi_name_group(xtf_mpi_ring(ring), ids.parents);
    begin(ring, parent, &ids, XTF_WIRE_NONE);
}

/* The message of the children, if it comes. */
static bool receive(MPI_Comm made, Ids *ids)
{
    struct timespec now, end, pause = {.tv_nsec = 100000};
    int arrived = 0;

    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += PATIENCE;
    for (;;) {
        if (XTF_PMPI(Iprobe)(0, TAG, made, &arrived, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return false;
        if (arrived)
            return XTF_PMPI(Recv)(ids, sizeof *ids, MPI_BYTE, 0, TAG, made, MPI_STATUS_IGNORE) == MPI_SUCCESS;
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (now.tv_sec > end.tv_sec || (now.tv_sec == end.tv_sec && now.tv_nsec > end.tv_nsec))
            return false;
        nanosleep(&pause, NULL);
    }
}

void xtf_mpi_spawned(XtfRing *ring, uint64_t *left, int result, MPI_Comm from, MPI_Comm made)
{
    Ids ids = {XTF_WIRE_NONE, XTF_WIRE_NONE, XTF_WIRE_NONE};
    MPI_Group group;
    int rank = 0;

    if (result == MPI_SUCCESS && xtf_mpi_agreeing && made != MPI_COMM_NULL) {
        xtf_mpi_met_others = true;
        XTF_PMPI(Comm_rank)(from, &rank);
        if (rank == 0 && !receive(made, &ids))
            xtf_core_say("the processes that were spawned are not recorded, or say nothing");
        XTF_PMPI(Bcast)(&ids, sizeof ids, MPI_BYTE, 0, from);
    }
    if (ids.comm != XTF_WIRE_NONE) {
        if (XTF_PMPI(Comm_group)(from, &group) == MPI_SUCCESS) {
            xtf_mpi_define_mixed_group(xtf_mpi_ring(ring), ids.parents, from, group);
            XTF_PMPI(Group_free)(&group);
        }
        xtf_mpi_name_group(xtf_mpi_ring(ring), ids.children);
        begin(ring, made, &ids, xtf_mpi_comm_id(from));
    }
    *left = xtf_core_now();
    xtf_mpi_collective_end(ring, *left, XTF_MPI_OP_CREATE_HANDLE, xtf_mpi_comm_id(from));
}

/* Nothing is known of the other side, which may be of another job. So each side has ids of its own, and its records do
 * not meet those of the other one. */
void xtf_mpi_comm_connected(XtfRing *ring, uint64_t *left, int result, MPI_Comm local, MPI_Comm made)
{
    MPI_Group group;

    if (result == MPI_SUCCESS && xtf_mpi_agreeing && made != MPI_COMM_NULL) {
        uint32_t told[2] = {XTF_WIRE_NONE, XTF_WIRE_NONE};
        int rank = 0;
        xtf_mpi_met_others = true;
        XTF_PMPI(Comm_rank)(local, &rank);
        if (rank == 0) {
            told[0] = xtf_mpi_new_id();
            told[1] = xtf_mpi_new_id();
        }
        XTF_PMPI(Bcast)(told, sizeof told, MPI_BYTE, 0, local);
        const Ids ids = {told[0], told[0], told[1]};
        if (told[1] != XTF_WIRE_NONE && XTF_PMPI(Comm_group)(local, &group) == MPI_SUCCESS) {
            xtf_mpi_define_mixed_group(xtf_mpi_ring(ring), ids.children, local, group);
            XTF_PMPI(Group_free)(&group);
            xtf_mpi_name_group(xtf_mpi_ring(ring), ids.parents);
            begin(ring, made, &ids, xtf_mpi_comm_id(local));
        }
    }
    *left = xtf_core_now();
    xtf_mpi_collective_end(ring, *left, XTF_MPI_OP_CREATE_HANDLE, xtf_mpi_comm_id(local));
}
